using System.Collections;
using System.Reflection;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>What a method returned, as cells.</summary>
/// <remarks>
/// An entity shows its mapped scalars, its owned and complex parts, and the navigations that a query named: a navigation
/// that EF happened to fill because both ends were tracked depends on the tracker, not on the query.
/// </remarks>
internal sealed class Results(DbContext context, Includes includes)
{
    private readonly HashSet<object> _path = new(ReferenceEqualityComparer.Instance);

    /// <summary>The cell of a value that no entity is part of.</summary>
    public static JsonObject OfPlain(object? value)
        => Cells.OfScalar(value) ?? (value is IEnumerable items ? Cells.List(items.Cast<object?>().Select(OfPlain)) : Members.Of(value!.GetType()).Cell(value, OfPlain));

    public JsonObject Of(object? value) => Of(value, Arrival.Root(includes));

    private JsonObject Of(object? value, Arrival arrival)
    {
        if (Cells.OfScalar(value) is { } scalar)
        {
            return scalar;
        }

        if (context.Model.FindRuntimeEntityType(value!.GetType()) is { } entity && !entity.IsOwned())
        {
            return OfMappedOnce(value, entity, arrival);
        }

        return value switch
        {
            IEnumerable items when GroupKey(value) is { } key => Cells.Object("Grouping", new JsonObject
            {
                ["Key"] = Of(key.GetValue(value)),
                ["Items"] = Cells.List(items.Cast<object?>().Select(Of)),
            }),
            IEnumerable items => Cells.List(items.Cast<object?>().Select(item => Of(item, arrival))),
            _ => OfPart(value),
        };
    }

    private static PropertyInfo? GroupKey(object value)
        => value.GetType().GetInterfaces()
            .FirstOrDefault(face => face.IsGenericType && face.GetGenericTypeDefinition() == typeof(IGrouping<,>))
            ?.GetProperty("Key");

    /// <summary>An owned or complex part has a mapping of its own; anything else shows its members.</summary>
    private JsonObject OfPart(object value)
    {
        var mapped = context.Model.FindEntityTypes(value.GetType()).FirstOrDefault();
        return Once(value, isNamed: false, () => mapped is null ? Members.Of(value.GetType()).Cell(value, Of) : OfMapped(value, mapped, Arrival.Root(Includes.None)));
    }

    private JsonObject OfMappedOnce(object value, IEntityType type, Arrival arrival)
        => Once(value, arrival.IsNamed, () => OfMapped(value, type, arrival));

    /// <summary>Write an object; a circle ends with the object's name alone, unless the query itself walks it.</summary>
    private JsonObject Once(object value, bool isNamed, Func<JsonObject> write)
    {
        var isNew = value.GetType().IsValueType || _path.Add(value);
        if (!isNew && !isNamed)
        {
            return Cells.Object(Cells.ShortName(value.GetType()), []);
        }

        try
        {
            return write();
        }
        finally
        {
            if (isNew)
            {
                _path.Remove(value);
            }
        }
    }

    private JsonObject OfMapped(object value, ITypeBase type, Arrival arrival)
    {
        var fields = new JsonObject();
        foreach (var property in type.GetProperties().Where(property => !property.IsShadowProperty() && !property.IsIndexerProperty()))
        {
            fields[property.Name] = OfPlain(Read(property, value));
        }

        foreach (var part in type.GetComplexProperties())
        {
            fields[part.Name] = OfComplex(Read(part, value), part.ComplexType);
        }

        var navigations = type is IEntityType entity
            ? entity.GetNavigations().Concat<INavigationBase>(entity.GetSkipNavigations()) : [];
        foreach (var navigation in navigations.Where(navigation => IsShown(navigation, value, arrival)))
        {
            fields[navigation.Name] = OfNavigation(Read(navigation, value), navigation, arrival.By(navigation));
        }

        return Cells.Object(Cells.ShortName(type.ClrType), fields, Computed(value, type));
    }

    private JsonObject OfComplex(object? value, IComplexType type) => value switch
    {
        null => Cells.Null,
        IEnumerable items when !type.ClrType.IsInstanceOfType(value) => Cells.List(items.Cast<object?>().Select(item => OfComplex(item, type))),
        _ => OfMapped(value, type, Arrival.Root(Includes.None)),
    };

    private JsonObject OfNavigation(object? value, INavigationBase navigation, Arrival arrival) => value switch
    {
        null => navigation.IsCollection ? Cells.List([]) : Cells.Null,
        IEnumerable items when navigation.IsCollection => Cells.List(items.Cast<object>().Select(item => OfTarget(item, navigation, arrival))),
        _ => OfTarget(value, navigation, arrival),
    };

    private JsonObject OfTarget(object value, INavigationBase navigation, Arrival arrival)
        => OfMappedOnce(value, navigation.TargetEntityType.IsOwned()
            ? navigation.TargetEntityType
            : context.Model.FindRuntimeEntityType(value.GetType()) ?? navigation.TargetEntityType, arrival);

    private static object? Read(IPropertyBase member, object value)
        => member.PropertyInfo is { GetMethod: not null } property ? property.GetValue(value) : member.FieldInfo?.GetValue(value);

    private bool IsShown(INavigationBase navigation, object value, Arrival arrival)
    {
        if (navigation.IsShadowProperty() || (navigation as INavigation)?.ForeignKey is { IsOwnership: true } && IsOnDependent(navigation))
        {
            return false;
        }

        return navigation.TargetEntityType.IsOwned()
            || navigation.IsEagerLoaded && !arrival.IsBack(navigation)
            || arrival.Named.Below(navigation) is not null
            || !arrival.IsBack(navigation) && !includes.Mentions(navigation) && WasLoaded(navigation, value);
    }

    private static bool IsOnDependent(INavigationBase navigation) => navigation is INavigation { IsOnDependent: true };

    /// <summary>Whether the tracker holds this navigation as loaded, as after <c>Collection(…).Load()</c>.</summary>
    private bool WasLoaded(INavigationBase navigation, object value)
    {
        try
        {
            context.ChangeTracker.AutoDetectChangesEnabled = false;
            var entry = context.Entry(value);
            return entry.State != EntityState.Detached && entry.Navigation(navigation.Name).IsLoaded;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    private static JsonObject Computed(object value, ITypeBase type)
    {
        var services = type is IEntityType entity ? entity.GetServiceProperties().Select(service => service.Name) : [];
        var mapped = type.GetMembers().Select(member => member.Name).Concat(services).ToHashSet();
        return Members.Of(type.ClrType).Unmapped(value, mapped);
    }

    /// <summary>How the walk came to an object: by which navigation, and what the query named from there on.</summary>
    private readonly record struct Arrival(INavigationBase? Navigation, Includes Named, bool IsNamed)
    {
        public static Arrival Root(Includes includes) => new(null, includes, IsNamed: false);

        public Arrival By(INavigationBase navigation)
            => Named.Below(navigation) is { } below ? new(navigation, below, IsNamed: true) : new(navigation, Includes.None, IsNamed: false);

        public bool IsBack(INavigationBase navigation) => Navigation is not null && navigation.Inverse == Navigation;
    }
}

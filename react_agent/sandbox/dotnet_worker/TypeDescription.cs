using System.Reflection;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Query;

namespace Uom.Worker;

/// <summary>One entity, owned or complex type; what it inherits stands with its base.</summary>
internal sealed class TypeDescription(ITypeBase type, TypeNames names, IReadOnlyDictionary<Type, string> sets)
{
    private readonly IEntityType? _entity = type as IEntityType;

    private bool IsJson => type.IsMappedToJson();

    public JsonObject ToJson()
    {
        var table = Table();
        var json = new JsonObject
        {
            ["name"] = names.Of(type),
            ["clr_name"] = TypeNames.Short(type),
            ["table"] = IsJson ? null : table?.Name,
            ["key"] = (IsJson ? [] : Names(_entity?.FindPrimaryKey()?.Properties)).Array(),
            ["properties"] = Ordered(type.GetDeclaredProperties()).Where(IsHeld)
                .Array(property => new PropertyDescription(property, table, IsJson).ToJson()),
            ["navigations"] = Navigations(),
            ["foreign_keys"] = (_entity?.GetDeclaredForeignKeys() ?? []).Where(key => !IsJson && !LinksToBase(key)).Array(key => Relations.Of(key, names)),
            ["alternate_keys"] = (_entity?.GetDeclaredKeys() ?? []).Where(key => !key.IsPrimaryKey() && !IsJson).Array(key => Names(key.Properties).Array()),
            ["indexes"] = (_entity?.GetDeclaredIndexes() ?? []).Where(_ => !IsJson).Array(OfIndex),
            ["check_constraints"] = (_entity?.GetDeclaredCheckConstraints() ?? []).Array(check => new JsonObject { ["name"] = check.Name, ["sql"] = check.Sql }),
            ["namespace"] = type.IsPropertyBag ? "" : type.ClrType.Namespace ?? "",
            ["schema"] = IsJson ? null : table?.Schema ?? _entity?.GetSchema(),
            ["db_set"] = _entity is { } entity && !entity.IsOwned() && !entity.HasSharedClrType ? sets.GetValueOrDefault(type.ClrType) : null,
            ["complex"] = type is IComplexType,
            ["json_column"] = IsJson ? type.GetContainerColumnName() : null,
            ["unmapped_members"] = UnmappedMembers().Array(),
        };
        AddOwner(json);
        AddHierarchy(json);
        return json;
    }

    private static IEnumerable<string> Names(IEnumerable<IReadOnlyPropertyBase>? properties)
        => properties?.Select(property => property.Name) ?? [];

    /// <summary>In the order of the text, as far as reflection knows it; shadow members last.</summary>
    private static IEnumerable<T> Ordered<T>(IEnumerable<T> members)
        where T : IPropertyBase
        => members.OrderBy(member => ((MemberInfo?)member.PropertyInfo ?? member.FieldInfo)?.MetadataToken ?? int.MaxValue);

    /// <summary>The key that ties a derived type's own table to its base's is part of the hierarchy, not a relation.</summary>
    private static bool LinksToBase(IForeignKey key)
        => key.PrincipalEntityType == key.DeclaringEntityType.BaseType && key.DependentToPrincipal is null && key.PrincipalKey.IsPrimaryKey()
            && key.Properties.SequenceEqual(key.PrincipalKey.Properties);

    private static JsonObject OfIndex(IIndex index) => new()
    {
        ["properties"] = Names(index.Properties).Array(),
        ["unique"] = index.IsUnique,
        ["filter"] = index.GetFilter(),
        ["name"] = index.GetDatabaseName(),
    };

    private StoreObjectIdentifier? Table()
    {
        ITypeBase owner = type;
        while (owner is IComplexType part)
        {
            owner = part.ComplexProperty.DeclaringType;
        }

        return StoreObjectIdentifier.Create(owner, StoreObjectType.Table) ?? StoreObjectIdentifier.Create(owner, StoreObjectType.View);
    }

    /// <summary>The keys that EF makes up for a part inside a document are not stored there.</summary>
    private bool IsHeld(IProperty property) => !IsJson || property.GetJsonPropertyName() is not null;

    private JsonArray Navigations()
    {
        var navigations = (_entity?.GetDeclaredNavigations() ?? []).Concat<INavigationBase>(_entity?.GetDeclaredSkipNavigations() ?? []);
        return new JsonArray(
        [
            .. Ordered(navigations.Where(navigation => !navigation.IsShadowProperty())).Select(navigation => Relations.Of(navigation, names)),
            .. Ordered(type.GetDeclaredComplexProperties()).Select(part => Relations.Of(part, names)),
        ]);
    }

    private void AddOwner(JsonObject json)
    {
        var (owner, navigation) = type switch
        {
            IComplexType part => (part.ComplexProperty.DeclaringType, part.ComplexProperty.Name),
            IEntityType entity when entity.FindOwnership() is { } ownership => (ownership.PrincipalEntityType, ownership.PrincipalToDependent?.Name),
            _ => ((ITypeBase?)null, null),
        };
        json["owned_by"] = owner is null ? null : names.Of(owner);
        json["owner_navigation"] = navigation;
    }

    private void AddHierarchy(JsonObject json)
    {
        var filters = _entity?.GetDeclaredQueryFilters().Select(filter => filter.Expression).OfType<System.Linq.Expressions.LambdaExpression>().ToArray() ?? [];
        json["query_filter"] = filters is [] ? null : string.Join(" && ", filters.Select(filter => new ExpressionPrinter().PrintExpression(filter)));
        json["base"] = type.BaseType is { } parent ? names.Of(parent) : null;
        json["abstract"] = type.ClrType.IsAbstract;
        var isHierarchy = _entity is not null && (_entity.BaseType is not null || _entity.GetDirectlyDerivedTypes().Any());
        json["inheritance"] = isHierarchy ? (_entity!.GetRootType().GetMappingStrategy() ?? "TPH").ToLowerInvariant() : null;
        json["discriminator"] = type.GetDiscriminatorPropertyName();
        json["discriminator_value"] = type.GetDiscriminatorPropertyName() is null || type.ClrType.IsAbstract
            ? null : Text(type.GetDiscriminatorValue());
    }

    private static string? Text(object? value) => value switch
    {
        null => null,
        Enum member => member.ToString(),
        _ => Cells.OfScalar(value)?["v"]?.ToString(),
    };

    private IEnumerable<string> UnmappedMembers()
    {
        var mapped = type.GetMembers().Select(member => member.Name)
            .Concat(_entity?.GetServiceProperties().Select(service => service.Name) ?? []).ToHashSet();
        return type.IsPropertyBag ? [] : type.ClrType.GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0 && !mapped.Contains(property.Name))
            .OrderBy(property => property.MetadataToken)
            .Select(property => property.Name);
    }
}

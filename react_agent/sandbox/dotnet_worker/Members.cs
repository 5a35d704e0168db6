using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>The public members of a class that EF does not map: what it holds, and what it works out.</summary>
internal sealed class Members
{
    private static readonly Dictionary<Type, Members> Known = [];

    private readonly Type _type;
    private readonly PropertyInfo[] _stored;
    private readonly PropertyInfo[] _computed;
    private readonly FieldInfo[] _fields;

    private Members(Type type)
    {
        _type = type;
        var properties = type.GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0)
            .ToLookup(property => IsStored(property, type));
        _stored = [.. properties[true]];
        _computed = [.. properties[false]];
        _fields = type.GetFields(BindingFlags.Instance | BindingFlags.Public);
    }

    public static Members Of(Type type)
    {
        if (!Known.TryGetValue(type, out var members))
        {
            Known[type] = members = new Members(type);
        }

        return members;
    }

    /// <summary>The object cell of a value whose members are written by <paramref name="cell"/>.</summary>
    public JsonObject Cell(object value, Func<object?, JsonObject> cell)
    {
        var fields = new JsonObject();
        foreach (var property in _stored)
        {
            fields[property.Name] = cell(property.GetValue(value));
        }

        foreach (var field in _fields)
        {
            fields[field.Name] = cell(field.GetValue(value));
        }

        var computed = Computed(value, _computed);
        return fields.Count + computed.Count > 0
            ? Cells.Object(Cells.ShortName(_type), fields, computed)
            : throw new JobException("run", $"a value of type {_type.FullName} has no public members to record");
    }

    /// <summary>What the public getters outside a mapping say.</summary>
    public JsonObject Unmapped(object value, IReadOnlySet<string> mapped)
        => Computed(value, _stored.Concat(_computed).Where(property => !mapped.Contains(property.Name)));

    /// <summary>Whether a property holds data: it can be set, is automatic, or comes from the constructor.</summary>
    private static bool IsStored(PropertyInfo property, Type type)
        => property.SetMethod is not null
            || type.IsDefined(typeof(CompilerGeneratedAttribute))
            || property.GetMethod!.IsDefined(typeof(CompilerGeneratedAttribute))
            || type.Namespace is "System" or "System.Collections.Generic" or "System.Linq"
            || type.GetConstructors().Any(constructor => constructor.GetParameters()
                .Any(parameter => string.Equals(parameter.Name, property.Name, StringComparison.OrdinalIgnoreCase)));

    /// <summary>A getter is only asked for a scalar, and may fail: nobody stored what it says.</summary>
    private static JsonObject Computed(object value, IEnumerable<PropertyInfo> getters)
    {
        var computed = new JsonObject();
        foreach (var getter in getters)
        {
            try
            {
                if (Cells.OfScalar(getter.GetValue(value)) is { } cell)
                {
                    computed[getter.Name] = cell;
                }
            }
            catch (TargetInvocationException)
            {
                // A getter over a navigation that is not loaded has nothing to say.
            }
        }

        return computed;
    }
}

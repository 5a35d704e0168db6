using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>EF Core's own model as the mapping model's JSON: entity types in name order, and the enums they use.</summary>
internal sealed class Description
{
    private readonly Session _session;
    private readonly TypeNames _names;
    private readonly IReadOnlyDictionary<Type, string> _sets;

    public Description(Session session)
    {
        _session = session;
        _names = new TypeNames(session.Model);
        _sets = session.ContextType.GetProperties()
            .Where(property => property.PropertyType is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(DbSet<>))
            .GroupBy(property => property.PropertyType.GetGenericArguments()[0])
            .ToDictionary(group => group.Key, group => group.First().Name);
    }

    public JsonObject ToJson()
    {
        var types = _names.All.OrderBy(_names.Of, StringComparer.Ordinal).ToArray();
        return new JsonObject
        {
            ["context"] = _session.ContextName.Split('.')[^1],
            ["namespace"] = _session.ContextType.BaseType!.Namespace ?? "",
            ["entities"] = types.Array(type => new TypeDescription(type, _names, _sets).ToJson()),
            ["enums"] = types.SelectMany(type => type.GetDeclaredProperties())
                .SelectMany(property => ClrTypes.Enums(property.ClrType))
                .Distinct()
                .OrderBy(type => type.Name, StringComparer.Ordinal)
                .Array(OfEnum),
            ["origin"] = "ef",
        };
    }

    private static JsonObject OfEnum(Type type) => new()
    {
        ["name"] = Cells.ShortName(type),
        ["members"] = Enum.GetNames(type).Array(name => new JsonObject
        {
            ["name"] = name,
            ["value"] = JsonNode.Parse(((Enum)Enum.Parse(type, name)).ToString("D")),
        }),
        ["underlying"] = Cells.NameOf(Enum.GetUnderlyingType(type)),
        ["flags"] = type.IsDefined(typeof(FlagsAttribute), inherit: false),
    };
}

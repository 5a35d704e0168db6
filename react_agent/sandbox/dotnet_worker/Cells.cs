using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>Scalars as typed cells: <c>{"t": type, "v": text}</c>, the text the same in every culture.</summary>
internal static class Cells
{
    private static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

    public static JsonObject Null => new() { ["t"] = "null" };

    public static JsonObject Text(string type, string text) => new() { ["t"] = type, ["v"] = text };

    public static JsonObject List(IEnumerable<JsonNode?> items) => new() { ["t"] = "list", ["v"] = new JsonArray([.. items]) };

    public static JsonObject Object(string name, JsonObject fields, JsonObject? computed = null)
    {
        var cell = new JsonObject { ["t"] = "object", ["name"] = name, ["f"] = fields };
        if (computed is { Count: > 0 })
        {
            cell["computed"] = computed;
        }

        return cell;
    }

    /// <summary>The cell of a scalar; null for anything that has parts.</summary>
    public static JsonObject? OfScalar(object? value) => value switch
    {
        null or DBNull => Null,
        bool flag => Text("bool", flag ? "true" : "false"),
        Enum member => OfEnum(member),
        string text => Text("string", text),
        char letter => Text("char", letter.ToString()),
        byte[] bytes => Text("bytes", Convert.ToBase64String(bytes)),
        float or double or decimal => OfNumber((IFormattable)value),
        sbyte or byte or short or ushort or int or uint or long or ulong => OfNumber((IFormattable)value),
        Guid guid => Text("guid", guid.ToString("D")),
        Uri uri => Text("uri", uri.OriginalString),
        JsonDocument document => Text("json", document.RootElement.GetRawText()),
        JsonElement element => Text("json", element.ValueKind == JsonValueKind.Undefined ? "null" : element.GetRawText()),
        JsonNode node => Text("json", node.ToJsonString(Json.Options)),
        _ => OfTime(value),
    };

    public static string NameOf(Type type) => type.IsEnum ? ShortName(type) : Type.GetTypeCode(type) switch
    {
        TypeCode.Boolean => "bool",
        TypeCode.SByte => "sbyte",
        TypeCode.Byte => "byte",
        TypeCode.Int16 => "short",
        TypeCode.UInt16 => "ushort",
        TypeCode.Int32 => "int",
        TypeCode.UInt32 => "uint",
        TypeCode.Int64 => "long",
        TypeCode.UInt64 => "ulong",
        TypeCode.Single => "float",
        TypeCode.Double => "double",
        TypeCode.Decimal => "decimal",
        TypeCode.Char => "char",
        TypeCode.String => "string",
        _ => ShortName(type),
    };

    /// <summary>A class's name as written, without arity or namespace.</summary>
    public static string ShortName(Type type)
        => type.Name.StartsWith("<>", StringComparison.Ordinal) ? "AnonymousType" : type.Name.Split('`')[0];

    private static JsonObject OfNumber(IFormattable number) => Text(NameOf(number.GetType()), number.ToString(null, Invariant));

    private static JsonObject OfEnum(Enum member)
    {
        var cell = Text("enum", member.ToString("D"));
        cell["type"] = ShortName(member.GetType());
        cell["name"] = member.ToString();
        return cell;
    }

    private static JsonObject? OfTime(object value) => value switch
    {
        DateTime time => new JsonObject
        {
            ["t"] = "datetime",
            ["v"] = time.ToString("yyyy-MM-ddTHH:mm:ss.fffffff", Invariant),
            ["kind"] = time.Kind.ToString(),
        },
        DateTimeOffset time => Text("datetimeoffset", time.ToString("O", Invariant)),
        DateOnly date => Text("date", date.ToString("O", Invariant)),
        TimeOnly time => Text("time", time.ToString("O", Invariant)),
        TimeSpan span => Text("timespan", span.ToString("c", Invariant)),
        _ => null,
    };
}

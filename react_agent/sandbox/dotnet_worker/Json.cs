using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>Reading and writing of JSON nodes, with errors that name the missing member.</summary>
internal static class Json
{
    public static readonly JsonSerializerOptions Options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        MaxDepth = 256,
    };

    public static string Text(this JsonObject node, string member)
        => node[member] is JsonValue value && value.TryGetValue(out string? text)
            ? text
            : throw new JobException("request", $"\"{member}\" must be text");

    public static JsonArray Items(this JsonObject node, string member)
        => node[member] as JsonArray ?? throw new JobException("request", $"\"{member}\" must be a list");

    public static JsonObject Members(this JsonObject node, string member)
        => node[member] as JsonObject ?? throw new JobException("request", $"\"{member}\" must be an object");

    public static JsonArray Array<T>(this IEnumerable<T> items, Func<T, JsonNode?> node)
        => new([.. items.Select(node)]);

    public static JsonArray Array(this IEnumerable<string> items)
        => items.Array(item => JsonValue.Create(item));
}

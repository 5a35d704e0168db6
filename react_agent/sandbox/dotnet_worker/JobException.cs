using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>A request that cannot be served; becomes the error reply, never an envelope.</summary>
internal sealed class JobException(string stage, string message, JsonArray? diagnostics = null) : Exception(message)
{
    public JsonObject ToJson() => new()
    {
        ["stage"] = stage,
        ["message"] = Message,
        ["diagnostics"] = diagnostics?.DeepClone() ?? new JsonArray(),
    };
}

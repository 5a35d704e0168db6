using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>x</summary>
internal sealed class Description(Session session)
{
    public JsonObject ToJson() => new() { ["context"] = session.ContextName };
}

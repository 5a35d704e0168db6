using System.Collections;
using System.Reflection;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>How a call ended: rows, a scalar, nothing, or an exception.</summary>
internal static class Outcome
{
    public static void Write(JsonObject envelope, object? value, Results results)
    {
        var cell = results.Of(value);
        envelope["outcome"] = value switch
        {
            null => "none",
            IEnumerable when cell["t"]!.ToString() == "list" => "rows",
            _ => "scalar",
        };
        envelope["value"] = cell;
        if (cell["v"] is JsonArray rows)
        {
            envelope["row_count"] = rows.Count;
        }
    }

    public static void WriteThrow(JsonObject envelope, Exception error)
    {
        var cause = error is TargetInvocationException { InnerException: { } inner } ? inner : error;
        envelope["outcome"] = "throws";
        envelope["exception"] = cause.GetType().FullName;
        envelope["kind"] = Kind(cause);
        envelope["message"] = cause.Message;
    }

    /// <summary>Which of LINQ's two complaints an exception is; their type is the same, their resource is not.</summary>
    private static string Kind(Exception error) => error switch
    {
        KeyNotFoundException => "not_found",
        InvalidOperationException { Message: var text } when Says(text, "contains no ") => "not_found",
        InvalidOperationException { Message: var text } when Says(text, "contains more than one ") => "too_many",
        _ => "error",
    };

    private static bool Says(string message, string complaint)
        => message.StartsWith("Sequence " + complaint, StringComparison.Ordinal);
}

using System.Diagnostics;
using System.Reflection;

namespace Uom.Worker;

/// <summary>Say whose failure it is that a context has no model: EF Core's, or an exception of the user's own code.</summary>
internal static class Blame
{
    public static string Of(Exception error, string context, Assembly program)
    {
        var cause = error;
        var initializer = "";
        while (cause is TypeInitializationException { InnerException: { } inner } failed)
        {
            initializer = failed.TypeName == "<Module>" ? "the module initializer" : $"the static initializer of {failed.TypeName}";
            cause = inner is TargetInvocationException { InnerException: { } thrown } ? thrown : inner;
        }

        var method = new StackTrace(cause).GetFrame(0)?.GetMethod();
        var isTheirs = method?.Module.Assembly == program;
        if (initializer.Length == 0 && !isTheirs)
        {
            return $"EF Core cannot build the model of {context}: {cause.Message}";
        }

        var place = isTheirs && method is { Name: not ".cctor" } ? Name(method) : "";
        var where = string.Join(", in ", new[] { initializer, place }.Where(part => part.Length > 0));
        return $"{where} throws {cause.GetType().FullName}, before EF Core can build the model of {context}: {cause.Message}";
    }

    private static string Name(MethodBase method)
        => method.IsConstructor ? $"the constructor of {method.DeclaringType?.FullName}" : $"{method.DeclaringType?.FullName}.{method.Name}";
}

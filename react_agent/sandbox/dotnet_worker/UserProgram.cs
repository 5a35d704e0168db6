using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json.Nodes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Uom.Worker;

/// <summary>The user's sources, compiled and loaded.</summary>
internal sealed class UserProgram
{
    private readonly IReadOnlyList<ContextType> _contexts;
    private readonly IReadOnlyList<Entry> _entries;
    private readonly JsonArray _warnings;

    private UserProgram(
        Assembly assembly, IReadOnlyList<ContextType> contexts, IReadOnlyList<Entry> entries, JsonArray warnings)
    {
        Assembly = assembly;
        _contexts = contexts;
        _entries = entries;
        _warnings = warnings;
    }

    public Assembly Assembly { get; }

    public IReadOnlyList<Entry> Entries => _entries;

    /// <summary>Compile as given; what does not compile so is tried once more with the SDK's implicit usings.</summary>
    public static UserProgram Compile(JsonObject request)
    {
        var trees = SourceText.Parse(request.Items("sources"));
        var nullable = request["nullable"]?.ToString() == "disable" ? NullableContextOptions.Disable : NullableContextOptions.Enable;
        var options = new CSharpCompilationOptions(
            trees.Any(SourceText.HasTopLevelStatements) ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
            optimizationLevel: OptimizationLevel.Release,
            allowUnsafe: true,
            nullableContextOptions: nullable,
            concurrentBuild: true);
        var compilation = CSharpCompilation.Create("user", trees, References.All, options);
        var helped = compilation.AddSyntaxTrees(SourceText.Usings());
        if (trees.Any(Providers.AreNamedIn))
        {
            compilation = compilation.AddSyntaxTrees(Providers.StandIns());
            helped = helped.AddSyntaxTrees(Providers.StandIns());
        }

        return Build(compilation) ?? Build(helped) ?? throw Refused(helped);
    }

    public ContextType Context(string stage, string? name)
    {
        var named = string.IsNullOrEmpty(name) ? _contexts : [.. _contexts.Where(context => context.FullName == name || context.Name == name)];
        return named switch
        {
            [var only] => only,
            [] => throw new JobException(stage, $"no DbContext {(string.IsNullOrEmpty(name) ? "is" : $"called {name} is")} in the sources; there: {Names()}"),
            _ => throw new JobException(stage, $"which DbContext? \"context\" must be one of: {Names()}"),
        };
    }

    public JsonObject ToJson() => new()
    {
        ["contexts"] = _contexts.Array(context => context.ToJson()),
        ["entries"] = _entries.Array(entry => entry.ToJson()),
        ["warnings"] = _warnings.DeepClone(),
    };

    private static UserProgram? Build(CSharpCompilation compilation)
    {
        var contexts = ContextType.FindAll(compilation);
        using var image = new MemoryStream();
        var emitted = ContextType.Lend(compilation, contexts).Emit(image);
        if (!emitted.Success)
        {
            return null;
        }

        image.Position = 0;
        var assembly = new AssemblyLoadContext("user").LoadFromStream(image);
        var warnings = Diagnostics(emitted.Diagnostics, DiagnosticSeverity.Warning);
        return new UserProgram(assembly, contexts, Entry.FindAll(compilation, contexts), warnings);
    }

    private static JobException Refused(CSharpCompilation compilation)
    {
        var diagnostics = Diagnostics(compilation.GetDiagnostics(), DiagnosticSeverity.Error);
        if (diagnostics.Count == 0)
        {
            // The user's own code is sound: what failed is the context lent from it.
            var lent = ContextType.Lend(compilation, ContextType.FindAll(compilation));
            diagnostics = Diagnostics(lent.GetDiagnostics(), DiagnosticSeverity.Error);
        }

        return new JobException("compile", $"the sources do not compile: {diagnostics.Count} errors", diagnostics);
    }

    private static JsonArray Diagnostics(IEnumerable<Diagnostic> diagnostics, DiagnosticSeverity severity)
        => diagnostics
            .Where(diagnostic => diagnostic.Severity == severity)
            .OrderBy(diagnostic => diagnostic.Location.SourceTree?.FilePath, StringComparer.Ordinal)
            .ThenBy(diagnostic => diagnostic.Location.SourceSpan.Start)
            .Take(200)
            .Array(ToJson);

    private static JsonObject ToJson(Diagnostic diagnostic)
    {
        var at = diagnostic.Location.GetMappedLineSpan();
        return new JsonObject
        {
            ["file"] = at.Path,
            ["line"] = at.StartLinePosition.Line + 1,
            ["column"] = at.StartLinePosition.Character + 1,
            ["code"] = diagnostic.Id,
            ["message"] = diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture),
        };
    }

    private string Names() => _contexts is [] ? "none" : string.Join(", ", _contexts.Select(context => context.FullName));
}

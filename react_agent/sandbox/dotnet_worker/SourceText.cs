using System.Text.Json.Nodes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Uom.Worker;

/// <summary>The sources of a job as syntax trees.</summary>
internal static class SourceText
{
    /// <summary>What the SDK makes global for a console project with <c>ImplicitUsings</c>.</summary>
    private static readonly string[] ImplicitUsings =
    [
        "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading",
        "System.Threading.Tasks",
    ];

    private static readonly CSharpParseOptions Options = CSharpParseOptions.Default
        .WithLanguageVersion(LanguageVersion.Latest)
        .WithPreprocessorSymbols(
            new List<string>(["NET", "NETCOREAPP", "NET10_0", .. Enumerable.Range(5, 6).Select(major => $"NET{major}_0_OR_GREATER")]));

    public static SyntaxTree[] Parse(JsonArray sources)
        => [.. sources.Select(node => node as JsonObject
                ?? throw new JobException("compile", "\"sources\" must hold {path, text} objects"))
            .Select(source => Parse(source.Text("text"), source.Text("path")))];

    public static SyntaxTree Parse(string text, string path) => CSharpSyntaxTree.ParseText(text, Options, path);

    public static SyntaxTree Usings()
        => Parse(string.Concat(ImplicitUsings.Select(name => $"global using global::{name};\n")), "ImplicitUsings.g.cs");

    public static bool HasTopLevelStatements(this SyntaxTree tree)
        => tree.GetCompilationUnitRoot().Members.OfType<GlobalStatementSyntax>().Any();

    /// <summary>Blank out <c>sealed</c> on a class so that it can be derived from; no position moves.</summary>
    public static SyntaxTree Unseal(this SyntaxTree tree, IEnumerable<ClassDeclarationSyntax> classes)
    {
        var tokens = classes.SelectMany(c => c.Modifiers).Where(token => token.IsKind(SyntaxKind.SealedKeyword)).ToArray();
        if (tokens.Length == 0)
        {
            return tree;
        }

        var text = tree.GetText().WithChanges(tokens.Select(token =>
            new Microsoft.CodeAnalysis.Text.TextChange(token.Span, new string(' ', token.Span.Length))));
        return Parse(text.ToString(), tree.FilePath);
    }
}

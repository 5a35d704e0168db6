using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Uom.Worker;

/// <summary>Questions to Roslyn's symbols.</summary>
internal static class Symbols
{
    /// <summary>Every type declared in the sources, nested ones included, in the order of the text.</summary>
    public static IEnumerable<INamedTypeSymbol> SourceTypes(this CSharpCompilation compilation)
        => Types(compilation.Assembly.GlobalNamespace)
            .Where(type => !type.IsImplicitlyDeclared && type.Locations.Any(location => location.IsInSource))
            .OrderBy(type => compilation.SyntaxTrees.IndexOf(type.Locations[0].SourceTree!))
            .ThenBy(type => type.Locations[0].SourceSpan.Start);

    /// <summary>The type itself and what it derives from, nearest first.</summary>
    public static IEnumerable<INamedTypeSymbol> BaseTypes(this INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            yield return current;
        }
    }

    public static bool Derives(this INamedTypeSymbol type, INamedTypeSymbol? from)
        => from is not null && type.BaseTypes().Contains(from, SymbolEqualityComparer.Default);

    /// <summary>The name reflection knows the type by.</summary>
    public static string MetadataFullName(this INamedTypeSymbol type)
        => type.ContainingType is { } outer ? $"{outer.MetadataFullName()}+{type.MetadataName}"
            : type.ContainingNamespace.IsGlobalNamespace ? type.MetadataName
            : $"{type.ContainingNamespace.ToDisplayString()}.{type.MetadataName}";

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceOrTypeSymbol container)
        => container.GetMembers().SelectMany(member => member switch
        {
            INamespaceSymbol inner => Types(inner),
            INamedTypeSymbol type => Types(type).Prepend(type),
            _ => [],
        });
}

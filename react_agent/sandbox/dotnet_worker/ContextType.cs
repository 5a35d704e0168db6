using System.Reflection;
using System.Text.Json.Nodes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Uom.Worker;

/// <summary>A <c>DbContext</c> of the sources, and the class derived from it that gives it our options.</summary>
/// <remarks>
/// The derived class lends the user's context our connection whatever its own <c>OnConfiguring</c> says: it keeps that
/// method's settings and leaves out the database it names.
/// </remarks>
internal sealed class ContextType
{
    private static readonly SymbolDisplayFormat Qualified = SymbolDisplayFormat.FullyQualifiedFormat;

    private readonly string _lentName;
    private readonly string? _construction;

    private ContextType(INamedTypeSymbol symbol, int number)
    {
        Symbol = symbol;
        _lentName = $"Lent{number}_{symbol.Name}";
        (_construction, Obstacle) = Construction(symbol);
    }

    public INamedTypeSymbol Symbol { get; }

    public string Name => Symbol.Name;

    public string FullName => Symbol.ToDisplayString();

    /// <summary>Why no object of this class can be made; null when it can.</summary>
    public string? Obstacle { get; }

    public static IReadOnlyList<ContextType> FindAll(CSharpCompilation compilation)
    {
        var root = compilation.GetTypeByMetadataName("Microsoft.EntityFrameworkCore.DbContext");
        return [.. compilation.SourceTypes()
            .Where(type => type is { TypeKind: TypeKind.Class, IsAbstract: false, IsGenericType: false } && type.Derives(root))
            .Select((type, at) => new ContextType(type, at))];
    }

    /// <summary>Add the derived classes to what is compiled.</summary>
    public static CSharpCompilation Lend(CSharpCompilation compilation, IReadOnlyList<ContextType> contexts)
    {
        var sealedClasses = contexts
            .Where(context => context.Obstacle is null && context.Symbol.IsSealed)
            .SelectMany(context => context.Symbol.DeclaringSyntaxReferences)
            .Select(reference => (ClassDeclarationSyntax)reference.GetSyntax())
            .GroupBy(declaration => declaration.SyntaxTree);
        foreach (var declarations in sealedClasses)
        {
            compilation = compilation.ReplaceSyntaxTree(declarations.Key, declarations.Key.Unseal(declarations));
        }

        var source = string.Concat(contexts.Where(context => context.Obstacle is null).Select(context => context.Source()));
        return source.Length == 0
            ? compilation
            : compilation.AddSyntaxTrees(SourceText.Parse($"#pragma warning disable\nnamespace Uom.Lent;\n{source}", "Lent.g.cs"));
    }

    public Type Lent(Assembly assembly) => assembly.GetType($"Uom.Lent.{_lentName}", throwOnError: true)!;

    public JsonObject ToJson() => new()
    {
        ["name"] = Name,
        ["namespace"] = Symbol.ContainingNamespace.IsGlobalNamespace ? "" : Symbol.ContainingNamespace.ToDisplayString(),
        ["full_name"] = FullName,
    };

    private static (string? Arguments, string? Obstacle) Construction(INamedTypeSymbol symbol)
    {
        if (symbol.ContainingType is not null && symbol.DeclaredAccessibility == Accessibility.Private)
        {
            return (null, $"{symbol.Name} is a private nested class");
        }

        var open = symbol.InstanceConstructors
            .Where(constructor => constructor.DeclaredAccessibility != Accessibility.Private)
            .OrderByDescending(constructor => constructor.Parameters.Any(TakesOptions))
            .ToArray();
        var usable = open.FirstOrDefault(constructor => constructor.Parameters.All(p => TakesOptions(p) || p.IsOptional));
        if (usable is not null)
        {
            return (string.Join(", ", usable.Parameters.Where(TakesOptions).Select(p => Options(symbol, p))), null);
        }

        var needs = open.SelectMany(c => c.Parameters).Where(p => !TakesOptions(p) && !p.IsOptional)
            .Select(p => p.Type.ToDisplayString()).Distinct();
        return (null, $"no constructor of {symbol.Name} can be called with DbContextOptions alone; it also needs {string.Join(", ", needs)}");
    }

    private static bool TakesOptions(IParameterSymbol parameter)
        => parameter.Type is INamedTypeSymbol { Name: "DbContextOptions" } type
            && type.ContainingNamespace.ToDisplayString() == "Microsoft.EntityFrameworkCore";

    private static string Options(INamedTypeSymbol symbol, IParameterSymbol parameter)
    {
        var context = parameter.Type is INamedTypeSymbol { IsGenericType: true } type ? type.TypeArguments[0] : symbol;
        return $"{parameter.Name}: global::Uom.Worker.Lending.Options<{context.ToDisplayString(Qualified)}>()";
    }

    private string Source() => $$"""
        internal sealed class {{_lentName}} : {{Symbol.ToDisplayString(Qualified)}}
        {
            [global::System.Diagnostics.CodeAnalysis.SetsRequiredMembers]
            public {{_lentName}}() : base({{_construction}}) { }

            {{(OverridesAreSealed() ? "" : """
            protected override void OnConfiguring(global::Microsoft.EntityFrameworkCore.DbContextOptionsBuilder builder)
                => global::Uom.Worker.Lending.Configure(builder, base.OnConfiguring);
            """)}}
        }

        """;

    private bool OverridesAreSealed()
        => Symbol.BaseTypes().SelectMany(type => type.GetMembers("OnConfiguring")).OfType<IMethodSymbol>()
            .Any(method => method.IsSealed);
}

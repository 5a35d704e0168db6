using System.Text.Json.Nodes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Uom.Worker;

/// <summary>A public method that reaches a context: through its object's constructor, or as its first argument.</summary>
internal sealed class Entry
{
    private static readonly SymbolDisplayFormat TypeText = SymbolDisplayFormat.MinimallyQualifiedFormat
        .AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    private readonly INamedTypeSymbol _class;
    private readonly IMethodSymbol _method;
    private readonly ContextType _context;

    private Entry(INamedTypeSymbol owner, IMethodSymbol method, ContextType context)
    {
        _class = owner;
        _method = method;
        _context = context;
    }

    public string ClassName => _class.Name;

    public string FullClassName => _class.ToDisplayString();

    public string MetadataClassName => _class.MetadataFullName();

    public string MethodName => _method.Name;

    public string ContextName => _context.FullName;

    public bool IsStatic => _method.IsStatic;

    public IReadOnlyList<string> ParameterNames => [.. _method.Parameters.Select(parameter => parameter.Name)];

    public IReadOnlyList<string> ArgumentNames => [.. Arguments().Select(parameter => parameter.Name)];

    public IReadOnlyList<string> RequiredArgumentNames => [.. Arguments().Where(p => !IsOptional(p)).Select(p => p.Name)];

    public static IReadOnlyList<Entry> FindAll(CSharpCompilation compilation, IReadOnlyList<ContextType> contexts)
        => [.. compilation.SourceTypes()
            .Where(type => type is { TypeKind: TypeKind.Class, IsGenericType: false } && IsReachable(type)
                && !contexts.Any(context => SymbolEqualityComparer.Default.Equals(context.Symbol, type)))
            .SelectMany(type => Of(type, contexts))];

    public JsonObject ToJson()
    {
        var at = _method.Locations[0].GetMappedLineSpan();
        return new JsonObject
        {
            ["class"] = ClassName,
            ["full_name"] = FullClassName,
            ["context"] = ContextName,
            ["method"] = MethodName,
            ["parameters"] = Arguments().Array(ToJson),
            ["returns"] = _method.ReturnType.ToDisplayString(TypeText),
            ["async"] = _method.ReturnType.Name is "Task" or "ValueTask" or "IAsyncEnumerable",
            ["file"] = at.Path,
            ["line"] = at.StartLinePosition.Line + 1,
        };
    }

    private static IEnumerable<Entry> Of(INamedTypeSymbol type, IReadOnlyList<ContextType> contexts)
    {
        var constructed = type.IsAbstract ? null : ConstructedFrom(type, contexts);
        foreach (var method in Methods(type))
        {
            var context = method.IsStatic
                ? method.Parameters is [var first, ..] ? ContextOf(first.Type, contexts) : null
                : constructed;
            if (context is not null)
            {
                yield return new Entry(type, method, context);
            }
        }
    }

    private static ContextType? ConstructedFrom(INamedTypeSymbol type, IReadOnlyList<ContextType> contexts)
        => type.InstanceConstructors
            .Where(constructor => constructor.DeclaredAccessibility is Accessibility.Public or Accessibility.Internal)
            .Select(constructor => constructor.Parameters.Where(parameter => !Supplies.Has(parameter)).ToArray())
            .Select(asked => asked is [var only] ? ContextOf(Supplies.Made(only.Type), contexts) : null)
            .FirstOrDefault(context => context is not null);

    /// <summary>The context a parameter of this type takes: its class, its base class, or an interface of it.</summary>
    private static ContextType? ContextOf(ITypeSymbol type, IReadOnlyList<ContextType> contexts)
    {
        var exact = contexts.FirstOrDefault(context => SymbolEqualityComparer.Default.Equals(context.Symbol, type));
        if (exact is not null || type.SpecialType == SpecialType.System_Object)
        {
            return exact;
        }

        var isOurs = type.Locations.Any(location => location.IsInSource) || type.Name == "DbContext";
        var fitting = contexts.Where(context => isOurs
            && (context.Symbol.BaseTypes().Contains(type, SymbolEqualityComparer.Default)
                || context.Symbol.AllInterfaces.Contains(type, SymbolEqualityComparer.Default))).ToArray();
        return fitting is [var only] ? only : null;
    }

    /// <summary>Methods a caller of the class has, those of its base classes in the sources included.</summary>
    private static IEnumerable<IMethodSymbol> Methods(INamedTypeSymbol type)
        => type.BaseTypes()
            .TakeWhile(owner => owner.Locations.Any(location => location.IsInSource))
            .SelectMany(owner => owner.GetMembers().OfType<IMethodSymbol>())
            .Where(method => method is
            {
                MethodKind: MethodKind.Ordinary, DeclaredAccessibility: Accessibility.Public, IsImplicitlyDeclared: false,
                IsGenericMethod: false, IsAbstract: false,
            })
            .Where(method => !OverridesForeign(method) && method.Name is not ("Dispose" or "DisposeAsync")
                && method.Parameters.All(parameter => parameter.RefKind == RefKind.None))
            .DistinctBy(method => $"{method.Name}({string.Join(',', method.Parameters.Select(p => p.Type.ToDisplayString()))})");

    private static bool OverridesForeign(IMethodSymbol method)
        => method.OverriddenMethod is { } overridden
            && (overridden.Locations.All(location => !location.IsInSource) || OverridesForeign(overridden));

    private static bool IsReachable(INamedTypeSymbol type)
        => type.DeclaredAccessibility is Accessibility.Public or Accessibility.Internal
            && (type.ContainingType is null || IsReachable(type.ContainingType));

    private static JsonObject ToJson(IParameterSymbol parameter) => new()
    {
        ["name"] = parameter.Name,
        ["type"] = parameter.Type.ToDisplayString(TypeText),
        ["nullable"] = parameter.NullableAnnotation == NullableAnnotation.Annotated,
        ["optional"] = IsOptional(parameter),
    };

    private static bool IsOptional(IParameterSymbol parameter)
        => parameter.IsOptional || parameter.IsParams || parameter.Type.Name == nameof(CancellationToken);

    private IEnumerable<IParameterSymbol> Arguments() => IsStatic ? _method.Parameters.Skip(1) : _method.Parameters;
}

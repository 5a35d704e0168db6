using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Uom.Worker;

/// <summary>What a constructor may ask for beside the context: silent loggers and the system's clock.</summary>
internal static class Supplies
{
    public static bool Has(IParameterSymbol parameter)
        => parameter.IsOptional || parameter.Type.ContainingNamespace?.ToDisplayString() switch
        {
            "Microsoft.Extensions.Logging" => parameter.Type.Name is nameof(ILogger) or nameof(ILoggerFactory),
            "System" => parameter.Type.Name == nameof(TimeProvider),
            _ => false,
        };

    /// <summary>The context type that an <c>IDbContextFactory</c> makes; the type itself for anything else.</summary>
    public static ITypeSymbol Made(ITypeSymbol type)
        => type is INamedTypeSymbol { Name: "IDbContextFactory", TypeArguments: [var made] } ? made : type;

    /// <summary>Construct an object of the user, its context being the one given.</summary>
    public static object Construct(Type type, DbContext context)
    {
        foreach (var constructor in type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            var parameters = constructor.GetParameters();
            if (parameters.Count(parameter => IsContext(parameter, context)) == 1
                && parameters.All(parameter => IsContext(parameter, context) || parameter.HasDefaultValue || Supplied(parameter) is not null))
            {
                return constructor.Invoke([.. parameters.Select(parameter => IsContext(parameter, context)
                    ? Context(parameter.ParameterType, context)
                    : Supplied(parameter) ?? parameter.DefaultValue)]);
            }
        }

        throw new JobException("run", $"no constructor of {type.FullName} takes the context alone");
    }

    private static bool IsContext(ParameterInfo parameter, DbContext context)
        => !parameter.HasDefaultValue
            && (parameter.ParameterType.IsInstanceOfType(context) && parameter.ParameterType != typeof(object)
                || FactoryOf(parameter.ParameterType)?.IsInstanceOfType(context) == true);

    private static object Context(Type asked, DbContext context)
        => FactoryOf(asked) is { } made ? Activator.CreateInstance(typeof(ContextFactory<>).MakeGenericType(made))! : context;

    private static Type? FactoryOf(Type type)
        => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IDbContextFactory<>) ? type.GetGenericArguments()[0] : null;

    private static object? Supplied(ParameterInfo parameter) => parameter.ParameterType switch
    {
        var type when type == typeof(ILogger) => NullLogger.Instance,
        var type when type == typeof(ILoggerFactory) => NullLoggerFactory.Instance,
        var type when type == typeof(TimeProvider) => TimeProvider.System,
        { IsGenericType: true } type when type.GetGenericTypeDefinition() == typeof(ILogger<>) =>
            Activator.CreateInstance(typeof(NullLogger<>).MakeGenericType(type.GetGenericArguments())),
        _ => null,
    };

    private sealed class ContextFactory<TContext> : IDbContextFactory<TContext>
        where TContext : DbContext
    {
        public TContext CreateDbContext() => (TContext)Lending.Current!.NewContext();
    }
}

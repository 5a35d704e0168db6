using System.ComponentModel;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;

namespace Uom.Worker;

/// <summary>What the generated contexts call; public only because they are compiled into another assembly.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Lending
{
    internal static Session? Current { get; set; }

    private static Session Session
        => Current ?? throw new InvalidOperationException("a context was made outside a job");

    /// <summary>Options on our connection, for a constructor that takes them.</summary>
    public static DbContextOptions<TContext> Options<TContext>()
        where TContext : DbContext
    {
        var builder = new DbContextOptionsBuilder<TContext>();
        Session.Apply(builder);
        return builder.Options;
    }

    /// <summary>Let the user's <c>OnConfiguring</c> speak, and keep everything but the database it names.</summary>
    public static void Configure(DbContextOptionsBuilder builder, Action<DbContextOptionsBuilder> users)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(users);
        var asked = new DbContextOptionsBuilder(builder.Options);
        if (!asked.Options.Extensions.Any(extension => extension.Info.IsDatabaseProvider))
        {
            Session.Apply(asked);
        }

        try
        {
            users(asked);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Session.Note($"OnConfiguring of {Session.ContextName} failed and is left out: {error.Message}");
        }

        foreach (var extension in asked.Options.Extensions.Where(extension => !extension.Info.IsDatabaseProvider))
        {
            ((IDbContextOptionsBuilderInfrastructure)builder).AddOrUpdateExtension(extension);
        }

        Session.Connect(builder, asked.Options.Extensions.OfType<RelationalOptionsExtension>());
    }
}

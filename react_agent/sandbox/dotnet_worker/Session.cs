using System.Reflection;
using System.Runtime.ExceptionServices;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Query;

namespace Uom.Worker;

/// <summary>One context class of the user, opened on connections of ours and recorded.</summary>
internal sealed class Session : IDisposable
{
    private readonly List<string> _notes = [];
    private readonly SqliteConnection _own = OpenConnection();

    private IModel? _model;

    private Session(string contextName, Type type)
    {
        ContextName = contextName;
        ContextType = type;
        Connection = _own;
        Resume();
    }

    public string ContextName { get; }

    /// <summary>The class derived from the user's.</summary>
    public Type ContextType { get; }

    /// <summary>The database that the next context talks to.</summary>
    public SqliteConnection Connection { get; set; }

    /// <summary>The whole model; the one a context runs with leaves out what only migrations need.</summary>
    public IModel Model => _model ?? throw new InvalidOperationException("the session is not open yet");

    /// <summary>One for the process: to EF, other interceptors mean another set of services and another model.</summary>
    public static Recorder Recorder { get; } = new();

    public IReadOnlyList<string> Notes => _notes;

    /// <summary>What EF said while it built the model.</summary>
    public IReadOnlyList<string> ModelWarnings { get; private set; } = [];

    public static Session Open(string stage, ContextType context, Assembly assembly)
    {
        if (context.Obstacle is not null)
        {
            throw new JobException(stage, context.Obstacle);
        }

        var session = new Session(context.FullName, context.Lent(assembly));
        try
        {
            using var first = session.NewContext();
            _ = first.Model;
            session.ModelWarnings = Recorder.TakeWarnings();
            session._model = first.GetService<IDesignTimeModel>().Model;
            return session;
        }
        catch (Exception error)
        {
            session.Dispose();
            throw new JobException(stage, Blame.Of(Cause(error), context.FullName, assembly));
        }
    }

    /// <summary>Make the contexts made from now on this session's.</summary>
    public void Resume()
    {
        Lending.Current = this;
        Recorder.Clear();
    }

    public static SqliteConnection OpenConnection()
    {
        var connection = new SqliteConnection("Data Source=:memory:;Foreign Keys=True;Pooling=False");
        connection.Open();
        Defaults.Register(connection);
        return connection;
    }

    public DbContext NewContext()
    {
        try
        {
            return (DbContext)Activator.CreateInstance(ContextType, nonPublic: true)!;
        }
        catch (TargetInvocationException error)
        {
            // Thrown anew it would no longer tell whose code it came from.
            ExceptionDispatchInfo.Throw(Cause(error));
            throw;
        }
    }

    public void Apply(DbContextOptionsBuilder builder)
    {
        builder.AddInterceptors(Recorder);
        builder.ReplaceService<ICompiledQueryCacheKeyGenerator, ReadingKeys>();
        Connect(builder, []);
    }

    /// <summary>Name our database, with the query settings that the user's own provider call asked for.</summary>
    public void Connect(DbContextOptionsBuilder builder, IEnumerable<RelationalOptionsExtension> asked)
    {
        builder.UseSqlite(Connection, sqlite =>
        {
            foreach (var settings in asked)
            {
                sqlite.UseRelationalNulls(settings.UseRelationalNulls);
                if (settings.QuerySplittingBehavior is { } splitting)
                {
                    sqlite.UseQuerySplittingBehavior(splitting);
                }
            }
        });
        // A context for each call is more contexts than an application has, and not the user's fault.
        builder.ConfigureWarnings(warnings => warnings.Ignore(CoreEventId.ManyServiceProvidersCreatedWarning));
        builder.LogTo((_, level) => level >= Microsoft.Extensions.Logging.LogLevel.Warning, Recorder.Hear);
    }

    public void Note(string note)
    {
        if (!_notes.Contains(note))
        {
            _notes.Add(note);
        }
    }

    public void Dispose()
    {
        Lending.Current = null;
        _own.Dispose();
    }

    private static Exception Cause(Exception error)
        => error is TargetInvocationException { InnerException: { } inner } ? Cause(inner) : error;
}

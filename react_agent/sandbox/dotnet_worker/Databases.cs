using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Uom.Worker;

/// <summary>A filled database for each instance, and the copies that calls work on.</summary>
/// <remarks>The schema is made once and each instance loaded once; a call that wrote gets its successor a new copy.</remarks>
internal sealed class Databases : IDisposable
{
    private readonly Session _session;
    private readonly Dictionary<string, JsonObject> _instances = [];
    private readonly Dictionary<string, SqliteConnection> _filled = [];
    private readonly Dictionary<string, SqliteConnection> _lent = [];
    private SqliteConnection? _schema;

    public Databases(Session session, JsonArray instances)
    {
        _session = session;
        foreach (var instance in instances.OfType<JsonObject>())
        {
            if (!_instances.TryAdd(instance.Text("id"), instance.Members("tables")))
            {
                throw new JobException("run", $"two instances have the id \"{instance.Text("id")}\"");
            }
        }
    }

    public static SqliteConnection Copy(SqliteConnection original)
    {
        var copy = Session.OpenConnection();
        original.BackupDatabase(copy);
        return copy;
    }

    /// <summary>The instance's database as loaded: no call has changed it.</summary>
    public SqliteConnection Lend(string instance)
    {
        if (!_lent.TryGetValue(instance, out var lent))
        {
            _lent[instance] = lent = Copy(Filled(instance));
        }

        return lent;
    }

    /// <summary>Throw a changed database away.</summary>
    public void Discard(string instance)
    {
        if (_lent.Remove(instance, out var spoiled))
        {
            spoiled.Dispose();
        }
    }

    public void Dispose()
    {
        foreach (var connection in _filled.Values.Concat(_lent.Values))
        {
            connection.Dispose();
        }

        _schema?.Dispose();
    }

    private SqliteConnection Filled(string instance)
    {
        if (_filled.TryGetValue(instance, out var filled))
        {
            return filled;
        }

        var tables = _instances.GetValueOrDefault(instance)
            ?? throw new JobException("run", $"no instance has the id \"{instance}\"");
        _schema ??= Schema();
        var connection = Copy(_schema);
        new Loader(_session.Model, connection, instance).Load(tables);
        return _filled[instance] = connection;
    }

    private SqliteConnection Schema()
    {
        var connection = Session.OpenConnection();
        _session.Connection = connection;
        using var context = _session.NewContext();
        try
        {
            context.Database.EnsureCreated();
        }
        catch (Exception error) when (error is SqliteException or InvalidOperationException or NotSupportedException)
        {
            throw new JobException("run", $"SQLite cannot hold the schema of {_session.ContextName}: {error.Message}");
        }

        Tables.Empty(_session.Model, connection);
        return connection;
    }
}

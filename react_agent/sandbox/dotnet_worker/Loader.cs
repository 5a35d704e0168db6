using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>Puts an instance's rows into their tables, in the order given.</summary>
/// <remarks>Rows are stored past EF's change tracker: a row may hold what the classes alone could never have written.</remarks>
internal sealed class Loader(IModel model, SqliteConnection connection, string instance)
{
    private readonly Dictionary<string, ITableBase> _tables = Tables.All(model).ToDictionary(table => table.Name);

    public void Load(JsonObject tables)
    {
        // A pragma inside a transaction has no effect, and a row may come before the one it refers to.
        Tables.Execute(connection, "PRAGMA foreign_keys = 0");
        using (var transaction = connection.BeginTransaction())
        {
            foreach (var (name, rows) in tables)
            {
                Load(name, rows as JsonArray ?? throw Refused(name, "expected a list of rows"), transaction);
            }

            transaction.Commit();
        }

        CheckForeignKeys();
        Tables.Execute(connection, "PRAGMA foreign_keys = 1");
    }

    private void Load(string name, JsonArray rows, SqliteTransaction transaction)
    {
        var table = _tables.GetValueOrDefault(name)
            ?? throw Refused(name, $"no such table; the model has {string.Join(", ", _tables.Keys.Order(StringComparer.Ordinal))}");
        for (var at = 0; at < rows.Count; at++)
        {
            var where = $"{name}[{at}]";
            try
            {
                Insert(table, rows[at] as JsonObject ?? throw Refused(where, "expected {column: cell}"), where, transaction);
            }
            catch (SqliteException error)
            {
                throw Refused(where, error.Message);
            }
        }
    }

    private void Insert(ITableBase table, JsonObject row, string where, SqliteTransaction transaction)
    {
        using var command = connection.CreateCommand();
        command.Transaction = transaction;
        var names = new List<string>();
        foreach (var (name, cell) in row)
        {
            var column = table.FindColumn(name)
                ?? throw Refused(where, $"no column \"{name}\"; there: {string.Join(", ", table.Columns.Select(column => column.Name))}");
            if (column is IColumn { ComputedColumnSql: not null })
            {
                continue;
            }

            command.Parameters.Add(Parameter(column, command, $"@p{names.Count}", cell, $"{where}.{name}"));
            names.Add(Tables.Quote(name));
        }

        command.CommandText = names.Count == 0
            ? $"INSERT INTO {Tables.Quote(table.Name)} DEFAULT VALUES"
            : $"INSERT INTO {Tables.Quote(table.Name)} ({string.Join(", ", names)}) "
                + $"VALUES ({string.Join(", ", names.Select((_, at) => $"@p{at}"))})";
        command.ExecuteNonQuery();
    }

    private System.Data.Common.DbParameter Parameter(IColumnBase column, SqliteCommand command, string name, JsonNode? cell, string where)
    {
        try
        {
            return Column.Parameter(column, command, name, cell);
        }
        catch (Exception error) when (error is FormatException or JobException or InvalidCastException)
        {
            throw Refused(where, error.Message);
        }
    }

    private void CheckForeignKeys()
    {
        using var command = connection.CreateCommand();
        command.CommandText = "PRAGMA foreign_key_check";
        using var reader = command.ExecuteReader();
        if (reader.Read())
        {
            var row = reader.IsDBNull(1) ? "a row" : $"the row with rowid {reader.GetInt64(1)}";
            throw Refused(reader.GetString(0), $"{row} refers to a row of {reader.GetString(2)} that does not exist");
        }
    }

    private JobException Refused(string where, string message) => new("load", $"instance {instance}: {where}: {message}");
}

using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Storage;

namespace Uom.Worker;

/// <summary>The tables of a model, and the views that stand in for them.</summary>
internal static class Tables
{
    /// <summary>Everything that can hold rows, by name; EF creates no views, so each is a table here.</summary>
    public static IEnumerable<ITableBase> All(IModel model)
    {
        var relational = model.GetRelationalModel();
        return relational.Tables.Where(table => !table.IsExcludedFromMigrations).Concat<ITableBase>(
            relational.Tables.Where(table => table.IsExcludedFromMigrations))
            .Concat(relational.Views)
            .DistinctBy(table => table.Name, StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>Make what EF left out, and remove the rows that the model itself brought (<c>HasData</c>, seeding).</summary>
    public static void Empty(IModel model, SqliteConnection connection)
    {
        Execute(connection, "PRAGMA foreign_keys = 0");
        foreach (var table in All(model))
        {
            Execute(connection, $"CREATE TABLE IF NOT EXISTS {Quote(table.Name)} ({string.Join(", ", table.Columns.Select(Definition))})");
            Execute(connection, $"DELETE FROM {Quote(table.Name)}");
        }

        if (Scalar(connection, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_sequence'") is > 0L)
        {
            Execute(connection, "DELETE FROM sqlite_sequence");
        }

        Execute(connection, "PRAGMA foreign_keys = 1");
    }

    /// <summary>All rows of all tables, columns in name order, rows by primary key.</summary>
    public static JsonObject State(IModel model, SqliteConnection connection)
    {
        var state = new JsonObject();
        foreach (var table in model.GetRelationalModel().Tables.OrderBy(table => table.Name, StringComparer.Ordinal))
        {
            state[table.Name] = Rows(table, connection);
        }

        return state;
    }

    public static string Quote(string name) => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    public static void Execute(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    public static object? Scalar(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }

    private static string Definition(IColumnBase column) => $"{Quote(column.Name)} {column.StoreType}";

    private static JsonArray Rows(ITable table, SqliteConnection connection)
    {
        var columns = table.Columns.OrderBy(column => column.Name, StringComparer.Ordinal).ToArray();
        var order = table.PrimaryKey?.Columns.Select(column => Quote(column.Name)).ToArray() ?? ["rowid"];
        using var command = connection.CreateCommand();
        command.CommandText = $"SELECT {string.Join(", ", columns.Select(column => Quote(column.Name)))} "
            + $"FROM {Quote(table.Name)} ORDER BY {string.Join(", ", order)}";
        using var reader = command.ExecuteReader();
        var rows = new JsonArray();
        while (reader.Read())
        {
            var row = new JsonObject();
            for (var at = 0; at < columns.Length; at++)
            {
                row[columns[at].Name] = Column.Read(columns[at], reader, at);
            }

            rows.Add(row);
        }

        return rows;
    }
}

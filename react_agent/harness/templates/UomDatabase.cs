namespace UomProof;

using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Globalization;
using System.Linq;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Storage;

/// <summary>A database of SQLite in memory with the rows of instance "{{instance}}".</summary>
internal static class UomDatabase
{
    private static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

    private static readonly Row[] Rows =
    [
{{rows}}
    ];

    /// <summary>The database that the next context talks to.</summary>
    internal static SqliteConnection Connection { get; private set; } = new();

    public static {{context}} Open()
    {
        Connection = new SqliteConnection("Data Source=:memory:;Pooling=False");
        Connection.Open();
        AddFunctions();
        using (var context = {{construction}})
        {
            context.Database.EnsureCreated();
            var model = context.GetService<IDesignTimeModel>().Model.GetRelationalModel();
            Fill(model.Tables.Concat<ITableBase>(model.Views).DistinctBy(table => table.Name).ToDictionary(table => table.Name));
        }

        return {{construction}};
    }

    public static DbContextOptions<TContext> Options<TContext>()
        where TContext : DbContext
        => new DbContextOptionsBuilder<TContext>().UseSqlite(Connection).Options;

    /// <summary>Functions of other databases that defaults of columns may call.</summary>
    private static void AddFunctions()
    {
        foreach (var name in (string[])["getdate", "getutcdate", "sysdatetime", "sysutcdatetime", "now"])
        {
            Connection.CreateFunction(name, () => DateTime.UtcNow.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", Invariant));
        }

        foreach (var name in (string[])["newid", "newsequentialid", "gen_random_uuid", "uuid_generate_v4"])
        {
            Connection.CreateFunction(name, () => Guid.NewGuid().ToString().ToUpperInvariant());
        }
    }

    /// <summary>Put these rows, and no others, in the place of what the model itself seeds.</summary>
    private static void Fill(Dictionary<string, ITableBase> tables)
    {
        Execute("PRAGMA foreign_keys = 0");
        foreach (var table in tables.Values)
        {
            Execute($"CREATE TABLE IF NOT EXISTS {Quoted(table.Name)} ({string.Join(", ", table.Columns.Select(column => $"{Quoted(column.Name)} {column.StoreType}"))})");
            Execute($"DELETE FROM {Quoted(table.Name)}");
        }

        foreach (var row in Rows)
        {
            Insert(row, tables[row.Table]);
        }

        Execute("PRAGMA foreign_keys = 1");
    }

    private static void Insert(Row row, ITableBase table)
    {
        using var command = Connection.CreateCommand();
        var values = row.Values.Where(value => table.FindColumn(value.Column) is not IColumn { ComputedColumnSql: not null }).ToArray();
        for (var at = 0; at < values.Length; at++)
        {
            command.Parameters.Add(Parameter(table.FindColumn(values[at].Column)!, command, $"@p{at}", values[at].Value));
        }

        command.CommandText = values.Length == 0
            ? $"INSERT INTO {Quoted(row.Table)} DEFAULT VALUES"
            : $"INSERT INTO {Quoted(row.Table)} ({string.Join(", ", values.Select(value => Quoted(value.Column)))}) VALUES ({string.Join(", ", values.Select((_, at) => $"@p{at}"))})";
        command.ExecuteNonQuery();
    }

    /// <summary>Store a value as EF Core itself does; a JSON document is stored as its text.</summary>
    private static DbParameter Parameter(IColumnBase column, SqliteCommand command, string name, object? value)
        => column.PropertyMappings is [var mapped, ..]
            ? mapped.TypeMapping.CreateParameter(command, name, Fit(value, mapped.TypeMapping), nullable: true)
            : new SqliteParameter(name, value ?? DBNull.Value);

    private static object? Fit(object? value, RelationalTypeMapping mapping)
    {
        var type = Nullable.GetUnderlyingType(mapping.ClrType) ?? mapping.ClrType;
        return value switch
        {
            null => null,
            _ when type.IsInstanceOfType(value) => value,
            _ when type.IsEnum => value is string name ? Enum.Parse(type, name) : Enum.ToObject(type, value),
            _ when mapping.Converter is { } converter => converter.ConvertFromProvider(Changed(value, converter.ProviderClrType)),
            _ => Changed(value, type),
        };
    }

    private static object Changed(object value, Type type)
        => type.IsInstanceOfType(value) ? value : Convert.ChangeType(value, Nullable.GetUnderlyingType(type) ?? type, Invariant);

    private static void Execute(string sql)
    {
        using var command = Connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    private static string Quoted(string name) => $"\"{name.Replace("\"", "\"\"")}\"";

    private sealed record Row(string Table, params (string Column, object? Value)[] Values);
}
{{derived}}

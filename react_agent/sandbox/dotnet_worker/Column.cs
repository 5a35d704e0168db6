using System.Data.Common;
using System.Globalization;
using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.EntityFrameworkCore.Storage.ValueConversion;

namespace Uom.Worker;

/// <summary>One column's values: a cell of the model's type on our side, EF's own type mapping on the database's.</summary>
internal static class Column
{
    /// <summary>Make the parameter that stores a cell.</summary>
    public static DbParameter Parameter(IColumnBase column, SqliteCommand command, string name, JsonNode? cell)
    {
        if (Mapping(column) is not { } mapping)
        {
            // A JSON document: EF keeps the text as it is.
            var text = Values.Of(cell, typeof(string));
            return new SqliteParameter(name, text ?? DBNull.Value);
        }

        return mapping.CreateParameter(command, name, Model(cell, mapping.ClrType, mapping.Converter), nullable: true);
    }

    public static JsonObject Read(IColumnBase column, DbDataReader reader, int at)
    {
        if (reader.IsDBNull(at))
        {
            return Cells.Null;
        }

        if (Mapping(column) is not { } mapping)
        {
            return Cells.Text("json", reader.GetString(at));
        }

        var provider = Stored(mapping, reader, at);
        if (mapping.Converter is not { } converter)
        {
            return Results.OfPlain(provider);
        }

        var cell = Results.OfPlain(converter.ConvertFromProvider(provider));
        if (cell["t"]!.ToString() != "null")
        {
            cell["stored"] = Text(provider);
        }

        return cell;
    }

    /// <summary>A value of the model; a cell of the stored type is taken through the converter.</summary>
    private static object? Model(JsonNode? cell, Type type, ValueConverter? converter)
    {
        if (cell?["t"]?.ToString() == "null")
        {
            return null;
        }

        try
        {
            return Values.Of(cell, type);
        }
        catch (FormatException) when (converter is not null && !type.IsEnum)
        {
            return converter.ConvertFromProvider(Values.Of(cell, converter.ProviderClrType));
        }
    }

    private static object Stored(RelationalTypeMapping mapping, DbDataReader reader, int at)
    {
        var type = mapping.Converter?.ProviderClrType ?? mapping.ClrType;
        return mapping.GetDataReaderMethod().Invoke(reader, [at]) is { } read && type.IsInstanceOfType(read)
            ? read
            : reader.GetValue(at);
    }

    private static RelationalTypeMapping? Mapping(IColumnBase column)
        => column.PropertyMappings is [var first, ..] ? first.TypeMapping : null;

    private static string Text(object stored) => stored switch
    {
        byte[] bytes => Convert.ToBase64String(bytes),
        bool flag => flag ? "1" : "0",
        IFormattable value => value.ToString(null, CultureInfo.InvariantCulture),
        _ => stored.ToString() ?? "",
    };
}

using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>A cell as a .NET value of a wanted type: what arguments and rows are made of.</summary>
internal static class Values
{
    private static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

    /// <exception cref="FormatException">The cell does not fit the type; the message says both.</exception>
    public static object? Of(JsonNode? node, Type type)
    {
        var cell = node as JsonObject ?? throw new FormatException($"expected a cell, got {node?.ToJsonString() ?? "nothing"}");
        var target = Nullable.GetUnderlyingType(type) ?? type;
        if (cell["t"]?.ToString() == "null")
        {
            return !type.IsValueType || target != type
                ? null
                : throw new FormatException($"null does not fit {Cells.NameOf(type)}");
        }

        try
        {
            return cell["t"]?.ToString() switch
            {
                "list" => OfList(cell.Items("v"), target),
                "object" => OfObject(cell.Members("f"), target),
                _ => OfText(cell, target),
            };
        }
        catch (Exception error) when (error is FormatException or ArgumentException or OverflowException or InvalidCastException)
        {
            throw new FormatException($"{cell.ToJsonString(Json.Options)} does not fit {Cells.NameOf(type)}: {error.Message}");
        }
    }

    private static object OfText(JsonObject cell, Type type)
    {
        var text = cell.Text("v");
        if (type == typeof(object))
        {
            return OfText(cell, Natural(cell.Text("t")));
        }

        if (type.IsEnum)
        {
            var named = cell["t"]?.ToString() == "enum" || text is ['-' or (>= '0' and <= '9'), ..] ? text : cell["name"]?.ToString() ?? text;
            return Enum.Parse(type, named);
        }

        if (type == typeof(byte[]))
        {
            return Convert.FromBase64String(text);
        }

        return OfTime(cell, type, text) ?? OfSimple(type, text);
    }

    private static object OfSimple(Type type, string text) => type switch
    {
        _ when type == typeof(string) => text,
        _ when type == typeof(Guid) => Guid.Parse(text),
        _ when type == typeof(Uri) => new Uri(text, UriKind.RelativeOrAbsolute),
        _ when type == typeof(float) => float.Parse(text, Invariant),
        _ when type == typeof(double) => double.Parse(text, Invariant),
        _ when type == typeof(decimal) => decimal.Parse(text, NumberStyles.Float, Invariant),
        _ when type == typeof(System.Text.Json.JsonDocument) => System.Text.Json.JsonDocument.Parse(text),
        _ when type == typeof(System.Text.Json.JsonElement) => System.Text.Json.JsonDocument.Parse(text).RootElement,
        { IsPrimitive: true } => Convert.ChangeType(text, type, Invariant),
        _ => throw new FormatException("no such scalar type"),
    };

    private static object? OfTime(JsonObject cell, Type type, string text) => type switch
    {
        _ when type == typeof(DateTime) => DateTime.SpecifyKind(
            DateTime.Parse(text, Invariant, DateTimeStyles.RoundtripKind),
            Enum.TryParse<DateTimeKind>(cell["kind"]?.ToString(), out var kind) ? kind : DateTimeKind.Unspecified),
        _ when type == typeof(DateTimeOffset) => DateTimeOffset.Parse(text, Invariant),
        _ when type == typeof(DateOnly) => DateOnly.FromDateTime(DateTime.Parse(text, Invariant, DateTimeStyles.RoundtripKind)),
        _ when type == typeof(TimeOnly) => TimeOnly.Parse(text, Invariant),
        _ when type == typeof(TimeSpan) => TimeSpan.Parse(text, Invariant),
        _ => null,
    };

    private static object OfList(JsonArray items, Type type)
    {
        var element = ElementOf(type) ?? throw new FormatException("it is no list");
        var array = Array.CreateInstance(element, items.Count);
        for (var at = 0; at < items.Count; at++)
        {
            array.SetValue(Of(items[at], element), at);
        }

        if (type.IsInstanceOfType(array))
        {
            return array;
        }

        var concrete = new[] { type, typeof(List<>).MakeGenericType(element), typeof(HashSet<>).MakeGenericType(element) }
            .First(candidate => type.IsAssignableFrom(candidate) && candidate is { IsAbstract: false, IsInterface: false });
        return Activator.CreateInstance(concrete, array)!;
    }

    private static Type? ElementOf(Type type)
        => type.IsArray ? type.GetElementType()
            : type.GetInterfaces().Prepend(type)
                .FirstOrDefault(face => face.IsGenericType && face.GetGenericTypeDefinition() == typeof(IEnumerable<>))
                ?.GetGenericArguments()[0]
            ?? (type == typeof(IEnumerable) ? typeof(object) : null);

    /// <summary>Make an object by the constructor that takes most of the given members, then set the others.</summary>
    private static object OfObject(JsonObject members, Type type)
    {
        var given = members.ToDictionary(pair => pair.Key, pair => pair.Value, StringComparer.OrdinalIgnoreCase);
        var constructor = type.GetConstructors()
            .Where(candidate => candidate.GetParameters().All(p => given.ContainsKey(p.Name!) || p.HasDefaultValue))
            .MaxBy(candidate => candidate.GetParameters().Length);
        if (constructor is null && !type.IsValueType)
        {
            throw new FormatException("no public constructor takes these members");
        }

        var parameters = constructor?.GetParameters() ?? [];
        var made = constructor?.Invoke([.. parameters.Select(p => given.TryGetValue(p.Name!, out var cell) ? Of(cell, p.ParameterType) : p.DefaultValue)])
            ?? Activator.CreateInstance(type)!;
        var taken = parameters.Select(p => p.Name!).ToHashSet(StringComparer.OrdinalIgnoreCase);
        foreach (var (name, cell) in given.Where(pair => !taken.Contains(pair.Key)))
        {
            var property = type.GetProperty(name, BindingFlags.Instance | BindingFlags.Public | BindingFlags.IgnoreCase);
            if (property?.SetMethod is null)
            {
                throw new FormatException($"{name} cannot be set");
            }

            property.SetValue(made, Of(cell, property.PropertyType));
        }

        return made;
    }

    private static Type Natural(string cellType) => cellType switch
    {
        "bool" => typeof(bool),
        "byte" => typeof(byte),
        "sbyte" => typeof(sbyte),
        "short" => typeof(short),
        "ushort" => typeof(ushort),
        "int" => typeof(int),
        "uint" => typeof(uint),
        "long" => typeof(long),
        "ulong" => typeof(ulong),
        "char" => typeof(char),
        "float" => typeof(float),
        "double" => typeof(double),
        "decimal" => typeof(decimal),
        "guid" => typeof(Guid),
        "datetime" => typeof(DateTime),
        "datetimeoffset" => typeof(DateTimeOffset),
        "date" => typeof(DateOnly),
        "time" => typeof(TimeOnly),
        "timespan" => typeof(TimeSpan),
        "bytes" => typeof(byte[]),
        "string" => typeof(string),
        _ => throw new FormatException($"a cell of type {cellType} needs a more precise type than object"),
    };
}

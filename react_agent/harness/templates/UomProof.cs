namespace UomProof;

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Threading.Tasks;

/// <summary>Calls the entries as they are and prints what each returned, one line of JSON a call.</summary>
internal static class Program
{
{{members}}

    private static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

    private static readonly JsonSerializerOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static async Task Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
{{calls}}
    }

    /// <summary>Make one call on a fresh database; rows that no order is asked for are printed sorted by their text.</summary>
    private static async Task Show(string call, bool sorted, Member[] members, Func<{{context}}, Task<object?>> run)
    {
        string outcome;
        try
        {
            await using var db = UomDatabase.Open();
            outcome = $"\"value\":{Text(await run(db), members, sorted)}";
        }
        catch (Exception error)
        {
            await Console.Error.WriteLineAsync($"{call}: {error.GetType().FullName}: {error.Message}");
            outcome = $"\"throws\":{Quoted(Kind(error))}";
        }

        Console.WriteLine($"{{\"call\":{Quoted(call)},{outcome}}}");
    }

    private static async Task<object?> Read<T>(IAsyncEnumerable<T> source)
    {
        var items = new List<T>();
        await foreach (var item in source)
        {
            items.Add(item);
        }

        return items;
    }

    private static string Kind(Exception error) => error switch
    {
        KeyNotFoundException => "not_found",
        InvalidOperationException { Message: var text } when text.StartsWith("Sequence contains no ", StringComparison.Ordinal) => "not_found",
        InvalidOperationException { Message: var text } when text.StartsWith("Sequence contains more than one ", StringComparison.Ordinal) => "too_many",
        _ => "error",
    };

    private static string Text(object? value, Member[] members, bool sorted = false) => value switch
    {
        null => "null",
        bool flag => flag ? "true" : "false",
        string or char or Enum or Guid => Quoted(value.ToString()!),
        Uri uri => Quoted(uri.OriginalString),
        byte[] bytes => Quoted(Convert.ToBase64String(bytes)),
        decimal number => (number / 1.0000000000000000000000000000m).ToString(Invariant),
        double or float => Plain(((IFormattable)value).ToString("R", Invariant)),
        DateTime or DateTimeOffset or DateOnly or TimeOnly or TimeSpan => Quoted(Moment(value)),
        IFormattable number => number.ToString(null, Invariant),
        IEnumerable items => $"[{string.Join(',', Ordered(items.Cast<object?>().Select(item => Text(item, members)), sorted))}]",
        _ => $"{{{string.Join(',', members.Select(member => $"{Quoted(member.Name)}:{Text(member.Of(value), member.Members)}"))}}}",
    };

    private static IEnumerable<string> Ordered(IEnumerable<string> items, bool sorted)
        => sorted ? items.Order(StringComparer.Ordinal) : items;

    /// <summary>Milliseconds are what a document keeps of a moment, and the moment is all it keeps of an offset.</summary>
    private static string Moment(object value) => value switch
    {
        DateTimeOffset time => time.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss.fff", Invariant),
        DateTime time => time.ToString("yyyy-MM-ddTHH:mm:ss.fff", Invariant),
        DateOnly date => date.ToString("yyyy-MM-dd", Invariant),
        TimeOnly time => time.ToString("HH:mm:ss.fff", Invariant),
        _ => ((TimeSpan)value).ToString("c", Invariant),
    };

    /// <summary>Write a double's shortest text without an exponent.</summary>
    private static string Plain(string text)
    {
        if (text is "-0")
        {
            return "0";
        }

        if (!char.IsDigit(text[^1]))
        {
            return Quoted(text);
        }

        if (text.Split('E') is not [var mantissa, var exponent])
        {
            return text;
        }

        var sign = mantissa.StartsWith('-') ? "-" : "";
        var figures = mantissa.TrimStart('-').Replace(".", "");
        var point = 1 + int.Parse(exponent, Invariant);
        return point > 0 ? sign + figures.PadRight(point, '0') : $"{sign}0.{new string('0', -point)}{figures}";
    }

    private static string Quoted(string text) => JsonSerializer.Serialize(text, Readable);

    /// <summary>A member that is printed, with the members of what it holds.</summary>
    private sealed record Member(string Name, params Member[] Members)
    {
        private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        public object? Of(object value)
        {
            for (var type = value.GetType(); type is not null; type = type.BaseType)
            {
                if (type.GetProperty(Name, Any | BindingFlags.DeclaredOnly) is { GetMethod: not null } property)
                {
                    return property.GetValue(value);
                }

                if (type.GetField(Name, Any | BindingFlags.DeclaredOnly) is { } field)
                {
                    return field.GetValue(value);
                }
            }

            throw new MissingMemberException(value.GetType().FullName, Name);
        }
    }
}

using System.Collections;
using System.Reflection;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;

namespace Uom.Worker;

/// <summary>A method of the user with its arguments, ready to be called on a context.</summary>
internal sealed class Invocation
{
    private readonly Entry _entry;
    private readonly Type _class;
    private readonly MethodInfo _method;
    private readonly object?[] _arguments;

    private Invocation(Entry entry, Type owner, MethodInfo method, object?[] arguments)
    {
        _entry = entry;
        _class = owner;
        _method = method;
        _arguments = arguments;
    }

    public string MethodName => _method.Name;

    public static Invocation Of(UserProgram program, JsonObject call)
    {
        var given = Arguments(call);
        var entry = Find(program.Entries, call.Text("class"), call.Text("method"), given);
        var owner = program.Assembly.GetType(entry.MetadataClassName, throwOnError: true)!;
        var method = owner.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy)
            .First(candidate => candidate.Name == entry.MethodName && candidate.IsStatic == entry.IsStatic
                && candidate.GetParameters().Select(parameter => parameter.Name).SequenceEqual(entry.ParameterNames));
        var parameters = method.GetParameters().Skip(entry.IsStatic ? 1 : 0);
        return new Invocation(entry, owner, method, [.. parameters.Select(parameter => Argument(parameter, given, entry))]);
    }

    /// <summary>Call, await, and read the result to its end while the context is open.</summary>
    public object? Call(DbContext context)
    {
        var result = _method.IsStatic
            ? _method.Invoke(null, [context, .. _arguments])
            : _method.Invoke(Supplies.Construct(_class, context), _arguments);
        return Materialise(Await(result));
    }

    private static Dictionary<string, JsonNode?> Arguments(JsonObject call)
        => (call["args"] as JsonArray ?? []).OfType<JsonObject>().ToDictionary(argument => argument.Text("name"), argument => argument["value"]);

    private static Entry Find(IReadOnlyList<Entry> entries, string owner, string method, Dictionary<string, JsonNode?> given)
    {
        var named = entries.Where(entry => entry.MethodName == method && (entry.FullClassName == owner || entry.ClassName == owner)).ToArray();
        var fitting = named.Where(entry => Fits(entry, given)).ToArray();
        return (named, fitting) switch
        {
            (_, [var only]) => only,
            ([], _) => throw new JobException("run", $"no entry {owner}.{method}; there: {string.Join(", ", entries.Select(entry => $"{entry.FullClassName}.{entry.MethodName}"))}"),
            (_, []) => throw new JobException("run", $"no {owner}.{method} takes the arguments ({string.Join(", ", given.Keys)})"),
            _ => throw new JobException("run", $"{fitting.Length} entries are called {owner}.{method} and take ({string.Join(", ", given.Keys)})"),
        };
    }

    private static bool Fits(Entry entry, Dictionary<string, JsonNode?> given)
        => given.Keys.All(entry.ArgumentNames.Contains) && entry.RequiredArgumentNames.All(given.ContainsKey);

    private static object? Argument(ParameterInfo parameter, Dictionary<string, JsonNode?> given, Entry entry)
    {
        if (!given.TryGetValue(parameter.Name!, out var cell))
        {
            return parameter.HasDefaultValue && parameter.ParameterType != typeof(CancellationToken)
                ? Type.Missing
                : default(CancellationToken);
        }

        try
        {
            return Values.Of(cell, parameter.ParameterType);
        }
        catch (FormatException error)
        {
            throw new JobException("run", $"{entry.FullClassName}.{entry.MethodName}: argument {parameter.Name}: {error.Message}");
        }
    }

    private static object? Await(object? result)
    {
        switch (result)
        {
            case Task task:
                task.GetAwaiter().GetResult();
                return Result(task, task.GetType());
            case ValueTask task:
                task.AsTask().GetAwaiter().GetResult();
                return null;
            case not null when result.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(ValueTask<>):
                return Await(type.GetMethod(nameof(ValueTask<object>.AsTask))!.Invoke(result, null));
            default:
                return result;
        }
    }

    private static object? Result(Task task, Type type)
        => type.GetProperty("Result") is { } result && result.PropertyType.FullName != "System.Threading.Tasks.VoidTaskResult"
            ? result.GetValue(task)
            : null;

    private static object? Materialise(object? result) => result switch
    {
        null or string or byte[] or IDictionary or JsonNode => result,
        IEnumerable items => AsList(items),
        _ when AsyncElement(result) is { } element => typeof(Invocation)
            .GetMethod(nameof(Drain), BindingFlags.Static | BindingFlags.NonPublic)!
            .MakeGenericMethod(element)
            .Invoke(null, [result]),
        _ => result,
    };

    /// <summary>Read lazy results to their end; a collection, and an object that can be enumerated, stays what it is.</summary>
    private static object AsList(IEnumerable items)
        => items is ICollection || items.GetType().GetInterfaces().Any(face => face.IsGenericType && face.GetGenericTypeDefinition() == typeof(IGrouping<,>))
            ? items
            : items.Cast<object?>().ToList();

    private static Type? AsyncElement(object result)
        => result.GetType().GetInterfaces()
            .FirstOrDefault(face => face.IsGenericType && face.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>))
            ?.GetGenericArguments()[0];

    private static List<T> Drain<T>(IAsyncEnumerable<T> source)
    {
        return Read().GetAwaiter().GetResult();

        async Task<List<T>> Read()
        {
            var items = new List<T>();
            await foreach (var item in source.ConfigureAwait(false))
            {
                items.Add(item);
            }

            return items;
        }
    }
}

using System.Data.Common;
using System.Linq.Expressions;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Query;

namespace Uom.Worker;

/// <summary>Hears what EF Core does during a call: queries as it read them, commands as sent, warnings.</summary>
/// <remarks>
/// EF compiles a query once and warns then; every later run of the same query takes it from a cache. So readings come
/// from the cache's key generator, and the warnings of a compilation are kept beside its key and repeated.
/// </remarks>
internal sealed class Recorder : DbCommandInterceptor, IQueryExpressionInterceptor
{
    private readonly Dictionary<object, List<string>> _compileWarnings = [];
    private readonly List<JsonObject> _commands = [];
    private readonly List<string> _warnings = [];
    private readonly List<Expression> _queries = [];
    private List<string>? _compiling;

    public IReadOnlyList<Expression> Queries => _queries;

    public void Clear()
    {
        _commands.Clear();
        _warnings.Clear();
        _queries.Clear();
        _compiling = null;
    }

    public JsonArray TakeCommands() => _commands.Array(command => command.DeepClone());

    public IReadOnlyList<string> TakeWarnings()
    {
        string[] warnings = [.. _warnings];
        _warnings.Clear();
        return warnings;
    }

    /// <summary>Whether a command that was sent can have changed the database.</summary>
    public bool Wrote() => _commands.Any(command => Statement.Writes(command.Text("text")));

    /// <summary>A query is about to run, compiled before or not.</summary>
    public void Read(Expression query, object key)
    {
        _queries.Add(query);
        if (_compileWarnings.TryGetValue(key, out var repeated))
        {
            _warnings.AddRange(repeated);
            _compiling = null;
            return;
        }

        _compileWarnings[key] = _compiling = [];
    }

    /// <summary>A query compiled past the cache (<c>EF.CompileQuery</c>) is heard only here.</summary>
    public Expression QueryCompilationStarting(Expression queryExpression, QueryExpressionEventData eventData)
    {
        if (_queries.Count == 0 || !ReferenceEquals(_queries[^1], queryExpression))
        {
            _queries.Add(queryExpression);
        }

        return queryExpression;
    }

    public void Hear(EventData data)
    {
        var name = data.EventId.Name ?? data.EventIdCode;
        _warnings.Add(name);
        if (name.StartsWith("Microsoft.EntityFrameworkCore.Query.", StringComparison.Ordinal))
        {
            _compiling?.Add(name);
        }
    }

    public override InterceptionResult<DbDataReader> ReaderExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result)
        => Sent(command, result);

    public override ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result, CancellationToken cancellationToken = default)
        => ValueTask.FromResult(Sent(command, result));

    public override InterceptionResult<object> ScalarExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<object> result)
        => Sent(command, result);

    public override ValueTask<InterceptionResult<object>> ScalarExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<object> result, CancellationToken cancellationToken = default)
        => ValueTask.FromResult(Sent(command, result));

    public override InterceptionResult<int> NonQueryExecuting(
        DbCommand command, CommandEventData eventData, InterceptionResult<int> result)
        => Sent(command, result);

    public override ValueTask<InterceptionResult<int>> NonQueryExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<int> result, CancellationToken cancellationToken = default)
        => ValueTask.FromResult(Sent(command, result));

    private T Sent<T>(DbCommand command, T result)
    {
        _compiling = null;
        _commands.Add(new JsonObject
        {
            ["text"] = command.CommandText,
            ["parameters"] = command.Parameters.Cast<DbParameter>().Array(parameter => new JsonObject
            {
                ["name"] = parameter.ParameterName,
                ["value"] = Cells.OfScalar(parameter.Value) ?? Cells.Text("string", parameter.Value?.ToString() ?? ""),
            }),
        });
        return result;
    }
}

using System.Reflection;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>One job: sources compiled once, then described and run.</summary>
internal sealed class Job
{
    private readonly Dictionary<ContextType, Session> _sessions = [];
    private UserProgram? _program;

    public JsonObject Serve(JsonObject request, Progress progress)
    {
        var op = request["op"]?.ToString() ?? "";
        try
        {
            return op switch
            {
                "compile" => Compile(request),
                "describe" => Describe(request),
                "run" => Run(request, progress),
                _ => throw new JobException(op, $"unknown op \"{op}\"; known: compile, describe, run"),
            };
        }
        catch (Exception error) when (error is not JobException)
        {
            var cause = error is TargetInvocationException { InnerException: { } inner } ? inner : error;
            throw new JobException(op, $"{cause.GetType().FullName}: {cause.Message}");
        }
    }

    private JsonObject Compile(JsonObject request)
    {
        foreach (var session in _sessions.Values)
        {
            session.Dispose();
        }

        _sessions.Clear();
        _program = UserProgram.Compile(request);
        return _program.ToJson();
    }

    private JsonObject Describe(JsonObject request)
    {
        var session = Open("describe", request);
        return new JsonObject { ["model"] = new Description(session).ToJson(), ["notes"] = session.Notes.Array() };
    }

    private JsonObject Run(JsonObject request, Progress progress)
    {
        var session = Open("run", request);
        using var databases = new Databases(session, request.Items("instances"));
        var run = new Run(Compiled("run"), session, databases);
        return new JsonObject
        {
            ["envelopes"] = run.Envelopes(request.Items("calls"), progress),
            ["engine"] = Engine.Facts(),
            ["notes"] = session.Notes.Array(),
        };
    }

    private Session Open(string stage, JsonObject request)
    {
        var program = Compiled(stage);
        var context = program.Context(stage, request["context"]?.ToString());
        if (_sessions.TryGetValue(context, out var session))
        {
            session.Resume();
            return session;
        }

        return _sessions[context] = Session.Open(stage, context, program.Assembly);
    }

    private UserProgram Compiled(string stage)
        => _program ?? throw new JobException(stage, "nothing is compiled yet; send \"compile\" first");
}

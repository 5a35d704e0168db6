using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore.Query;

namespace Uom.Worker;

/// <summary>Makes the calls of a job, one after another, and writes an envelope for each.</summary>
internal sealed class Run(UserProgram program, Session session, Databases databases)
{
    public JsonArray Envelopes(JsonArray calls, Progress progress)
    {
        var envelopes = new JsonArray();
        foreach (var call in calls)
        {
            envelopes.Add(Envelope(call as JsonObject ?? throw new JobException("run", "\"calls\" must hold objects")));
            progress.Report(envelopes.Count, calls.Count);
        }

        return envelopes;
    }

    private JsonObject Envelope(JsonObject call)
    {
        var invocation = Invocation.Of(program, call);
        var instance = call.Text("instance");
        var database = session.Connection = databases.Lend(instance);
        var before = Tables.Scalar(database, "SELECT total_changes()");

        var envelope = new JsonObject
        {
            ["call"] = call["id"]?.DeepClone(),
            ["instance"] = instance,
            ["method"] = invocation.MethodName,
            ["args"] = call["args"]?.DeepClone() ?? new JsonArray(),
        };
        using var context = session.NewContext();
        Session.Recorder.Clear();
        Perform(invocation, context, envelope);
        AddRecord(envelope);

        var isOpen = database.State == System.Data.ConnectionState.Open;
        var changed = !isOpen || !Equals(before, Tables.Scalar(database, "SELECT total_changes()"));
        if (changed || Session.Recorder.Wrote())
        {
            if (isOpen)
            {
                context.Database.CurrentTransaction?.Dispose();
                envelope["state"] = Tables.State(session.Model, database);
            }

            databases.Discard(instance);
        }

        return envelope;
    }

    private void Perform(Invocation invocation, Microsoft.EntityFrameworkCore.DbContext context, JsonObject envelope)
    {
        try
        {
            var value = invocation.Call(context);
            var results = new Results(context, Includes.Of(Session.Recorder.Queries));
            Outcome.Write(envelope, value, results);
        }
        catch (Exception error) when (error is not JobException)
        {
            Outcome.WriteThrow(envelope, error);
        }
    }

    private void AddRecord(JsonObject envelope)
    {
        envelope["warnings"] = session.ModelWarnings.Concat(Session.Recorder.TakeWarnings()).Array();
        envelope["sql"] = Session.Recorder.TakeCommands();
        envelope["reading"] = Session.Recorder.Queries.Array(query => new JsonObject { ["tree"] = new ExpressionPrinter().PrintExpression(query) });
    }
}

using System.Data;
using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
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

        if (database.State != ConnectionState.Open)
        {
            databases.Discard(instance);
        }
        else if (!Equals(before, Tables.Scalar(database, "SELECT total_changes()")) | EndTransaction(database) | Session.Recorder.Wrote())
        {
            // From a copy: a connection whose transaction was ended for it takes no further command.
            using var settled = Databases.Copy(database);
            envelope["state"] = Tables.State(session.Model, settled);
            databases.Discard(instance);
        }

        return envelope;
    }

    private void Perform(Invocation invocation, DbContext context, JsonObject envelope)
    {
        try
        {
            var value = invocation.Call(context);
            var results = new Results(context, Includes.Of(Session.Recorder.Queries));
            // Before the result is looked at: a lazy navigation behind a getter would send commands of its own.
            AddRecord(envelope);
            Outcome.Write(envelope, value, results);
        }
        catch (Exception error) when (error is not JobException)
        {
            AddRecord(envelope);
            Outcome.WriteThrow(envelope, error);
        }
    }

    /// <summary>Roll back what the call left open, as the end of its connection would; says whether there was anything.</summary>
    private static bool EndTransaction(SqliteConnection database)
    {
        var isOpen = SQLitePCL.raw.sqlite3_get_autocommit(database.Handle) == 0;
        if (isOpen)
        {
            _ = SQLitePCL.raw.sqlite3_exec(database.Handle, "ROLLBACK");
        }

        return isOpen;
    }

    private void AddRecord(JsonObject envelope)
    {
        if (envelope.ContainsKey("sql"))
        {
            return;
        }

        envelope["warnings"] = session.ModelWarnings.Concat(Session.Recorder.TakeWarnings()).Array();
        envelope["sql"] = Session.Recorder.TakeCommands();
        envelope["reading"] = Session.Recorder.Queries.Array(query => new JsonObject { ["tree"] = new ExpressionPrinter().PrintExpression(query) });
    }
}

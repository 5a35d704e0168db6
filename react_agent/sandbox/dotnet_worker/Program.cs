using System.Globalization;
using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>Serves one job over two pipes: <c>uom-worker --in N --out N [--warm]</c>.</summary>
internal static class Program
{
    public static int Main(string[] args)
    {
        if (Descriptor(args, "--in") is not { } input || Descriptor(args, "--out") is not { } output)
        {
            Console.Error.WriteLine("usage: uom-worker --in FD --out FD [--warm]");
            return 2;
        }

        // The machine's own culture must not show in what user code formats; engine.culture says so.
        CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        CultureInfo.DefaultThreadCurrentUICulture = CultureInfo.CurrentUICulture = CultureInfo.InvariantCulture;

        using var frames = Frames.Open(input, output);
        if (args.Contains("--warm"))
        {
            Warmup.Run();
        }

        frames.Write(new JsonObject { ["ready"] = true, ["engine"] = Engine.Facts() });
        var job = new Job();
        while (frames.Read() is { } request)
        {
            Answer(frames, job, request);
        }

        return 0;
    }

    private static void Answer(Frames frames, Job job, JsonObject request)
    {
        var id = request["id"]?.DeepClone();
        var progress = new Progress((done, total) => frames.Write(new JsonObject
        {
            ["id"] = id?.DeepClone(),
            ["event"] = "progress",
            ["done"] = done,
            ["total"] = total,
        }));
        try
        {
            var result = job.Serve(request, progress);
            frames.Write(new JsonObject { ["id"] = id?.DeepClone(), ["ok"] = true, ["result"] = result });
        }
        catch (JobException refused)
        {
            frames.Write(new JsonObject { ["id"] = id, ["ok"] = false, ["error"] = refused.ToJson() });
        }
    }

    private static int? Descriptor(string[] args, string option)
    {
        var at = Array.IndexOf(args, option);
        return at >= 0 && at + 1 < args.Length && int.TryParse(args[at + 1], CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
    }
}

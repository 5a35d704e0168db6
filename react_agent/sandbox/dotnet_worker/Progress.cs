using System.Diagnostics;

namespace Uom.Worker;

/// <summary>Tells the host how far a run is, at most ten times a second.</summary>
internal sealed class Progress(Action<int, int> send)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    private long _last;

    public static Progress None { get; } = new((_, _) => { });

    public void Report(int done, int total)
    {
        if (_last != 0 && Stopwatch.GetElapsedTime(_last) < Pause && done < total)
        {
            return;
        }

        _last = Stopwatch.GetTimestamp();
        send(done, total);
    }
}

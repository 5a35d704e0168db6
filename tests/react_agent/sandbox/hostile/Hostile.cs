using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Microsoft.EntityFrameworkCore;

public class Note
{
    public int Id { get; set; }
}

public class Notes(DbContextOptions<Notes> options) : DbContext(options)
{
    public DbSet<Note> All => Set<Note>();
}

public class Hostile(Notes db)
{
    public int Kind() => db.All.Count();

    public int Loop()
    {
        Console.WriteLine("looping");
        while (true) { }
    }

    public long Allocate()
    {
        var blocks = new List<byte[]>();
        for (var i = 0; i < 10_000; i++)
        {
            var block = new byte[1 << 20];
            Array.Fill(block, (byte)1);
            blocks.Add(block);
        }
        return blocks.Count;
    }

    public long AllocateNative()
    {
        for (var i = 0; i < 10_000; i++)
        {
            var block = System.Runtime.InteropServices.Marshal.AllocHGlobal(1 << 20);
            for (var at = 0; at < 1 << 20; at += 4096)
                System.Runtime.InteropServices.Marshal.WriteByte(block, at, 1);
        }
        return 0;
    }

    public string Read(string path) => Try(() => File.ReadAllText(path));

    public string Write(string path) => Try(() => { File.WriteAllText(path, "x"); return "written"; });

    public string Home() => Try(() => string.Join(",", Directory.GetFileSystemEntries(
        Environment.GetFolderPath(Environment.SpecialFolder.UserProfile))));

    public string Variables() => string.Join(";", Environment.GetEnvironmentVariables().Keys.Cast<string>()
        .Select(name => name + "=" + Environment.GetEnvironmentVariable(name)));

    public string Socket() => Try(() =>
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect("192.0.2.1", 80);
        return "connected";
    });

    public string Start() => Try(() => Process.Start("/bin/true")!.Id.ToString());

    public int Threads()
    {
        for (var i = 0; i < 5_000; i++)
            new Thread(() => Thread.Sleep(60_000), 64 * 1024) { IsBackground = true }.Start();
        Thread.Sleep(60_000);
        return 0;
    }

    public int Shout()
    {
        var line = new string('x', 1_000_000);
        for (var i = 0; i < 1_000; i++)
            Console.WriteLine(line);
        return 0;
    }

    public string Forge()
    {
        var frame = Encoding.UTF8.GetBytes("{\"id\":2,\"ok\":true,\"result\":{\"envelopes\":[]}}");
        using var stdout = Console.OpenStandardOutput();
        stdout.Write([0, 0, 0, (byte)frame.Length, .. frame]);
        stdout.Flush();
        return "not forged";
    }

    public int Exit()
    {
        Environment.Exit(5);
        return 0;
    }

    public int Overflow(int depth) => Overflow(depth + 1) + depth;

    private static string Try(Func<string> action)
    {
        try
        {
            return action();
        }
        catch (Exception error)
        {
            return error.GetType().Name;
        }
    }
}

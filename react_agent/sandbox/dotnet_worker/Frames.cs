using System.Buffers.Binary;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.Win32.SafeHandles;

namespace Uom.Worker;

/// <summary>The host's two pipes: frames of a big-endian length and UTF-8 JSON.</summary>
/// <remarks>The descriptors are our own, so whatever user code prints cannot get between two frames.</remarks>
internal sealed class Frames(Stream input, Stream output) : IDisposable
{
    private const int Largest = 64 * 1024 * 1024;

    public static Frames Open(int inputDescriptor, int outputDescriptor)
        => new(Own(inputDescriptor, FileAccess.Read), Own(outputDescriptor, FileAccess.Write));

    /// <summary>The next request, or null when the host has closed its end.</summary>
    public JsonObject? Read()
    {
        Span<byte> header = stackalloc byte[4];
        if (!Fill(header))
        {
            return null;
        }

        var length = BinaryPrimitives.ReadUInt32BigEndian(header);
        if (length > Largest)
        {
            throw new InvalidDataException($"a frame of {length} bytes is larger than {Largest}");
        }

        var body = new byte[length];
        return Fill(body)
            ? JsonNode.Parse(body) as JsonObject ?? throw new InvalidDataException("a frame must hold a JSON object")
            : throw new EndOfStreamException("the input ended inside a frame");
    }

    public void Write(JsonObject message)
    {
        var body = JsonSerializer.SerializeToUtf8Bytes(message, Json.Options);
        if (body.Length > Largest)
        {
            throw new JobException("run", $"the reply of {body.Length} bytes is larger than a frame ({Largest}); send fewer calls");
        }

        Span<byte> header = stackalloc byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(header, (uint)body.Length);
        output.Write(header);
        output.Write(body);
        output.Flush();
    }

    public void Dispose()
    {
        input.Dispose();
        output.Dispose();
    }

    private static FileStream Own(int descriptor, FileAccess access)
        => new(new SafeFileHandle(descriptor, ownsHandle: true), access, bufferSize: 0);

    private bool Fill(Span<byte> buffer)
    {
        var read = input.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false);
        return read == buffer.Length
            || (read == 0 ? false : throw new EndOfStreamException("the input ended inside a frame"));
    }
}

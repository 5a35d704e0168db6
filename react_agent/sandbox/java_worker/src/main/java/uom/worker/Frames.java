package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Speak frames: four bytes of length, most significant first, then JSON in UTF-8.
 *
 * <p>The pipes are opened by descriptor and are not standard input and output, so that nothing a
 * program prints can be taken for an answer.
 */
final class Frames implements AutoCloseable {

    static final int LARGEST = 64 * 1024 * 1024;

    private final DataInputStream in;
    private final DataOutputStream out;

    private Frames(DataInputStream in, DataOutputStream out) {
        this.in = in;
        this.out = out;
    }

    static Frames open(int descriptorIn, int descriptorOut) throws IOException {
        return new Frames(
                new DataInputStream(new BufferedInputStream(new FileInputStream(pipe(descriptorIn)))),
                new DataOutputStream(new FileOutputStream(pipe(descriptorOut))));
    }

    private static String pipe(int descriptor) {
        var folder = Files.isDirectory(Path.of("/proc/self/fd")) ? "/proc/self/fd/" : "/dev/fd/";
        return folder + descriptor;
    }

    /** Read the next request; null when the host has closed its end. */
    JsonNode read() throws IOException {
        int length;
        try {
            length = in.readInt();
        } catch (EOFException closed) {
            return null;
        }
        if (length < 0 || length > LARGEST) {
            throw new IOException("a frame of " + Integer.toUnsignedString(length) + " bytes is over the limit of " + LARGEST);
        }
        var body = new byte[length];
        in.readFully(body);
        return Json.MAPPER.readTree(body);
    }

    /** Write one frame; false, with nothing written, when it would be over the limit. */
    boolean write(JsonNode message) throws IOException {
        var body = Json.MAPPER.writeValueAsBytes(message);
        if (body.length > LARGEST) {
            return false;
        }
        out.writeInt(body.length);
        out.write(body);
        out.flush();
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}

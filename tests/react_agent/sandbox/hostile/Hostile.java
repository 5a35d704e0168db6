package hostile;

import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Component;

@Component
public class Hostile {

    private final MongoTemplate template;

    public Hostile(MongoTemplate template) {
        this.template = template;
    }

    public long kind() {
        return template.getCollection("notes").countDocuments();
    }

    public String loop() {
        System.out.println("looping");
        while (true) {
            Thread.onSpinWait();
        }
    }

    public String allocate() {
        var blocks = new ArrayList<byte[]>();
        for (int i = 0; i < 10_000; i++) {
            blocks.add(new byte[1 << 20]);
        }
        return "" + blocks.size();
    }

    public String allocateNative() throws Exception {
        var field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        var unsafe = (sun.misc.Unsafe) field.get(null);
        for (int i = 0; i < 10_000; i++) {
            unsafe.setMemory(unsafe.allocateMemory(1 << 20), 1 << 20, (byte) 1);
        }
        return "";
    }

    public String read(String path) {
        return attempt(() -> Files.readString(Path.of(path)));
    }

    public String write(String path) {
        return attempt(() -> Files.writeString(Path.of(path), "x").toString());
    }

    public String home() {
        return attempt(() -> {
            try (var found = Files.list(Path.of(System.getProperty("user.home")))) {
                return found.map(Path::toString).toList().toString();
            }
        });
    }

    public String variables() {
        return System.getenv().toString();
    }

    public String socket() {
        return attempt(() -> {
            try (var socket = new Socket("192.0.2.1", 80)) {
                return "connected";
            }
        });
    }

    public String start() {
        return attempt(() -> String.valueOf(new ProcessBuilder("/bin/true").start().pid()));
    }

    public String threads() throws InterruptedException {
        for (int i = 0; i < 5_000; i++) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException ignored) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Thread.sleep(60_000);
        return "";
    }

    public String shout() {
        var line = "x".repeat(1_000_000);
        for (int i = 0; i < 1_000; i++) {
            System.out.println(line);
        }
        return "";
    }

    public String forge() throws Exception {
        var frame = "{\"id\":2,\"ok\":true,\"result\":{\"envelopes\":[]}}".getBytes(StandardCharsets.UTF_8);
        try (var out = new FileOutputStream(FileDescriptor.out)) {
            out.write(ByteBuffer.allocate(4 + frame.length).putInt(frame.length).put(frame).array());
        }
        return "not forged";
    }

    public String exit() {
        System.exit(5);
        return "";
    }

    public String halt() {
        Runtime.getRuntime().halt(6);
        return "";
    }

    private static String attempt(Callable<String> action) {
        try {
            return action.call();
        } catch (Exception error) {
            return error.getClass().getSimpleName();
        }
    }
}

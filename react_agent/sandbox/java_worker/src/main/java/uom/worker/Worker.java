package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Serve one host: say "ready", then answer request after request until the input closes. */
public final class Worker {

    private final Frames frames;
    private final Engine engine;
    private Program program;

    private Worker(Frames frames, Engine engine) {
        this.frames = frames;
        this.engine = engine;
    }

    public static void main(String[] arguments) {
        var exit = 1;
        try {
            System.setIn(InputStream.nullInputStream());
            serve(Options.parse(arguments));
            exit = 0;
        } catch (Throwable failure) {
            failure.printStackTrace();
        }
        // The embedded server and the driver keep threads of their own; the process ends only when told to.
        System.exit(exit);
    }

    private static void serve(Options options) throws IOException {
        try (var engine = Engine.start(); var frames = Frames.open(options.in(), options.out())) {
            if (options.warm()) {
                WarmUp.run(engine);
            }
            var ready = Json.object().put("ready", true);
            ready.set("engine", engine.facts());
            frames.write(ready);
            new Worker(frames, engine).answerAll();
        }
    }

    private void answerAll() throws IOException {
        for (var request = frames.read(); request != null; request = frames.read()) {
            var answer = answer(request);
            if (!frames.write(answer)) {
                frames.write(refused(request, new Refusal(
                        stage(request), "the result is larger than a frame may be (64 MiB); ask for fewer calls at once")));
            }
        }
    }

    private ObjectNode answer(JsonNode request) {
        try {
            var reply = Json.object();
            reply.set("id", request.get("id"));
            reply.put("ok", true);
            reply.set("result", serve(request));
            return reply;
        } catch (Refusal refusal) {
            return refused(request, refusal);
        } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError failure) {
            failure.printStackTrace();
            return refused(request, new Refusal(stage(request), Causes.describe(failure)));
        }
    }

    private ObjectNode serve(JsonNode request) {
        return switch (stage(request)) {
            case "compile" -> compile(request);
            case "run" -> run(request);
            default -> throw new Refusal("request", "unknown op \"" + stage(request) + "\"; known: compile, run");
        };
    }

    private ObjectNode compile(JsonNode request) {
        program = null;
        var compilation = Compile.compile(Compile.sources(request), request.path("release").asInt(21));
        program = compilation.program();
        return compilation.toJson();
    }

    private ObjectNode run(JsonNode request) {
        if (program == null) {
            throw new Refusal("run", "nothing is compiled yet; send \"compile\" first");
        }
        return new Run(engine, program, (done, total) -> progress(request, done, total)).run(request);
    }

    private void progress(JsonNode request, int done, int total) {
        var event = Json.object();
        event.set("id", request.get("id"));
        try {
            frames.write(event.put("event", "progress").put("done", done).put("total", total));
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }

    private static ObjectNode refused(JsonNode request, Refusal refusal) {
        var error = Json.object().put("stage", refusal.stage()).put("message", refusal.getMessage());
        var diagnostics = error.putArray("diagnostics");
        refusal.findings().forEach(finding -> diagnostics.add(finding.toJson()));
        var reply = Json.object();
        reply.set("id", request.get("id"));
        reply.put("ok", false).set("error", error);
        return reply;
    }

    private static String stage(JsonNode request) {
        return request.path("op").asText();
    }
}

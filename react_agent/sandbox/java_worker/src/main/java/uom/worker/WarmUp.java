package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Do a built-in job before the first real one: most of a JVM's first second is loading classes. */
final class WarmUp {

    private static final int ROUNDS = 2;

    private WarmUp() {}

    static void run(Engine engine) {
        try (var file = WarmUp.class.getResourceAsStream("warm-up.json")) {
            var job = Json.MAPPER.readTree(file);
            for (var round = 0; round < ROUNDS; round++) {
                runOnce(engine, job);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static void runOnce(Engine engine, JsonNode job) {
        var compilation = Compile.compile(Compile.sources(job), job.path("release").asInt());
        new Run(engine, compilation.program(), (done, total) -> {}).run(job);
        engine.clear();
    }
}

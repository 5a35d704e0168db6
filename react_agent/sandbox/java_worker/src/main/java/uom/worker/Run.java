package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Run calls on instances in one context, and write an envelope for each. */
final class Run {

    /** Hears how many calls are done. */
    interface Progress {
        void report(int done, int total);
    }

    private static final long BETWEEN_REPORTS = 100_000_000L;

    private final Engine engine;
    private final Program program;
    private final Progress progress;

    Run(Engine engine, Program program, Progress progress) {
        this.engine = engine;
        this.program = program;
        this.progress = progress;
    }

    ObjectNode run(JsonNode request) {
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        var loader = program.newLoader();
        thread.setContextClassLoader(loader);
        try {
            return run(request, loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private ObjectNode run(JsonNode request, ClassLoader loader) {
        var instances = instances(request);
        var calls = new ArrayList<Call>();
        for (var call : Json.need(request, "calls", "run")) {
            calls.add(Call.read(call, loader));
        }
        var called = calls.stream().<Class<?>>map(Call::owner).distinct().toList();
        var configuration = Json.text(request, "configuration", "run");
        var result = Json.object();
        try (var application = Application.start(engine, loader, classes(loader), configuration, called)) {
            var envelopes = result.putArray("envelopes");
            var caller = new Caller(engine, application);
            var reported = System.nanoTime();
            for (var call : calls) {
                envelopes.add(caller.call(call, instance(instances, call)));
                if (System.nanoTime() - reported > BETWEEN_REPORTS) {
                    reported = System.nanoTime();
                    progress.report(envelopes.size(), calls.size());
                }
            }
        }
        result.set("engine", engine.facts());
        return result;
    }

    private static Map<String, Instance> instances(JsonNode request) {
        var instances = new LinkedHashMap<String, Instance>();
        for (var json : Json.need(request, "instances", "run")) {
            var instance = Instance.read(json);
            instances.put(instance.id(), instance);
        }
        return instances;
    }

    private static Instance instance(Map<String, Instance> instances, Call call) {
        var instance = instances.get(call.instance());
        if (instance == null) {
            throw new Refusal("call", "call %s names the instance %s; known: %s".formatted(call.id(), call.instance(), instances.keySet()));
        }
        return instance;
    }

    private List<Class<?>> classes(ClassLoader loader) {
        var classes = new ArrayList<Class<?>>();
        for (var name : program.classes().keySet()) {
            try {
                if (!name.endsWith("package-info")) {
                    classes.add(loader.loadClass(name));
                }
            } catch (ClassNotFoundException | LinkageError failure) {
                throw new Refusal("context", "class %s does not load: %s".formatted(name, Causes.describe(failure)), failure);
            }
        }
        return classes;
    }
}

package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import org.bson.BsonDocument;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.IncorrectResultSizeDataAccessException;

/** Make calls and tell what each did; whatever the program throws is an outcome, not an error. */
final class Caller {

    private final Engine engine;
    private final Application application;

    /** The instance in the store as it was given; null once a call wrote. */
    private Instance loaded;

    Caller(Engine engine, Application application) {
        this.engine = engine;
        this.application = application;
    }

    ObjectNode call(Call call, Instance instance) {
        if (instance != loaded) {
            application.store().load(instance);
            loaded = instance;
        }
        var envelope = Json.object().put("call", call.id()).put("instance", call.instance()).put("method", call.name());
        envelope.set("args", call.given());
        var bean = Modifier.isStatic(call.arguments().method().getModifiers()) ? null : application.bean(call.owner());
        engine.statements().record();
        List<BsonDocument> statements;
        try {
            returned(envelope, invoke(call, bean));
        } catch (Refusal refusal) {
            throw refusal;
        } catch (Throwable failure) {
            threw(envelope, Causes.unwrap(failure));
        } finally {
            statements = engine.statements().stop();
        }
        return finish(envelope, statements);
    }

    /** Read the result while the call still counts: a stream or a lazy reference asks the server only now. */
    private static ObjectNode invoke(Call call, Object bean) throws ReflectiveOperationException {
        var method = call.arguments().method();
        method.trySetAccessible();
        var result = method.invoke(bean, call.arguments().values());
        return method.getReturnType() == void.class
                ? Cells.empty()
                : Shapes.write(result, call.shape(), "call %s, %s.%s".formatted(call.id(), call.owner().getSimpleName(), call.name()));
    }

    private static void returned(ObjectNode envelope, ObjectNode value) {
        switch (value.path("t").asText()) {
            case "null" -> envelope.put("outcome", "none");
            case "list" -> envelope.put("outcome", "rows").put("row_count", value.path("v").size());
            default -> envelope.put("outcome", "scalar");
        }
        envelope.set("value", value);
    }

    private static void threw(ObjectNode envelope, Throwable failure) {
        envelope.put("outcome", "throws")
                .put("exception", failure.getClass().getName())
                .put("kind", kind(failure))
                .put("message", Causes.message(failure));
        envelope.set("value", Cells.empty());
    }

    private static String kind(Throwable failure) {
        return switch (failure) {
            case NoSuchElementException ignored -> "not_found";
            case EmptyResultDataAccessException ignored -> "not_found";
            case IncorrectResultSizeDataAccessException ignored -> "too_many";
            case IllegalStateException state when saysMoreThanOne(state) -> "too_many";
            default -> "error";
        };
    }

    private static boolean saysMoreThanOne(IllegalStateException failure) {
        return failure.getMessage() != null && failure.getMessage().toLowerCase(Locale.ROOT).contains("more than one");
    }

    private ObjectNode finish(ObjectNode envelope, List<BsonDocument> statements) {
        var sent = envelope.putArray("statements");
        statements.forEach(statement -> sent.add(Statements.toJson(statement)));
        envelope.putArray("warnings");
        if (statements.stream().anyMatch(Command::writes)) {
            envelope.set("state", application.store().state());
        }
        if (statements.stream().anyMatch(statement -> Command.writes(statement) || Command.defines(statement))) {
            loaded = null;
        }
        return envelope;
    }
}

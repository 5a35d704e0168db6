package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.BaseStream;

/** Write a Java result as a cell under C# names and types, as its shape says. */
final class Shapes {

    private Shapes() {}

    /**
     * Write a value in its shape; {@code where} names the place in an error.
     *
     * @throws ReflectiveOperationException an accessor of the program threw
     */
    static ObjectNode write(Object result, JsonNode shape, String where) throws ReflectiveOperationException {
        var value = unwrap(result);
        if (value == null) {
            return Cells.empty();
        }
        var kind = Json.text(shape, "kind", where + ": shape");
        return switch (kind) {
            case "scalar" -> scalar(value, shape, where);
            case "object" -> object(value, shape, where);
            case "list" -> list(value, shape, where);
            default -> throw new Refusal("shape", "%s: unknown kind of shape \"%s\"".formatted(where, kind));
        };
    }

    private static Object unwrap(Object value) {
        return switch (value) {
            case Optional<?> optional -> unwrap(optional.orElse(null));
            case OptionalInt optional -> optional.isPresent() ? optional.getAsInt() : null;
            case OptionalLong optional -> optional.isPresent() ? optional.getAsLong() : null;
            case OptionalDouble optional -> optional.isPresent() ? optional.getAsDouble() : null;
            case null -> null;
            default -> value;
        };
    }

    private static ObjectNode scalar(Object value, JsonNode shape, String where) {
        var type = Json.text(shape, "type", where + ": shape");
        if (type.equals("enum")) {
            return constant(value, shape, where);
        }
        var cell = Cells.write(value, type);
        if (cell == null) {
            throw new Refusal(
                    "shape", "%s: a %s is not a scalar, but the shape wants %s".formatted(where, value.getClass().getName(), type));
        }
        return cell;
    }

    /** An enum's constants have their C# names in the shape; stored numbers and names stand for constants too. */
    private static ObjectNode constant(Object value, JsonNode shape, String where) {
        var names = shape.path("names");
        var found = names.get(value instanceof Enum<?> constant ? constant.name() : value.toString());
        if (found == null && !(value instanceof Enum<?>)) {
            for (var candidate : names) {
                var isName = candidate.path("name").asText().equals(value.toString());
                if (isName || value instanceof Number && candidate.path("v").asText().equals(value.toString())) {
                    found = candidate;
                }
            }
        }
        if (found == null) {
            throw new Refusal(
                    "shape",
                    "%s: the shape of enum %s has no C# name for %s of %s"
                            .formatted(where, shape.path("enum").asText(), value, value.getClass().getName()));
        }
        return Json.object()
                .put("t", "enum")
                .put("type", shape.path("enum").asText())
                .put("name", found.path("name").asText())
                .put("v", found.path("v").asText());
    }

    private static ObjectNode object(Object value, JsonNode shape, String where) throws ReflectiveOperationException {
        var fields = Json.object();
        for (var field : Json.need(shape, "fields", where + ": shape")) {
            var name = Json.text(field, "name", where + ": shape.fields");
            var accessor = Json.text(field, "accessor", where + "." + name);
            var read = Accessors.read(value, accessor, where + "." + name);
            fields.set(name, write(read, Json.need(field, "shape", where + "." + name), where + "." + name));
        }
        var cell = Json.object().put("t", "object").put("name", shape.path("name").asText());
        cell.set("f", fields);
        return cell;
    }

    private static ObjectNode list(Object value, JsonNode shape, String where) throws ReflectiveOperationException {
        var element = Json.need(shape, "element", where + ": shape");
        var cell = Json.object().put("t", "list");
        var items = cell.putArray("v");
        for (var item : items(value, where)) {
            items.add(write(item, element, where + "[" + items.size() + "]"));
        }
        return cell;
    }

    private static List<Object> items(Object value, String where) {
        var items = new ArrayList<>();
        switch (value) {
            case Iterable<?> iterable -> iterable.forEach(items::add);
            case BaseStream<?, ?> stream -> stream.iterator().forEachRemaining(items::add);
            case Iterator<?> iterator -> iterator.forEachRemaining(items::add);
            case Map<?, ?> map -> items.addAll(map.entrySet());
            default -> {
                if (!value.getClass().isArray()) {
                    throw new Refusal("shape", "%s: a %s is not a list".formatted(where, value.getClass().getName()));
                }
                for (var at = 0; at < Array.getLength(value); at++) {
                    items.add(Array.get(value, at));
                }
            }
        }
        return items;
    }
}

package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;

/** One call of a method on an instance, and the shape of its result. */
record Call(String id, String instance, Class<?> owner, String name, JsonNode given, Arguments arguments, JsonNode shape) {

    static Call read(JsonNode json, ClassLoader loader) {
        var id = Json.text(json, "id", "call");
        var where = "call " + id;
        var owner = owner(Json.text(json, "class", where), where, loader);
        var name = Json.text(json, "method", where);
        var given = json.has("args") ? json.get("args") : Json.array();
        return new Call(
                id,
                Json.text(json, "instance", where),
                owner,
                name,
                given,
                Arguments.fit(owner, name, given),
                Json.need(json, "shape", where));
    }

    private static Class<?> owner(String name, String where, ClassLoader loader) {
        try {
            return loader.loadClass(name);
        } catch (ClassNotFoundException missing) {
            throw new Refusal("call", "%s: class %s is not among the compiled classes".formatted(where, name), missing);
        }
    }
}

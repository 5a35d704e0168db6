package uom.worker;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The one JSON reader and writer; a frame may hold one text of any length, so the reader has no limit of its own. */
final class Json {

    static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Frames.LARGEST)
                    .maxNameLength(Frames.LARGEST)
                    .build())
            .build());

    private Json() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** Read a member that a request must have. */
    static JsonNode need(JsonNode node, String member, String where) {
        var value = node.get(member);
        if (value == null || value.isNull()) {
            throw new Refusal("request", where + ": \"" + member + "\" is missing");
        }
        return value;
    }

    /** Read a text that a request must have. */
    static String text(JsonNode node, String member, String where) {
        var value = need(node, member, where);
        if (!value.isTextual()) {
            throw new Refusal("request", where + ": \"" + member + "\" must be text");
        }
        return value.textValue();
    }
}

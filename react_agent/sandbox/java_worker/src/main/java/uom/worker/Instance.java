package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.json.JsonParseException;

/** The documents of one instance by collection, in the order they are to be loaded. */
record Instance(String id, Map<String, List<BsonDocument>> collections) {

    static Instance read(JsonNode json) {
        var id = Json.text(json, "id", "instance");
        var collections = new LinkedHashMap<String, List<BsonDocument>>();
        for (var collection : Json.need(json, "collections", "instance " + id).properties()) {
            var documents = new ArrayList<BsonDocument>();
            for (var document : collection.getValue()) {
                documents.add(document(document, "instance %s, %s[%d]".formatted(id, collection.getKey(), documents.size())));
            }
            collections.put(collection.getKey(), documents);
        }
        return new Instance(id, collections);
    }

    private static BsonDocument document(JsonNode json, String where) {
        try {
            return BsonDocument.parse(json.isTextual() ? json.textValue() : json.toString());
        } catch (JsonParseException | IllegalArgumentException | org.bson.BsonInvalidOperationException unreadable) {
            throw new Refusal("load", where + " is not canonical Extended JSON: " + Causes.message(unreadable), unreadable);
        }
    }
}

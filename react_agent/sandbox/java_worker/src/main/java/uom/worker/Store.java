package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonDocument;

/**
 * The database that a program works on: filled from an instance, and read back after a write.
 *
 * <p>Collections are dropped and made anew rather than emptied: the order in which an engine returns
 * documents must come from this instance, not from gaps that another one left.
 */
final class Store {

    private final MongoDatabase database;
    private final List<BsonDocument> definitions;

    /** {@code definitions} are the commands that the program itself sent to make collections and indexes. */
    Store(MongoDatabase database, List<BsonDocument> definitions) {
        this.database = database;
        this.definitions = definitions;
    }

    void load(Instance instance) {
        database.listCollectionNames().forEach(name -> database.getCollection(name).drop());
        for (var definition : definitions) {
            database.runCommand(definition);
        }
        instance.collections().forEach((name, documents) -> insert(instance, name, documents));
    }

    private void insert(Instance instance, String name, List<BsonDocument> documents) {
        if (documents.isEmpty()) {
            return;
        }
        try {
            database.getCollection(name, BsonDocument.class).insertMany(documents);
        } catch (MongoException refused) {
            throw new Refusal(
                    "load", "instance %s does not fit collection \"%s\": %s".formatted(instance.id(), name, Causes.message(refused)), refused);
        }
    }

    /** Read every collection as canonical Extended JSON, documents by their {@code _id}. */
    ObjectNode state() {
        var state = Json.object();
        for (var name : database.listCollectionNames().into(new TreeSet<>())) {
            var documents = state.putArray(name);
            database.getCollection(name, BsonDocument.class).find().into(new ArrayList<>()).stream()
                    .sorted(Store::byId)
                    .map(Statements::toJson)
                    .forEach(documents::add);
        }
        return state;
    }

    private static int byId(BsonDocument one, BsonDocument other) {
        var left = one.get("_id");
        var right = other.get("_id");
        if (left.isNumber() && right.isNumber()) {
            return left.asNumber().decimal128Value().compareTo(right.asNumber().decimal128Value());
        }
        return left.isNumber() || right.isNumber()
                ? Boolean.compare(right.isNumber(), left.isNumber())
                : left.toString().compareTo(right.toString());
    }
}

package {{package}};

import org.bson.BsonDocument;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoOperations;

/** The rows that the C# program has, as documents. */
final class UomDatabase {

    private UomDatabase() {
    }

    /** Put these documents, and no others, into the database. */
    static void fill(MongoOperations mongo) {
{{collections}}
{{inserts}}
    }

    private static void clear(MongoOperations mongo, String collection) {
        mongo.getCollection(collection).deleteMany(new Document());
    }

    private static void insert(MongoOperations mongo, String collection, String json) {
        mongo.getCollection(collection).withDocumentClass(BsonDocument.class).insertOne(BsonDocument.parse(json));
    }
}

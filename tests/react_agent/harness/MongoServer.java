import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import org.bson.Document;

/** A server on a free port of the loopback, with one database in use, "kept"; it ends with its input. */
class MongoServer {
    public static void main(String[] args) throws Exception {
        var server = new de.bwaldvogel.mongo.MongoServer(new MemoryBackend());
        server.bind("127.0.0.1", 0);
        var port = server.getLocalAddress().getPort();
        try (var client = MongoClients.create("mongodb://127.0.0.1:" + port)) {
            client.getDatabase("kept").getCollection("mine").insertOne(new Document("_id", 1));
        }
        System.out.println(port);
        System.in.read();
        server.shutdownNow();
    }
}

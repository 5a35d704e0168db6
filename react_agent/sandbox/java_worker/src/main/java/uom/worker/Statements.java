package uom.worker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * An in-memory server that keeps the commands it is sent while somebody records.
 *
 * <p>Recording at the server, not by a command listener, does not depend on how a configuration builds
 * its client: as a bean, inside a factory, or by the base class.
 */
final class Statements extends MemoryBackend {

    private static final JsonWriterSettings CANONICAL =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    /** What a driver says on its own account. */
    private static final Set<String> HOUSEKEEPING =
            Set.of("hello", "ismaster", "isMaster", "ping", "buildInfo", "buildinfo", "endSessions");

    /** Ours and the driver's, new in each run: they would make equal statements look different. */
    private static final Set<String> SESSION = Set.of("$db", "lsid", "$clusterTime", "txnNumber");

    private List<BsonDocument> recording;

    /** Start to keep commands; what an earlier recording kept is forgotten. */
    synchronized void record() {
        recording = new ArrayList<>();
    }

    /** Stop, and give the commands in the order they came. */
    synchronized List<BsonDocument> stop() {
        var kept = recording;
        recording = null;
        return kept == null ? List.of() : kept;
    }

    @Override
    public Document handleMessage(MongoMessage message) {
        keep(message.getDocument());
        return super.handleMessage(message);
    }

    private synchronized void keep(Document command) {
        if (recording == null || command.isEmpty() || HOUSEKEEPING.contains(command.keySet().iterator().next())) {
            return;
        }
        var bytes = Unpooled.buffer();
        BsonEncoder.encodeDocument(command, bytes);
        var copy = new BsonDocument();
        new RawBsonDocument(bytes.array(), 0, bytes.readableBytes()).forEach((name, value) -> {
            if (!SESSION.contains(name)) {
                copy.put(name, value);
            }
        });
        recording.add(copy);
    }

    /** Write a document as canonical Extended JSON. */
    static JsonNode toJson(BsonDocument document) {
        try {
            return Json.MAPPER.readTree(document.toJson(CANONICAL));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

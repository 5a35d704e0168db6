package uom.worker;

import java.util.Set;
import org.bson.BsonDocument;

/** Tell what a recorded command does to the data. */
final class Command {

    private static final Set<String> DEFINES = Set.of("create", "createIndexes", "dropIndexes", "collMod");
    private static final Set<String> WRITES = Set.of(
            "insert", "update", "delete", "findAndModify", "findandmodify", "bulkWrite", "drop", "dropDatabase", "renameCollection");

    private Command() {}

    /** Whether it makes a collection or an index: a fresh instance must have it again. */
    static boolean defines(BsonDocument command) {
        return DEFINES.contains(command.getFirstKey());
    }

    /** Whether documents may differ after it. */
    static boolean writes(BsonDocument command) {
        return WRITES.contains(command.getFirstKey()) || writesAggregation(command);
    }

    private static boolean writesAggregation(BsonDocument command) {
        return command.getFirstKey().equals("aggregate")
                && command.isArray("pipeline")
                && command.getArray("pipeline").stream()
                        .anyMatch(stage -> stage.isDocument()
                                && (stage.asDocument().containsKey("$out") || stage.asDocument().containsKey("$merge")));
    }
}

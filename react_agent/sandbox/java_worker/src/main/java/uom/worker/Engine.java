package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The embedded server, and a client of our own that fills it. */
final class Engine implements AutoCloseable {

    private final Statements statements;
    private final MongoServer server;
    private final MongoClient client;

    private Engine(Statements statements, MongoServer server, MongoClient client) {
        this.statements = statements;
        this.server = server;
        this.client = client;
    }

    static Engine start() {
        var statements = new Statements();
        var server = new MongoServer(statements);
        server.bind("127.0.0.1", 0);
        return new Engine(statements, server, MongoClients.create("mongodb://" + address(server)));
    }

    private static String address(MongoServer server) {
        return "127.0.0.1:" + server.getLocalAddress().getPort();
    }

    String address() {
        return address(server);
    }

    Statements statements() {
        return statements;
    }

    MongoClient client() {
        return client;
    }

    /** Drop every database, so that one run never sees what another left. */
    void clear() {
        for (var name : client.listDatabaseNames()) {
            client.getDatabase(name).drop();
        }
    }

    /** Name the engine and the versions, for the verdict. */
    ObjectNode facts() {
        var properties = new Properties();
        try (var file = Engine.class.getResourceAsStream("engine.properties")) {
            properties.load(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return Json.object()
                .put("name", properties.getProperty("name"))
                .put("version", properties.getProperty("version"))
                .put("spring_data", properties.getProperty("spring_data"))
                .put("driver", properties.getProperty("driver"))
                .put("java", Runtime.version().toString());
    }

    @Override
    public void close() {
        client.close();
        server.shutdownNow();
    }
}

import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** An empty server on a free port of the loopback, which ends with its input. */
class MongoServer {
    public static void main(String[] args) throws Exception {
        var server = new de.bwaldvogel.mongo.MongoServer(new MemoryBackend());
        server.bind("127.0.0.1", 0);
        System.out.println(server.getLocalAddress().getPort());
        System.in.read();
        server.shutdownNow();
    }
}

package uom.worker;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoDatabaseFactorySupport;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.util.ReflectionUtils;

/** See to it that the beans know the program's entities and speak to the embedded server only, and that no client outlives them. */
final class Wiring implements BeanPostProcessor, AutoCloseable {

    private final List<Class<?>> entities;
    private final String address;
    private final List<MongoClient> clients = new ArrayList<>();

    Wiring(List<Class<?>> entities, String address) {
        this.entities = entities;
        this.address = address;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        switch (bean) {
            // Known from the start, as after a scan, so that their indexes are there before the first query.
            case MongoMappingContext mapping -> entities.forEach(mapping::getPersistentEntity);
            case MongoClient client -> keep(client, name);
            case MongoDatabaseFactory factory -> keep(factory, name);
            case MongoTemplate template -> keep(template.getMongoDatabaseFactory(), name);
            default -> { }
        }
        return bean;
    }

    /** Close every client: one that is made inside a configuration, as Spring Data's base class has it, is no bean and is closed by nobody. */
    @Override
    public void close() {
        clients.forEach(MongoClient::close);
    }

    private void keep(MongoDatabaseFactory factory, String name) {
        if (factory instanceof MongoDatabaseFactorySupport<?>) {
            var field = ReflectionUtils.findField(factory.getClass(), "mongoClient");
            if (field == null) {
                throw new IllegalStateException("no client in " + factory.getClass().getName());
            }
            ReflectionUtils.makeAccessible(field);
            if (ReflectionUtils.getField(field, factory) instanceof MongoClient client) {
                keep(client, name);
            }
        }
    }

    private void keep(MongoClient client, String name) {
        clients.add(client);
        var hosts = client.getClusterDescription().getClusterSettings().getHosts();
        if (hosts.stream().noneMatch(host -> host.toString().equals(address))) {
            throw new IllegalStateException(
                    "bean \"%s\" connects to %s; a configuration must take its address from the property spring.mongodb.uri".formatted(name, hosts));
        }
    }
}

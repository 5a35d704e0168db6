package uom.worker;

import com.mongodb.client.MongoClient;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

/** See to it that the beans know the program's entities and speak to the embedded server only. */
final class Wiring implements BeanPostProcessor {

    private final List<Class<?>> entities;
    private final String address;

    Wiring(List<Class<?>> entities, String address) {
        this.entities = entities;
        this.address = address;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof MongoMappingContext mapping) {
            // Known from the start, as after a scan, so that their indexes are there before the first query.
            entities.forEach(mapping::getPersistentEntity);
        }
        if (bean instanceof MongoClient client) {
            var hosts = client.getClusterDescription().getClusterSettings().getHosts();
            if (hosts.stream().noneMatch(host -> host.toString().equals(address))) {
                throw new IllegalStateException(
                        "bean \"%s\" connects to %s; a configuration must take its address from the property spring.mongodb.uri".formatted(name, hosts));
            }
        }
        return bean;
    }
}

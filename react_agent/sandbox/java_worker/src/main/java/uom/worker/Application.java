package uom.worker;

import com.mongodb.client.MongoDatabase;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.springframework.beans.BeansException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.AbstractEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.stereotype.Component;

/**
 * A program's Spring context, started anew for a run.
 *
 * <p>Nothing is scanned: the classes are in memory and known. The environment holds the connection's
 * properties and nothing of this process.
 */
final class Application implements AutoCloseable {

    private static final String DATABASE = "proof";

    private final AnnotationConfigApplicationContext context;
    private final Wiring wiring;
    private final Store store;

    private Application(AnnotationConfigApplicationContext context, Wiring wiring, Store store) {
        this.context = context;
        this.wiring = wiring;
        this.store = store;
    }

    /** Start the context of a configuration; {@code called} are the classes that must be beans beside the components. */
    static Application start(Engine engine, ClassLoader loader, List<Class<?>> classes, String configuration, List<Class<?>> called) {
        engine.clear();
        engine.statements().record();
        var context = new AnnotationConfigApplicationContext();
        var wiring = new Wiring(entities(classes), engine.address());
        try {
            context.setClassLoader(loader);
            context.setEnvironment(environment(engine));
            context.register(configurations(named(loader, configuration), classes));
            context.registerBean(Components.class, () -> new Components(components(classes, called), repositories(classes)));
            context.getBeanFactory().addBeanPostProcessor(wiring);
            context.refresh();
            var database = database(context);
            return new Application(context, wiring, new Store(engine.client().getDatabase(database.getName()), definitions(engine)));
        } catch (BeansException | IllegalStateException | LinkageError failure) {
            context.close();
            wiring.close();
            throw new Refusal("context", "the Spring context of %s did not start: %s".formatted(configuration, Causes.describe(failure)), failure);
        } finally {
            engine.statements().stop();
        }
    }

    Store store() {
        return store;
    }

    Object bean(Class<?> type) {
        try {
            return context.getBean(type);
        } catch (BeansException missing) {
            throw new Refusal("context", "there is no single bean of %s: %s".formatted(type.getName(), Causes.describe(missing)), missing);
        }
    }

    @Override
    public void close() {
        context.close();
        wiring.close();
    }

    private static AbstractEnvironment environment(Engine engine) {
        var uri = "mongodb://" + engine.address() + "/" + DATABASE;
        var environment = new AbstractEnvironment() {};
        environment.getPropertySources().addFirst(new MapPropertySource("proof", Map.of(
                "spring.mongodb.uri", uri,
                "spring.data.mongodb.uri", uri,
                "spring.mongodb.database", DATABASE,
                "spring.data.mongodb.database", DATABASE)));
        return environment;
    }

    private static Class<?> named(ClassLoader loader, String name) {
        try {
            return loader.loadClass(name);
        } catch (ClassNotFoundException missing) {
            throw new Refusal("context", "the configuration class %s is not among the compiled classes".formatted(name), missing);
        }
    }

    private static Class<?>[] configurations(Class<?> named, List<Class<?>> classes) {
        var others = classes.stream().filter(type -> AnnotatedElementUtils.hasAnnotation(type, Configuration.class));
        return Stream.concat(Stream.of(named), others).distinct().toArray(Class<?>[]::new);
    }

    private static List<Class<?>> components(List<Class<?>> classes, List<Class<?>> called) {
        return classes.stream()
                .filter(type -> !type.isInterface() && !Modifier.isAbstract(type.getModifiers()))
                .filter(type -> called.contains(type) || AnnotatedElementUtils.hasAnnotation(type, Component.class))
                .toList();
    }

    private static List<Class<?>> repositories(List<Class<?>> classes) {
        return classes.stream().filter(Components::isRepository).toList();
    }

    private static List<Class<?>> entities(List<Class<?>> classes) {
        return classes.stream().filter(type -> AnnotatedElementUtils.hasAnnotation(type, Document.class)).toList();
    }

    private static MongoDatabase database(AnnotationConfigApplicationContext context) {
        var factory = context.getBeanProvider(MongoDatabaseFactory.class).getIfUnique();
        if (factory == null) {
            throw new IllegalStateException("the configuration must define one MongoDatabaseFactory; extend AbstractMongoClientConfiguration");
        }
        return factory.getMongoDatabase();
    }

    private static List<BsonDocument> definitions(Engine engine) {
        return engine.statements().stop().stream().filter(Command::defines).toList();
    }
}

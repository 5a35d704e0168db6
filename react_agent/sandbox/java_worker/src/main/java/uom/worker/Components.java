package uom.worker;

import java.util.List;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.data.mongodb.repository.support.MongoRepositoryFactoryBean;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.data.repository.Repository;

/**
 * Register what component and repository scanning would have found, where the configuration has not declared it itself.
 *
 * <p>As a bean it is asked after the configuration classes were read, so it knows what they declare.
 */
final class Components implements BeanDefinitionRegistryPostProcessor {

    private final List<Class<?>> components;
    private final List<Class<?>> repositories;

    Components(List<Class<?>> components, List<Class<?>> repositories) {
        this.components = components;
        this.repositories = repositories;
    }

    static boolean isRepository(Class<?> type) {
        return type.isInterface() && Repository.class.isAssignableFrom(type) && !type.isAnnotationPresent(NoRepositoryBean.class);
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        var factory = (ConfigurableListableBeanFactory) registry;
        for (var type : components) {
            if (factory.getBeanNamesForType(type, true, false).length == 0) {
                registry.registerBeanDefinition(type.getName(), BeanDefinitionBuilder.genericBeanDefinition(type).getBeanDefinition());
            }
        }
        for (var type : repositories) {
            if (factory.getBeanNamesForType(type, true, false).length == 0) {
                registry.registerBeanDefinition(type.getName(), repository(type));
            }
        }
    }

    private static BeanDefinition repository(Class<?> type) {
        var definition = BeanDefinitionBuilder.rootBeanDefinition(MongoRepositoryFactoryBean.class)
                .addConstructorArgValue(type)
                .addAutowiredProperty("mongoOperations")
                .getBeanDefinition();
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
        return definition;
    }
}

package uom.worker;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;

/** Read a member of a result: a record's accessor, a getter, a public field, a key of a map. */
final class Accessors {

    /** Looking a member up costs more than reading it, and a result has many rows; an unloaded class takes its entry with it. */
    private static final ClassValue<Map<String, Member>> MEMBERS = new ClassValue<>() {
        @Override
        protected Map<String, Member> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    private Accessors() {}

    static Object read(Object owner, String accessor, String where) throws ReflectiveOperationException {
        if (owner instanceof Map<?, ?> map) {
            if (!map.containsKey(accessor)) {
                throw new Refusal("shape", "%s: the map has no key \"%s\"; it has %s".formatted(where, accessor, map.keySet()));
            }
            return map.get(accessor);
        }
        var type = owner.getClass();
        var member = MEMBERS.get(type).computeIfAbsent(accessor, name -> find(type, name, where));
        return member instanceof Method method ? method.invoke(owner) : ((Field) member).get(owner);
    }

    private static Member find(Class<?> type, String accessor, String where) {
        var capital = accessor.substring(0, 1).toUpperCase(Locale.ROOT) + accessor.substring(1);
        return Stream.of(accessor, "get" + capital, "is" + capital)
                .flatMap(name -> method(type, name))
                .map(Member.class::cast)
                .findFirst()
                .or(() -> field(type, accessor).map(Member.class::cast).findFirst())
                .orElseThrow(() -> new Refusal(
                        "shape", "%s: %s has no accessor \"%s\"; it has %s".formatted(where, type.getName(), accessor, known(type))));
    }

    /** Through an interface where the class itself is closed: a projection's proxy, an entry of a map. */
    private static Stream<Method> method(Class<?> type, String name) {
        return Stream.concat(Stream.of(type), Arrays.stream(ClassUtils.getAllInterfacesForClass(type)))
                .flatMap(open -> Arrays.stream(open.getMethods()))
                .filter(method -> method.getName().equals(name)
                        && method.getParameterCount() == 0
                        && method.getReturnType() != void.class
                        && !Modifier.isStatic(method.getModifiers()))
                .filter(Method::trySetAccessible)
                .limit(1);
    }

    private static Stream<Field> field(Class<?> type, String name) {
        return Arrays.stream(type.getFields())
                .filter(field -> field.getName().equals(name) && !Modifier.isStatic(field.getModifiers()))
                .filter(Field::trySetAccessible)
                .limit(1);
    }

    private static String known(Class<?> type) {
        var methods = Arrays.stream(type.getMethods())
                .filter(method -> method.getParameterCount() == 0 && method.getDeclaringClass() != Object.class)
                .map(Method::getName);
        return Stream.concat(methods, Arrays.stream(type.getFields()).map(Field::getName))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ", "[", "]"));
    }
}

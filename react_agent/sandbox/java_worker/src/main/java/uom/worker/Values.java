package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.bson.types.Binary;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/** Read a cell as a value of a Java type, exactly or not at all. */
final class Values {

    private static final Map<Class<?>, Function<String, Object>> READERS = Map.ofEntries(
            Map.entry(Boolean.class, Values::bool),
            Map.entry(Byte.class, text -> whole(text).byteValueExact()),
            Map.entry(Short.class, text -> whole(text).shortValueExact()),
            Map.entry(Integer.class, text -> whole(text).intValueExact()),
            Map.entry(Long.class, text -> whole(text).longValueExact()),
            Map.entry(BigInteger.class, Values::whole),
            Map.entry(BigDecimal.class, BigDecimal::new),
            Map.entry(Decimal128.class, Decimal128::parse),
            Map.entry(Float.class, Float::valueOf),
            Map.entry(Double.class, Double::valueOf),
            Map.entry(Character.class, Values::character),
            Map.entry(String.class, text -> text),
            Map.entry(CharSequence.class, text -> text),
            Map.entry(UUID.class, UUID::fromString),
            Map.entry(URI.class, URI::create),
            Map.entry(ObjectId.class, ObjectId::new),
            Map.entry(Instant.class, text -> Moments.parse(text).toInstant()),
            Map.entry(Date.class, text -> Date.from(Moments.parse(text).toInstant())),
            Map.entry(OffsetDateTime.class, Moments::parse),
            Map.entry(ZonedDateTime.class, text -> Moments.parse(text).toZonedDateTime()),
            Map.entry(LocalDateTime.class, text -> Moments.parse(text).toLocalDateTime()),
            Map.entry(LocalDate.class, Values::date),
            Map.entry(LocalTime.class, LocalTime::parse),
            Map.entry(Duration.class, Moments::parseTimeSpan),
            Map.entry(byte[].class, text -> Base64.getDecoder().decode(text)),
            Map.entry(Binary.class, text -> new Binary(Base64.getDecoder().decode(text))));

    private Values() {}

    static Object read(JsonNode cell, Type type, String where) {
        var raw = raw(type);
        if (raw == Optional.class) {
            return isNull(cell) ? Optional.empty() : Optional.of(read(cell, element(type), where));
        }
        if (isNull(cell)) {
            if (raw.isPrimitive()) {
                throw new Refusal("arguments", where + ": null does not fit the primitive type " + raw.getName() + "; the parameter must be nullable");
            }
            return null;
        }
        if (cell.path("t").asText().equals("list")) {
            return list(cell, type, where);
        }
        if (cell.path("t").asText().equals("object")) {
            return object(cell, raw, where);
        }
        return scalar(cell, boxed(raw), where);
    }

    private static boolean isNull(JsonNode cell) {
        return cell.path("t").asText().equals("null");
    }

    private static Object scalar(JsonNode cell, Class<?> type, String where) {
        var text = Json.text(cell, "v", where);
        try {
            if (type.isEnum()) {
                return constant(cell, type, where);
            }
            var isEnumName = cell.path("t").asText().equals("enum") && CharSequence.class.isAssignableFrom(type);
            var reader = READERS.get(type);
            if (reader != null) {
                return reader.apply(isEnumName ? Json.text(cell, "name", where) : text);
            }
        } catch (ArithmeticException | IllegalArgumentException | DateTimeException misfit) {
            throw misfit(cell, type, where, misfit);
        }
        throw misfit(cell, type, where, null);
    }

    private static Refusal misfit(JsonNode cell, Class<?> type, String where, Exception cause) {
        var reason = cause == null || cause.getMessage() == null ? "" : ": " + Causes.message(cause);
        return new Refusal("arguments", "%s: %s does not fit %s%s".formatted(where, cell, type.getName(), reason), cause);
    }

    /** Find the constant by the C# name, exactly or else without case and underscores ({@code InReview}, {@code IN_REVIEW}). */
    private static Object constant(JsonNode cell, Class<?> type, String where) {
        var name = cell.path("name").asText(cell.path("v").asText());
        var constants = type.getEnumConstants();
        return Arrays.stream(constants)
                .filter(constant -> ((Enum<?>) constant).name().equals(name))
                .findFirst()
                .or(() -> Arrays.stream(constants).filter(constant -> plain(((Enum<?>) constant).name()).equals(plain(name))).findFirst())
                .orElseThrow(() -> new Refusal(
                        "arguments", "%s: %s has no constant for %s; it has %s".formatted(where, type.getName(), name, Arrays.toString(constants))));
    }

    private static String plain(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static Object list(JsonNode cell, Type type, String where) {
        var raw = raw(type);
        var element = raw.isArray() ? raw.getComponentType() : element(type);
        var items = new ArrayList<>();
        for (var item : Json.need(cell, "v", where)) {
            items.add(read(item, element, where + "[" + items.size() + "]"));
        }
        if (raw.isArray()) {
            var array = Array.newInstance(raw.getComponentType(), items.size());
            for (var at = 0; at < items.size(); at++) {
                Array.set(array, at, items.get(at));
            }
            return array;
        }
        if (raw == Set.class) {
            return new LinkedHashSet<>(items);
        }
        if (raw == List.class || raw == Collection.class || raw == Iterable.class) {
            return items;
        }
        throw new Refusal("arguments", "%s: a list does not fit %s; use List, Set, Collection or an array".formatted(where, raw.getName()));
    }

    private static Object object(JsonNode cell, Class<?> type, String where) {
        if (!type.isRecord()) {
            throw new Refusal("arguments", "%s: an object fits a record only, not %s".formatted(where, type.getName()));
        }
        var components = type.getRecordComponents();
        var values = new Object[components.length];
        for (var at = 0; at < components.length; at++) {
            values[at] = read(field(cell, components[at], where), components[at].getGenericType(), where + "." + components[at].getName());
        }
        try {
            var constructor = type.getDeclaredConstructor(Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            throw new Refusal("arguments", where + ": " + Causes.describe(refused.getCause()), refused.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new Refusal("arguments", where + ": " + Causes.describe(impossible), impossible);
        }
    }

    private static JsonNode field(JsonNode cell, RecordComponent component, String where) {
        return cell.path("f").properties().stream()
                .filter(field -> plain(field.getKey()).equals(plain(component.getName())))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new Refusal("arguments", "%s: the object has no member for %s".formatted(where, component.getName())));
    }

    private static Class<?> raw(Type type) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType parameterized -> (Class<?>) parameterized.getRawType();
            case WildcardType wildcard -> raw(wildcard.getUpperBounds()[0]);
            default -> Object.class;
        };
    }

    private static Type element(Type type) {
        return type instanceof ParameterizedType parameterized ? parameterized.getActualTypeArguments()[0] : Object.class;
    }

    private static Class<?> boxed(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
    }

    private static Object bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("a bool is \"true\" or \"false\"");
        };
    }

    private static BigInteger whole(String text) {
        return new BigDecimal(text).toBigIntegerExact();
    }

    private static LocalDate date(String text) {
        var moment = Moments.parse(text).toLocalDateTime();
        if (!moment.toLocalTime().equals(LocalTime.MIDNIGHT)) {
            throw new IllegalArgumentException("a date has no time of day");
        }
        return moment.toLocalDate();
    }

    private static Object character(String text) {
        if (text.length() != 1) {
            throw new IllegalArgumentException("a char is one UTF-16 unit");
        }
        return text.charAt(0);
    }
}

package {{package}};

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;

/**
 * Calls the translated entries and prints what each returned, one line of JSON a call.
 *
 * <p>The first argument is the address of a scratch database that is not there yet, {@code mongodb://HOST:PORT/NAME}; it
 * is dropped at the end. A second one names a file for what is printed.
 */
public final class UomProof {

{{members}}

    /** What the enums' constants are called in C#. */
    private static final Map<String, String> NAMES = Map.ofEntries({{names}});

    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    /** A C# decimal keeps 28 digits. */
    private static final MathContext DECIMAL = new MathContext(28, RoundingMode.HALF_EVEN);

    private static PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private UomProof() {
    }

    public static void main(String[] args) throws IOException {
        var address = args.length > 0 ? new ConnectionString(args[0]) : null;
        if (address == null || address.getDatabase() == null) {
            throw new IllegalArgumentException("name a scratch database: mongodb://HOST:PORT/NAME");
        }
        try (var client = MongoClients.create(address)) {
            var database = client.getDatabase(address.getDatabase());
            if (database.listCollectionNames().first() != null) {
                throw new IllegalArgumentException("database \"" + database.getName() + "\" is not empty; name one that is not there yet");
            }
            if (args.length > 1) {
                out = new PrintStream(args[1], StandardCharsets.UTF_8);
            }
            System.setProperty("spring.mongodb.uri", args[0]);
            try (var context = new AnnotationConfigApplicationContext({{classes}})) {
                call(context);
            } finally {
                out.flush();
                database.drop();
            }
        }
    }

    private static void call(ApplicationContext context) {
        var mongo = context.getBean(MongoOperations.class);
{{beans}}
{{calls}}
    }

    /** Make one call on a freshly filled database; rows that no order is asked for are printed sorted by their text. */
    private static void show(MongoOperations mongo, String call, boolean sorted, List<Member> members, Callable<?> run) {
        UomDatabase.fill(mongo);
        String outcome;
        try {
            outcome = "\"value\":" + text(run.call(), members, sorted);
        } catch (Exception error) {
            System.err.println(call + ": " + error);
            outcome = "\"throws\":" + quoted(kind(error));
        }
        out.println("{\"call\":" + quoted(call) + "," + outcome + "}");
    }

    private static String kind(Exception error) {
        return switch (error) {
            case NoSuchElementException ignored -> "not_found";
            case EmptyResultDataAccessException ignored -> "not_found";
            case IncorrectResultSizeDataAccessException ignored -> "too_many";
            case IllegalStateException state when String.valueOf(state.getMessage()).toLowerCase(Locale.ROOT).contains("more than one") -> "too_many";
            default -> "error";
        };
    }

    private static String text(Object value, List<Member> members, boolean sorted) {
        return switch (value) {
            case null -> "null";
            case Optional<?> optional -> text(optional.orElse(null), members, sorted);
            case Boolean flag -> flag.toString();
            case Enum<?> constant -> quoted(name(constant));
            case BigDecimal number -> plain(number.round(DECIMAL));
            case Float number -> number.isNaN() || number.isInfinite() ? quoted(number.toString()) : plain(new BigDecimal(number.toString()));
            case Double number -> number.isNaN() || number.isInfinite() ? quoted(number.toString()) : plain(new BigDecimal(number.toString()));
            case Number number -> number.toString();
            case byte[] bytes -> quoted(Base64.getEncoder().encodeToString(bytes));
            case Instant moment -> quoted(MOMENT.format(moment));
            case LocalDate date -> quoted(date.toString());
            case LocalTime time -> quoted(TIME.format(time));
            case Iterable<?> items -> list(items, members, sorted);
            default -> members.isEmpty() ? quoted(value.toString()) : object(value, members);
        };
    }

    private static String list(Iterable<?> items, List<Member> members, boolean sorted) {
        var texts = StreamSupport.stream(items.spliterator(), false).map(item -> text(item, members, false));
        return (sorted ? texts.sorted() : texts).collect(Collectors.joining(",", "[", "]"));
    }

    private static String object(Object value, List<Member> members) {
        return members.stream()
                .map(member -> quoted(member.name()) + ":" + text(member.of(value), member.members(), false))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String name(Enum<?> constant) {
        return NAMES.getOrDefault(constant.getDeclaringClass().getSimpleName() + "." + constant.name(), constant.name());
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        text.chars().forEach(unit -> out.append(switch (unit) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> unit < ' ' ? String.format("\\u%04X", unit) : String.valueOf((char) unit);
        }));
        return out.append('"').toString();
    }

    /** A member under its C# name, the accessor that reads it, and the members of what it holds. */
    private record Member(String name, String accessor, List<Member> members) {

        Member(String name, String accessor, Member... members) {
            this(name, accessor, List.of(members));
        }

        Object of(Object value) {
            try {
                var method = value.getClass().getDeclaredMethod(accessor);
                method.setAccessible(true);
                return method.invoke(value);
            } catch (InvocationTargetException error) {
                throw new IllegalStateException(error.getCause());
            } catch (ReflectiveOperationException missing) {
                throw new IllegalStateException(missing);
            }
        }
    }
}

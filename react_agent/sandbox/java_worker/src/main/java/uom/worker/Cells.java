package uom.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.types.Binary;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Write a Java value as a cell of a C# type.
 *
 * <p>A value that the type cannot hold (a long beyond int, 2.5 as an int) becomes a cell of its own type,
 * so that the judge sees a difference, not an error and not a rounded value.
 */
final class Cells {

    private static final Map<String, BigInteger[]> RANGES = Map.of(
            "byte", range(0, 255),
            "sbyte", range(-128, 127),
            "short", range(Short.MIN_VALUE, Short.MAX_VALUE),
            "ushort", range(0, 65_535),
            "int", range(Integer.MIN_VALUE, Integer.MAX_VALUE),
            "uint", range(0, 4_294_967_295L),
            "long", range(Long.MIN_VALUE, Long.MAX_VALUE),
            "ulong", new BigInteger[] {BigInteger.ZERO, BigInteger.TWO.pow(64).subtract(BigInteger.ONE)});

    private Cells() {}

    static ObjectNode empty() {
        return Json.object().put("t", "null");
    }

    /** Write a value as a cell of the type, or of its own type, or null when it is no scalar at all. */
    static ObjectNode write(Object value, String type) {
        var text = text(value, type);
        if (text == null) {
            var own = ownType(value);
            return own == null ? null : cell(own, text(value, own));
        }
        return cell(type, text);
    }

    private static ObjectNode cell(String type, String text) {
        var cell = Json.object().put("t", type).put("v", text);
        return type.equals("datetime") ? cell.put("kind", "Unspecified") : cell;
    }

    private static BigInteger[] range(long least, long greatest) {
        return new BigInteger[] {BigInteger.valueOf(least), BigInteger.valueOf(greatest)};
    }

    /** Write a value in the type's text form; null when it does not fit. */
    private static String text(Object value, String type) {
        return switch (type) {
            case "bool" -> value instanceof Boolean bool ? bool.toString() : null;
            case "byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong" -> integer(value, RANGES.get(type));
            case "float" -> floating(value, true);
            case "double" -> floating(value, false);
            case "decimal" -> exact(value) instanceof BigDecimal exact ? Numbers.decimal(exact) : null;
            case "char" -> character(value);
            case "string" -> string(value);
            case "guid" -> guid(value);
            case "uri" -> value instanceof URI || value instanceof CharSequence ? value.toString() : null;
            case "bytes" -> bytes(value) instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : null;
            case "json" -> json(value);
            default -> moment(value, type);
        };
    }

    private static String moment(Object value, String type) {
        return switch (type) {
            case "datetime" -> Moments.dateTime(value) instanceof LocalDateTime local ? Moments.text(local) : null;
            case "datetimeoffset" -> Moments.offset(value) == null ? null : Moments.text(Moments.offset(value));
            case "date" -> Moments.dateTime(value) instanceof LocalDateTime local && local.equals(local.toLocalDate().atStartOfDay())
                    ? local.toLocalDate().toString()
                    : null;
            case "time" -> value instanceof LocalTime time ? Moments.text(time) : null;
            case "timespan" -> switch (value) {
                case Duration duration -> Moments.text(duration);
                case LocalTime time -> Moments.text(Duration.ofNanos(time.toNanoOfDay()));
                default -> null;
            };
            default -> throw new Refusal("shape", "a scalar shape has the unknown type \"" + type + "\"");
        };
    }

    /** Take a number without loss; null when it is none, or not finite. */
    private static BigDecimal exact(Object value) {
        return switch (value) {
            case BigDecimal decimal -> decimal;
            case BigInteger integer -> new BigDecimal(integer);
            case Decimal128 decimal -> decimal.isNaN() || decimal.isInfinite() ? null : plain(decimal);
            case Double number -> Double.isFinite(number) ? new BigDecimal(number.toString()) : null;
            case Float number -> Float.isFinite(number) ? new BigDecimal(number.toString()) : null;
            case Number number -> BigDecimal.valueOf(number.longValue());
            default -> null;
        };
    }

    /** The driver refuses to make a BigDecimal of a negative zero. */
    private static BigDecimal plain(Decimal128 decimal) {
        return decimal.isNegative() && new BigDecimal(decimal.toString()).signum() == 0
                ? BigDecimal.ZERO
                : decimal.bigDecimalValue();
    }

    private static String integer(Object value, BigInteger[] range) {
        if (!(exact(value) instanceof BigDecimal exact) || exact.stripTrailingZeros().scale() > 0) {
            return null;
        }
        var integer = exact.toBigIntegerExact();
        return integer.compareTo(range[0]) < 0 || integer.compareTo(range[1]) > 0 ? null : integer.toString();
    }

    private static String floating(Object value, boolean single) {
        if (!(value instanceof Number number) || number instanceof Long whole && (long) whole.doubleValue() != whole) {
            return null;
        }
        return single ? Numbers.text(number.floatValue()) : Numbers.text(number.doubleValue());
    }

    private static String character(Object value) {
        return switch (value) {
            case Character character -> character.toString();
            case CharSequence text when text.length() == 1 -> text.toString();
            default -> null;
        };
    }

    private static String string(Object value) {
        return switch (value) {
            case CharSequence text -> text.toString();
            case Character character -> character.toString();
            case Enum<?> constant -> constant.name();
            case UUID uuid -> uuid.toString();
            case ObjectId id -> id.toHexString();
            case URI uri -> uri.toString();
            default -> null;
        };
    }

    private static String guid(Object value) {
        try {
            return switch (value) {
                case UUID uuid -> uuid.toString();
                case CharSequence text -> UUID.fromString(text.toString()).toString();
                default -> null;
            };
        } catch (IllegalArgumentException noGuid) {
            return null;
        }
    }

    private static byte[] bytes(Object value) {
        return switch (value) {
            case byte[] bytes -> bytes;
            case Binary binary -> binary.getData();
            case BsonBinary binary -> binary.getData();
            default -> null;
        };
    }

    private static String json(Object value) {
        return switch (value) {
            case CharSequence text -> text.toString();
            case Document document -> document.toJson();
            case BsonDocument document -> document.toJson();
            default -> null;
        };
    }

    private static String ownType(Object value) {
        return switch (value) {
            case Boolean ignored -> "bool";
            case Byte ignored -> "sbyte";
            case Short ignored -> "short";
            case Integer ignored -> "int";
            case Long ignored -> "long";
            case Float ignored -> "float";
            case Double ignored -> "double";
            case Number number -> exact(number) == null ? "double" : "decimal";
            case Character ignored -> "char";
            case UUID ignored -> "guid";
            case LocalDate ignored -> "date";
            case LocalTime ignored -> "time";
            case Duration ignored -> "timespan";
            case OffsetDateTime ignored -> "datetimeoffset";
            default -> otherType(value);
        };
    }

    private static String otherType(Object value) {
        if (Moments.dateTime(value) != null) {
            return "datetime";
        }
        if (bytes(value) != null) {
            return "bytes";
        }
        return string(value) == null ? null : "string";
    }
}

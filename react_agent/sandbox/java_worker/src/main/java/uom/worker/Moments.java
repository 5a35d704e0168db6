package uom.worker;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Date;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Write and read dates and times as .NET does, in ticks of 100 ns.
 *
 * <p>A {@code DateTime} has no zone in a cell, so what has one in Java is taken in UTC.
 */
final class Moments {

    private static final DateTimeFormatter DATE_TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSS", Locale.ROOT);
    private static final DateTimeFormatter OFFSET = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSxxx", Locale.ROOT);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSS", Locale.ROOT);
    private static final Pattern TIME_SPAN = Pattern.compile("(-?)(?:(\\d+)\\.)?(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d{1,7}))?)?");
    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000);
    private static final long SECONDS_OF_DAY = 86_400;

    private Moments() {}

    /** Take a value's date and time of day; null when it is no point in time. */
    static LocalDateTime dateTime(Object value) {
        return switch (value) {
            case LocalDateTime local -> local;
            case LocalDate date -> date.atStartOfDay();
            case Instant instant -> LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
            case Date date -> LocalDateTime.ofInstant(Instant.ofEpochMilli(date.getTime()), ZoneOffset.UTC);
            case OffsetDateTime offset -> offset.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
            case ZonedDateTime zoned -> zoned.withZoneSameInstant(ZoneOffset.UTC).toLocalDateTime();
            default -> null;
        };
    }

    /** Take a value's point in time and offset, UTC where it has none; null when it is no point in time. */
    static OffsetDateTime offset(Object value) {
        return switch (value) {
            case OffsetDateTime offset -> offset;
            case ZonedDateTime zoned -> zoned.toOffsetDateTime();
            default -> {
                var local = dateTime(value);
                yield local == null ? null : local.atOffset(ZoneOffset.UTC);
            }
        };
    }

    static String text(LocalDateTime value) {
        return DATE_TIME.format(value);
    }

    static String text(OffsetDateTime value) {
        return OFFSET.format(value);
    }

    static String text(LocalTime value) {
        return TIME.format(value);
    }

    /** Write .NET's constant form: {@code [-][d.]hh:mm:ss[.fffffff]}. */
    static String text(Duration value) {
        var size = value.abs();
        var days = size.toDays();
        var ticks = size.getNano() / 100;
        return (value.isNegative() ? "-" : "")
                + (days == 0 ? "" : days + ".")
                + "%02d:%02d:%02d".formatted(size.toHoursPart(), size.toMinutesPart(), size.toSecondsPart())
                + (ticks == 0 ? "" : ".%07d".formatted(ticks));
    }

    /** Read a {@code DateTime} or {@code DateTimeOffset}; one without an offset stands in UTC. */
    static OffsetDateTime parse(String text) {
        try {
            return OffsetDateTime.parse(text);
        } catch (DateTimeParseException withoutOffset) {
            return text.length() == 10
                    ? LocalDate.parse(text).atStartOfDay().atOffset(ZoneOffset.UTC)
                    : LocalDateTime.parse(text.replace(' ', 'T')).atOffset(ZoneOffset.UTC);
        }
    }

    static Duration parseTimeSpan(String text) {
        var match = TIME_SPAN.matcher(text);
        if (!match.matches()) {
            throw new DateTimeParseException("not a TimeSpan of the form [-][d.]hh:mm:ss[.fffffff]", text, 0);
        }
        var seconds = number(match.group(2)) * SECONDS_OF_DAY
                + number(match.group(3)) * 3600
                + number(match.group(4)) * 60
                + number(match.group(5));
        var fraction = match.group(6) == null ? BigDecimal.ZERO : new BigDecimal("0." + match.group(6));
        var size = Duration.ofSeconds(seconds, fraction.multiply(NANOS).setScale(0, RoundingMode.UNNECESSARY).longValueExact());
        return match.group(1).isEmpty() ? size : size.negated();
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}

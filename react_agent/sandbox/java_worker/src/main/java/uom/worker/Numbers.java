package uom.worker;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Map;
import java.util.function.Predicate;

/** Write numbers as .NET does in the invariant culture. */
final class Numbers {

    /** Up to so many places before the point .NET writes a double plainly. */
    private static final int DOUBLE_PLACES = 17;

    private static final int FLOAT_PLACES = 9;

    /** Two powers of two, of all there are, that .NET writes with a digit too few: its text reads back as the number below. */
    private static final Map<Double, BigDecimal> TOO_SHORT =
            Map.of(0x1p-25, new BigDecimal("2.980232238769531E-08"), 0x1p-958, new BigDecimal("4.104536801298376E-289"));

    private Numbers() {}

    /** The scale of a decimal means nothing, so none is written: {@code 9.90} is {@code 9.9}. */
    static String decimal(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }

    static String text(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.toString(value);
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        var digits = digits(Double.toString(Math.abs(value)), candidate -> candidate.doubleValue() == Math.abs(value));
        var written = TOO_SHORT.getOrDefault(Math.abs(value), digits);
        return general(value < 0 ? written.negate() : written, DOUBLE_PLACES);
    }

    static String text(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return Float.toString(value);
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        return general(digits(Float.toString(value), candidate -> candidate.floatValue() == value), FLOAT_PLACES);
    }

    /** Java writes two digits at least ({@code 4.9E-324}); .NET writes one where one reads back as the same number. */
    private static BigDecimal digits(String java, Predicate<BigDecimal> isSame) {
        var digits = new BigDecimal(java).stripTrailingZeros();
        var one = digits.round(new MathContext(1, RoundingMode.HALF_EVEN)).stripTrailingZeros();
        return digits.precision() == 2 && isSame.test(one) ? one : digits;
    }

    /** .NET's "R": plain between 0.0001 and so many places before the point, else scientific with two places of exponent. */
    private static String general(BigDecimal digits, int places) {
        var scale = digits.precision() - digits.scale();
        if (scale >= -3 && scale <= places) {
            return digits.toPlainString();
        }
        var figures = digits.unscaledValue().abs().toString();
        var exponent = scale - 1;
        return (digits.signum() < 0 ? "-" : "")
                + figures.charAt(0)
                + (figures.length() > 1 ? "." + figures.substring(1) : "")
                + (exponent < 0 ? "E-" : "E+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }
}

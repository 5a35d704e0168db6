package uom.worker;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

/** Write numbers as .NET does in the invariant culture. */
final class Numbers {

    /** Up to so many places before the point .NET writes a double plainly. */
    private static final int DOUBLE_PLACES = 17;

    private static final int FLOAT_PLACES = 9;

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
        var digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        var shorter = digits.precision() == 2 ? oneDigit(digits, digit -> digit.doubleValue() == value) : null;
        return general(shorter == null ? digits : shorter, DOUBLE_PLACES);
    }

    static String text(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return Float.toString(value);
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        var digits = new BigDecimal(Float.toString(value)).stripTrailingZeros();
        var shorter = digits.precision() == 2 ? oneDigit(digits, digit -> digit.floatValue() == value) : null;
        return general(shorter == null ? digits : shorter, FLOAT_PLACES);
    }

    /** Java writes two digits at least ({@code 4.9E-324}); .NET writes one where one reads back as the same number. */
    private static BigDecimal oneDigit(BigDecimal digits, Predicate<BigDecimal> isSame) {
        var rounded = digits.round(new MathContext(1, RoundingMode.HALF_EVEN));
        return isSame.test(rounded) ? rounded.stripTrailingZeros() : null;
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

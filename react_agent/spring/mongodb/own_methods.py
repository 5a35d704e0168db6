"""Own methods: what a query class has of its own where its methods need it."""

from react_agent.spring.mongodb.commands import SET_OR_UNSET
from react_agent.spring.mongodb.functions import CHECKED_YEAR
from react_agent.spring.mongodb.predicates import IGNORING_CASE

OWN_METHODS = {
    IGNORING_CASE: f"""
    /** Writes a text as a pattern in which ASCII letters match in either case, as LIKE takes them. */
    private static String {IGNORING_CASE}(String text) {{
        return text.codePoints()
                .mapToObj(c -> c < 128 && Character.isLetter(c)
                        ? "[" + Character.toString(Character.toLowerCase(c))
                                + Character.toString(Character.toUpperCase(c)) + "]"
                        : Pattern.quote(Character.toString(c)))
                .collect(Collectors.joining());
    }}""",
    SET_OR_UNSET: f"""
    /** Sets a field, or takes it away: a null is not stored. */
    private static Update {SET_OR_UNSET}(Update update, String field, @Nullable Object value) {{
        return value == null ? update.unset(field) : update.set(field, value);
    }}""",
    CHECKED_YEAR: f"""
    /** Refuses what is no year of a C# date. */
    private static int {CHECKED_YEAR}(int year) {{
        if (year < 1 || year > 9999) {{
            throw new IllegalArgumentException("not a year from 1 to 9999: " + year);
        }}
        return year;
    }}""",
}
"""What a class has of its own where its methods need it."""

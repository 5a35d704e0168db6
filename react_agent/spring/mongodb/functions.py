"""Functions: framework methods on parameters, computed in Java before the query runs."""

from collections.abc import Callable

from react_agent.model.mapping import ClrType
from react_agent.model.query import Call, Cast, Constant, Expression
from react_agent.model.values import CellType, scalar
from react_agent.spring.java import Imports
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.types import INTEGERS

Write = Callable[..., str]

_PLAIN: dict[str, Write] = {
    "string.IsNullOrEmpty": lambda s: f"({s} == null || {s}.isEmpty())",
    "string.IsNullOrWhiteSpace": lambda s: f"({s} == null || {s}.isBlank())",
    "string.Trim": lambda s: f"{s}.strip()",
    "string.TrimStart": lambda s: f"{s}.stripLeading()",
    "string.TrimEnd": lambda s: f"{s}.stripTrailing()",
    "string.Length": lambda s: f"{s}.length()",
    "string.Contains": lambda s, t: f"{s}.contains({t})",
    "string.StartsWith": lambda s, t: f"{s}.startsWith({t})",
    "string.EndsWith": lambda s, t: f"{s}.endsWith({t})",
    "string.Replace": lambda s, old, new: f"{s}.replace({old}, {new})",
    "Enumerable.Count": lambda items: f"{items}.size()",
    "Enumerable.Contains": lambda items, item: f"{items}.contains({item})",
    "DateOnly.AddDays": lambda day, n: f"{day}.plusDays({n})",
    "DateOnly.AddMonths": lambda day, n: f"{day}.plusMonths({n})",
    "DateOnly.AddYears": lambda day, n: f"{day}.plusYears({n})",
    "DateOnly.Year": lambda day: f"{day}.getYear()",
    "DateOnly.Month": lambda day: f"{day}.getMonthValue()",
    "DateOnly.Day": lambda day: f"{day}.getDayOfMonth()",
    "Math.Max": lambda a, b: f"Math.max({a}, {b})",
    "Math.Min": lambda a, b: f"Math.min({a}, {b})",
    "Math.Abs": lambda a: f"Math.abs({a})",
}
_LOCALE: dict[str, Write] = {
    "string.ToLower": lambda s, locale: f"{s}.toLowerCase({locale}.ROOT)",
    "string.ToUpper": lambda s, locale: f"{s}.toUpperCase({locale}.ROOT)",
}
_UNITS = {
    "AddDays": "DAYS",
    "AddHours": "HOURS",
    "AddMinutes": "MINUTES",
    "AddSeconds": "SECONDS",
    "AddMilliseconds": "MILLIS",
}
_CALENDAR = {"AddMonths": "plusMonths", "AddYears": "plusYears"}
_PARTS = {
    "Year": "getYear",
    "Month": "getMonthValue",
    "Day": "getDayOfMonth",
    "Hour": "getHour",
    "Minute": "getMinute",
    "Second": "getSecond",
}
CHECKED_YEAR = "checkedYear"
"""The Java method that refuses a year that no C# date has."""
NULL_SAFE = frozenset({"string.IsNullOrEmpty", "string.IsNullOrWhiteSpace"})


def function(call: Call, written: list[str], imports: Imports) -> str:
    """Write a call, with its arguments as they are written.

    Raises:
        Untranslatable: Java has no exact counterpart.
    """
    plain = _PLAIN.get(call.method)
    if plain is not None:
        return plain(*written)
    if call.method in _LOCALE:
        return _LOCALE[call.method](*written, imports.use("java.util.Locale"))
    owner, _, name = call.method.rpartition(".")
    if owner in {"DateTime", "DateTimeOffset"}:
        found = _of_moment(name, call, written, imports)
        if found is not None:
            return found
    if name == "new" and owner in {"DateOnly", "DateTime"}:
        return _made(owner, written, imports)
    hazard = {"DateTime": "Q58", "DateTimeOffset": "Q58", "string": "Q12", "Math": "Q38"}.get(owner, "Q57")
    raise Untranslatable(call.method, "on parameters", hazard)


def _of_moment(name: str, call: Call, written: list[str], imports: Imports) -> str | None:
    """Write a date function of an `Instant`, which has no calendar of its own; `-n` days are `n` days before."""
    unit, moment = imports.use("java.time.temporal.ChronoUnit"), written[0]
    if name == "Date" and call.method.startswith("DateTime."):
        return f"{moment}.truncatedTo({unit}.DAYS)"
    zone = imports.use("java.time.ZoneOffset")
    if name in _UNITS and is_whole(call.arguments[1]):
        way, count = ("minus", written[1][1:]) if written[1].startswith("-") else ("plus", written[1])
        return f"{moment}.{way}({count}, {unit}.{_UNITS[name]})"
    if name in _CALENDAR:
        return f"{moment}.atOffset({zone}.UTC).{_CALENDAR[name]}({written[1]}).toInstant()"
    if name in _PARTS and call.method.startswith("DateTime."):
        return f"{moment}.atOffset({zone}.UTC).{_PARTS[name]}()"
    return None


def is_whole(expression: Expression) -> bool:
    """Whether a number is an integer that C# widened: fractions of a unit round in ways of their own."""
    if isinstance(expression, Constant):
        return "." not in (expression.cell.text or ".").lower() and "e" not in (expression.cell.text or "").lower()
    operand = expression.operand if isinstance(expression, Cast) else expression
    return operand.type.name in INTEGERS


def whole(expression: Expression) -> Expression:
    """Take the integer that was widened."""
    if isinstance(expression, Constant) and is_whole(expression) and expression.cell.text is not None:
        return Constant(cell=scalar(CellType.INT, expression.cell.text), type=ClrType(name="int"))
    return expression.operand if isinstance(expression, Cast) and is_whole(expression) else expression


def _made(owner: str, written: list[str], imports: Imports) -> str:
    year = written[0] if written[0].isdigit() else f"{CHECKED_YEAR}({written[0]})"
    day = f"{imports.use('java.time.LocalDate')}.of({', '.join([year, *written[1:3]])})"
    if owner == "DateOnly":
        return day
    zone = imports.use("java.time.ZoneOffset")
    if len(written) == 3:
        return f"{day}.atStartOfDay({zone}.UTC).toInstant()"
    return f"{day}.atTime({', '.join(written[3:])}).toInstant({zone}.UTC)"

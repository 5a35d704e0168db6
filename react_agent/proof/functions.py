"""Functions: what the framework's methods give in a query, for the interpreter; anything else is Unknown."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from react_agent.proof.runtime import EnumValue, Unknown


def call(method: str, values: tuple[Any, ...], *, pattern_is_constant: bool) -> Any:
    """Apply a framework method to values. A null operand makes null, as in SQL."""
    owner, _, name = method.rpartition(".")
    if name == "Contains" and values and isinstance(values[0], tuple):
        return values[1] in values[0]
    if owner == "string" and name in _NULL_SAFE:
        return _NULL_SAFE[name](*values)
    found = _METHODS.get(method) or _BY_NAME.get(name if owner in {"DateTime", "Math", "DateOnly"} else "")
    if method in {"string.StartsWith", "string.EndsWith"} and pattern_is_constant:
        found = _like(name)
    if found is None:
        raise Unknown(f"the method {method}")
    if any(value is None for value in values):
        return None
    try:
        return found(*values)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise Unknown(f"{method}: {error}") from None


def _like(name: str) -> Callable[[str, str], bool]:
    """SQLite's LIKE ignores the case of ASCII letters, C# does not: where that shows there is no one answer."""

    def match(text: str, part: str) -> bool:
        check = str.startswith if name == "StartsWith" else str.endswith
        exact = check(text, part)
        if exact != check(text.lower(), part.lower()):
            raise Unknown(f"{name} with a constant, where case decides")
        return exact

    return match


def _ascii(function: Callable[[str], str]) -> Callable[[str], str]:
    def apply(text: str) -> str:
        if not text.isascii():
            raise Unknown("changing the case of letters beyond ASCII")
        return function(text)

    return apply


def _substring(text: str, start: int, length: int | None = None) -> str:
    if start < 0 or (length is not None and length < 0):
        raise Unknown("a negative Substring")
    return text[start:] if length is None else text[start : start + length]


def _length(text: str) -> int:
    if any(ord(letter) > 0xFFFF for letter in text):
        raise Unknown("the length of letters outside the first plane")
    return len(text)


def _to_string(value: Any) -> str:
    if isinstance(value, EnumValue) and value.name is not None:
        return value.name
    if isinstance(value, int | str) and not isinstance(value, bool):
        return str(value)
    raise Unknown("ToString of this type")


_NULL_SAFE: Mapping[str, Callable[[Any], bool]] = {
    "IsNullOrEmpty": lambda text: text is None or text == "",
    "IsNullOrWhiteSpace": lambda text: text is None or not text.strip(),
}

_METHODS: Mapping[str, Callable[..., Any]] = {
    "string.Contains": lambda text, part: part in text,
    "string.StartsWith": lambda text, part: text.startswith(part),
    "string.EndsWith": lambda text, part: text.endswith(part),
    "string.Length": _length,
    "string.ToLower": _ascii(str.lower),
    "string.ToUpper": _ascii(str.upper),
    "string.Trim": lambda text: text.strip(" "),
    "string.Replace": lambda text, old, new: text.replace(old, new),
    "string.IndexOf": lambda text, part: text.find(part),
    "string.Substring": _substring,
    "Enum.ToString": _to_string,
    "int.ToString": _to_string,
    "long.ToString": _to_string,
    "object.ToString": _to_string,
}

_BY_NAME: Mapping[str, Callable[..., Any]] = {
    "Year": lambda value: value.year,
    "Month": lambda value: value.month,
    "Day": lambda value: value.day,
    "Hour": lambda value: value.hour,
    "Minute": lambda value: value.minute,
    "Second": lambda value: value.second,
    "DayOfYear": lambda value: value.timetuple().tm_yday,
    "Date": lambda value: datetime(value.year, value.month, value.day),  # noqa: DTZ001 - as in runtime
    "AddDays": lambda value, days: value + timedelta(days=float(days)),
    "AddHours": lambda value, hours: value + timedelta(hours=float(hours)),
    "AddMinutes": lambda value, minutes: value + timedelta(minutes=float(minutes)),
    "Abs": abs,
    "Max": max,
    "Min": min,
}

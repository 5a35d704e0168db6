"""Calls: methods of the framework that a query may hold, with their types."""

from collections.abc import Sequence as Items

from react_agent.csharp.constants import converted
from react_agent.csharp.operators import equality, infix
from react_agent.csharp.scope import Refused
from react_agent.csharp.types import BOOL, DOUBLE, INT, NUMBERS, STRING
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import Call, Expression, Var, walk

_CHAR = ClrType(name="char")
_TEXT: dict[str, tuple[ClrType, tuple[tuple[ClrType, ...], ...]]] = {
    "Contains": (BOOL, ((STRING,), (_CHAR,))),
    "StartsWith": (BOOL, ((STRING,), (_CHAR,))),
    "EndsWith": (BOOL, ((STRING,), (_CHAR,))),
    "ToLower": (STRING, ((),)),
    "ToUpper": (STRING, ((),)),
    "Trim": (STRING, ((),)),
    "TrimStart": (STRING, ((),)),
    "TrimEnd": (STRING, ((),)),
    "Substring": (STRING, ((INT,), (INT, INT))),
    "IndexOf": (INT, ((STRING,), (_CHAR,))),
    "Replace": (STRING, ((STRING, STRING), (_CHAR, _CHAR))),
    "CompareTo": (INT, ((STRING,),)),
    "ToString": (STRING, ((),)),
}
_INVARIANT = {"ToLowerInvariant": "ToLower", "ToUpperInvariant": "ToUpper"}
"""Of a value that is known before the query; EF Core has no form for them on a column."""

_ADDERS = {
    "DateTime": {"AddDays", "AddHours", "AddMinutes", "AddSeconds", "AddMilliseconds", "AddMonths", "AddYears"},
    "DateTimeOffset": {"AddDays", "AddHours", "AddMinutes", "AddSeconds", "AddMonths", "AddYears"},
    "DateOnly": {"AddDays", "AddMonths", "AddYears"},
    "TimeOnly": {"AddHours", "AddMinutes"},
}
_WHOLE_ADDERS = frozenset({"AddMonths", "AddYears"})
_MATH_SAME = frozenset({"Abs", "Round", "Floor", "Ceiling", "Truncate", "Max", "Min"})
_MATH_DOUBLE = frozenset({"Pow", "Sqrt", "Exp", "Log", "Log10", "Sin", "Cos", "Tan"})
_NOW = frozenset({"Now", "UtcNow", "Today"})


def instance_call(target: Expression, name: str, arguments: Items[Expression], span: Span) -> Expression:
    """Type a call on a value.

    Raises:
        Refused: the method is not known.
    """
    kind = target.type.name
    if kind == "string" and name in _INVARIANT and not any(isinstance(n, Var) for n in walk(target)):
        name = _INVARIANT[name]
    if name == "Equals" and len(arguments) == 1:
        return equality("==", target, arguments[0], span)
    if kind == "string" and name in _TEXT:
        result, forms = _TEXT[name]
        return _fitted(f"string.{name}", target, arguments, forms, result, span)
    if name == "ToString" and not arguments:
        return Call(method=f"{_family(target.type)}.ToString", arguments=(target,), type=STRING)
    if name == "HasFlag" and len(arguments) == 1:
        return Call(method="Enum.HasFlag", arguments=(target, arguments[0]), type=BOOL)
    if name in _ADDERS.get(kind, ()):
        wanted = INT if name in _WHOLE_ADDERS or kind == "DateOnly" else DOUBLE
        return _fitted(f"{kind}.{name}", target, arguments, ((wanted,),), target.type, span)
    if name == "CompareTo" and len(arguments) == 1 and arguments[0].type.name == kind:
        return Call(method=f"{kind}.CompareTo", arguments=(target, arguments[0]), type=INT)
    hazard = "Q58" if kind in _ADDERS else "Q12" if kind == "string" else ""
    raise Refused(f"{kind}.{name}", "this method is not read in a query", span, hazard)


def _family(type_: ClrType) -> str:
    known = {*NUMBERS, "bool", "char", "Guid", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan", "Uri"}
    return type_.name if type_.name in known else "Enum"


def _fitted(
    method: str,
    target: Expression | None,
    arguments: Items[Expression],
    forms: Items[tuple[ClrType, ...]],
    result: ClrType,
    span: Span,
) -> Expression:
    """Fit the arguments to the first form that takes them."""
    for form in forms:
        fitted = [converted(a, t) for a, t in zip(arguments, form, strict=False)]
        if len(form) == len(arguments) and all(f.type.name == t.name for f, t in zip(fitted, form, strict=True)):
            first = () if target is None else (target,)
            return Call(method=method, arguments=(*first, *fitted), type=result)
    given = ", ".join(str(a.type) for a in arguments)
    hazard = "Q10" if "StringComparison" in given else "Q12" if method.startswith("string.") else ""
    raise Refused(method, f"this form ({given}) is not read in a query", span, hazard)


def static_call(owner: str, name: str, arguments: Items[Expression], span: Span) -> Expression:
    """Type a call of a static method of the framework.

    Raises:
        Refused: the method is not known.
    """
    match owner, name:
        case "string", "IsNullOrEmpty" | "IsNullOrWhiteSpace":
            return _fitted(f"string.{name}", None, arguments, ((STRING,),), BOOL, span)
        case "string", "Concat" if len(arguments) > 1:
            out = infix("+", _text(arguments[0]), _text(arguments[1]), span)
            for more in arguments[2:]:
                out = infix("+", out, _text(more), span)
            return out
        case "string", "Compare" if len(arguments) == 2:
            return _fitted("string.Compare", None, arguments, ((STRING, STRING),), INT, span)
        case "string" | "object" | "Equals", "Equals" if len(arguments) == 2:
            return equality("==", arguments[0], arguments[1], span)
        case "EF.Functions", "Like" if len(arguments) == 2:
            return _fitted("EF.Like", None, arguments, ((STRING, STRING),), BOOL, span)
        case "Math" | "MathF", _:
            return _math(name, arguments, span)
    hazard = "Q11" if owner.startswith("EF") else ""
    raise Refused(f"{owner}.{name}", "this method is not read in a query", span, hazard)


def _text(value: Expression) -> Expression:
    return (
        value
        if value.type.name == "string"
        else Call(method=f"{_family(value.type)}.ToString", arguments=(value,), type=STRING)
    )


def _math(name: str, arguments: Items[Expression], span: Span) -> Expression:
    if name in _MATH_DOUBLE:
        forms = (tuple(DOUBLE for _ in arguments),)
        return _fitted(f"Math.{name}", None, arguments, forms, DOUBLE, span)
    if name not in _MATH_SAME or not arguments:
        raise Refused(f"Math.{name}", "this method is not read in a query", span, "Q38")
    if name == "Round" and len(arguments) == 2 and arguments[1].type.name == "int":
        first = _rounded(arguments[0])
        return Call(method="Math.Round", arguments=(first, arguments[1]), type=first.type)
    if name in {"Max", "Min"} and len(arguments) == 2:
        both = infix("+", arguments[0], arguments[1], span).type
        fitted = tuple(converted(a, both) for a in arguments)
        return Call(method=f"Math.{name}", arguments=fitted, type=both)
    if len(arguments) != 1:
        raise Refused(f"Math.{name}", "this form is not read in a query", span, "Q38")
    value = arguments[0] if name == "Abs" else _rounded(arguments[0])
    if value.type.name not in NUMBERS or value.type.nullable:
        raise Refused(f"Math.{name}", f"not read on `{value.type}`", span, "Q38")
    return Call(method=f"Math.{name}", arguments=(value,), type=value.type)


def _rounded(value: Expression) -> Expression:
    return value if value.type.name in {"decimal", "double", "float"} else converted(value, DOUBLE)


def static_member(owner: str, name: str, span: Span) -> Refused:
    """Explain why a static property is not read."""
    if owner in {"DateTime", "DateTimeOffset"} and name in _NOW:
        return Refused(f"{owner}.{name}", "the clock is read; make it a parameter", span, "Q58")
    if owner == "StringComparison":
        return Refused(f"{owner}.{name}", "EF Core translates no StringComparison", span, "Q10")
    return Refused(f"{owner}.{name}", "this static member is not read in a query", span)

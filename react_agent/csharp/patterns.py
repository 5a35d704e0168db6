"""Patterns: `is` and `case` as predicates."""

from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.constants import literal, null_of
from react_agent.csharp.members import member
from react_agent.csharp.operators import cast, equality, infix, prefix
from react_agent.csharp.scope import (
    Names,
    Reader,
    Refused,
    Value,
)
from react_agent.csharp.types import bare, is_value, nullable
from react_agent.model.gap import Span
from react_agent.model.query import Expression

Evaluate = Callable[[Reader, cs.Expression, Names], Value]


def matches(
    reader: Reader, value: Expression, pattern: cs.Pattern, names: Names, span: Span, evaluate: Evaluate
) -> Expression:
    """Read a pattern as a predicate.

    Raises:
        Refused: the pattern tests a type or binds a name.
    """
    match pattern:
        case cs.AnyPattern():
            return literal(cs.Literal(kind="bool", text="true", span=span))
        case cs.ValuePattern(value=constant, operator="=="):
            return equality("==", value, _constant(reader, constant, names, evaluate), span)
        case cs.ValuePattern(value=constant, operator=operator):
            return infix(operator, value, _constant(reader, constant, names, evaluate), span)
        case cs.NotPattern(pattern=cs.ValuePattern(value=constant, operator="==")):
            return equality("!=", value, _constant(reader, constant, names, evaluate), span)
        case cs.NotPattern(pattern=inner):
            return prefix("!", matches(reader, value, inner, names, span, evaluate), span)
        case cs.BindPattern(name=name, type=type_):
            return _bound_pattern(reader, value, name, type_, names, span)
        case cs.MembersPattern():
            return _members(reader, value, pattern, names, span, evaluate)
        case cs.BothPattern(operator=operator, left=left, right=right):
            one, other = (matches(reader, value, p, names, span, evaluate) for p in (left, right))
            return infix("||" if operator == "or" else "&&", one, other, span)
    raise Refused("pattern", "a pattern that tests a type or binds a name is not read", span, "Q61")


def _bound_pattern(
    reader: Reader, value: Expression, name: str, type_: cs.TypeRef | None, names: Names, span: Span
) -> Expression:
    """Read `x is int y` on an `int?`, or `x is { } y`: not null, and `y` from there on."""
    wanted = value.type if type_ is None else reader.known.type_of(type_)
    if wanted.name != value.type.name:
        raise Refused("pattern", f"a test of `{value.type}` for `{wanted}` is not read", span, "Q61")
    names[name] = cast(value, bare(value.type)) if is_value(value.type, reader.known.values) else value
    return equality("!=", value, null_of(nullable(value.type)), span)


def _members(
    reader: Reader, value: Expression, pattern: cs.MembersPattern, names: Names, span: Span, evaluate: Evaluate
) -> Expression:
    """Read `x is { Length: > 0 } y`: not null, and what is asked of its members."""
    bound = names if pattern.name else {}
    test = _bound_pattern(reader, value, pattern.name, pattern.type, bound, span)
    known = value if value.type.element is not None else cast(value, bare(value.type))
    for name, inner in pattern.members:
        if not name:
            raise Refused("pattern", "a pattern of a member of a member is not read", span, "Q61")
        part = member(reader, known, name, span)
        test = infix("&&", test, matches(reader, part, inner, names, span, evaluate), span)
    return test


def _constant(reader: Reader, node: cs.Expression, names: Names, evaluate: Evaluate) -> Expression:
    value = evaluate(reader, node, names)
    if isinstance(value, Expression):
        return value
    raise Refused("pattern", "this is not a constant", node.span, "Q61")

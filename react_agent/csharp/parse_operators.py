"""Operators: chains of binary operators, `is` and casts, put together by C#'s own precedence.

The grammar at hand reads `a is null && b` as a test of `a` for `null && b`, `(a) - b` as a cast of `-b`, and the
argument `a * b` as the declaration of a pointer. The operands and operators are right in all three; only their grouping
is not, so it is made anew.
"""

from dataclasses import dataclass, replace

from react_agent.csharp import parse_expression
from react_agent.csharp import syntax as cs
from react_agent.csharp.tree import Tree
from react_agent.model.gap import Span

_LEVELS = (
    ("??",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">=", "is"),
    ("<<", ">>", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_PRECEDENCE = {name: level for level, names in enumerate(_LEVELS, 1) for name in names}
_RELATIONAL = _PRECEDENCE["is"]
_UNARY_TOO = frozenset({"+", "-", "*", "&"})
_NAMES = frozenset({"identifier", "qualified_name"})


@dataclass(frozen=True, slots=True)
class _Infix:
    """An operator between two operands."""

    name: str


@dataclass(frozen=True, slots=True)
class _Is:
    """`is pattern` behind an operand."""

    pattern: cs.Pattern


_Part = cs.Expression | _Infix | _Is


def operators(tree: Tree) -> cs.Expression:
    """Read a chain of operators as C# groups it."""
    parts = _flat(tree)
    expression, rest = _climbed(parts, 1)
    if rest:
        return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)
    return expression


def product(tree: Tree) -> cs.Expression | None:
    """Read an argument `a * b` that was taken for the declaration of a pointer; None for a real declaration."""
    to, name = tree.field("type"), tree.field("name")
    if to is None or name is None or to.kind != "pointer_type":
        return None
    left, right = _dotted(to.first()), parse_expression.expression(name)
    return cs.Infix(operator="*", left=left, right=right, span=tree.span)


def is_cast(tree: Tree) -> bool:
    """Whether a cast really is one: behind a plain name, `+`, `-`, `*` and `&` are binary."""
    to, value = tree.need("type"), tree.need("value")
    ambiguous = value.kind == "prefix_unary_expression" and value.tokens()[0] in _UNARY_TOO
    return not (to.kind in _NAMES and ambiguous)


def _dotted(tree: Tree) -> cs.Expression:
    """Read a name that was taken for a type as the value it is."""
    if tree.kind != "qualified_name":
        return parse_expression.expression(tree)
    owner, name = tree.need("qualifier"), tree.need("name")
    return cs.Access(target=_dotted(owner), name=name.source.lstrip("@"), span=name.span)


def _flat(tree: Tree) -> list[_Part]:
    """List operands and operators in the order of the text."""
    match tree.kind:
        case "binary_expression" if tree.need("operator").kind not in {"is", "as"}:
            operator = tree.need("operator").source
            return [*_flat(tree.need("left")), _Infix(operator), *_flat(tree.need("right"))]
        case "is_pattern_expression":
            return [*_flat(tree.need("expression")), *_pattern(tree.need("pattern"))]
        case "cast_expression" if not is_cast(tree):
            value = tree.need("value")
            return [_dotted(tree.need("type")), _Infix(value.tokens()[0]), *_flat(value.last())]
    return [parse_expression.expression(tree)]


def _pattern(tree: Tree) -> list[_Part]:
    """Give back what the last constant of a pattern has swallowed."""
    read = parse_expression.pattern(tree)
    last = _last_constant(tree)
    if last is None or last.kind != "binary_expression":
        return [_Is(read)]
    constant, rest = _climbed(_flat(last), _RELATIONAL + 1)
    return [_Is(_with_constant(read, constant)), *rest]


def _last_constant(tree: Tree) -> Tree | None:
    match tree.kind:
        case "negated_pattern" | "constant_pattern" | "relational_pattern":
            inner = tree.last()
            return inner if tree.kind != "negated_pattern" else _last_constant(inner)
        case "and_pattern" | "or_pattern":
            return _last_constant(tree.need("right"))
    return None


def _with_constant(pattern: cs.Pattern, constant: cs.Expression) -> cs.Pattern:
    match pattern:
        case cs.NotPattern():
            return replace(pattern, pattern=_with_constant(pattern.pattern, constant))
        case cs.BothPattern():
            return replace(pattern, right=_with_constant(pattern.right, constant))
        case cs.ValuePattern():
            return replace(pattern, value=constant)
    return pattern


def _climbed(parts: list[_Part], least: int) -> tuple[cs.Expression, list[_Part]]:
    """Group by precedence, from operators that bind at least as tight as `least`; the rest is for the caller."""
    left, *rest = parts
    assert not isinstance(left, _Infix | _Is)
    while rest:
        operator = rest[0]
        if isinstance(operator, _Is):
            if least > _RELATIONAL:
                break
            left, rest = cs.Matches(operand=left, pattern=operator.pattern, span=left.span), rest[1:]
            continue
        assert isinstance(operator, _Infix)
        level = _PRECEDENCE.get(operator.name, 0)
        if level < least:
            break
        right, rest = _climbed(rest[1:], level if operator.name == "??" else level + 1)
        left = cs.Infix(operator=operator.name, left=left, right=right, span=_from(left.span, right.span))
    return left, rest


def _from(start: Span, end: Span) -> Span:
    return replace(start, end_line=end.end_line, end_column=end.end_column)

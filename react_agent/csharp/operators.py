"""Operators: C#'s binary and unary operators, with the conversions that C# puts in."""

from dataclasses import replace

from react_agent.csharp.constants import converted, negated, null_of
from react_agent.csharp.scope import Refused
from react_agent.csharp.types import BOOL, INTEGERS, NUMBERS, STRING, bare, nullable, promoted
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Unary,
    UnaryOperator,
    Var,
    walk,
)
from react_agent.model.values import Cell, CellType

_COMPARISONS = frozenset({"<", "<=", ">", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
_TIMES = frozenset({"DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan"})
_COMPARING = frozenset({"string.Compare", "string.CompareTo"})
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

LIST_COUNT = "Enumerable.Count"
"""How many elements a list that is an argument has."""

_EMPTY = {("==", 0), ("<", 1), ("<=", 0)}
_NOT_EMPTY = {("!=", 0), (">", 0), (">=", 1)}


def is_null(value: Expression) -> bool:
    """Whether an expression is the null constant."""
    return isinstance(value, Constant) and value.cell.is_null


def infix(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    """Type a binary operation.

    Raises:
        Refused: C# or the query model has no such operation.
    """
    if operator in _COMPARISONS | {"==", "!="}:
        return _comparison(operator, left, right, span)
    if operator in {"&&", "||"} or (operator in {"&", "|"} and left.type.name == right.type.name == "bool"):
        return _logical(operator, left, right, span)
    if operator == "??":
        return _coalesced(left, right)
    if operator == "+" and "string" in {left.type.name, right.type.name}:
        return _concatenated(left, right)
    if operator in _ARITHMETIC:
        return _arithmetic(operator, left, right, span)
    if operator in {"&", "|"}:
        return _bitwise(operator, left, right, span)
    raise Refused(f"operator {operator}", "this operator has no form in a query", span, "Q60")


def _comparison(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    """Type a comparison; one of `a?.B` and one of a list's length say what they ask."""
    if isinstance(left, Conditional) and is_null(left.then) and _decides(operator, right):
        present = Unary(operator=UnaryOperator.NOT, operand=left.test, type=BOOL)
        return infix("&&", present, infix(operator, left.otherwise, right, span), span)
    if isinstance(left, Call) and left.method == LIST_COUNT and isinstance(right, Constant):
        text = right.cell.text or ""
        asked = (operator, int(text) if text.isdigit() else -1)
        if asked in _EMPTY | _NOT_EMPTY:
            return emptiness(left.arguments[0], empty=asked in _EMPTY)
    if operator in _COMPARISONS:
        ordered = _ordered(operator, left, right)
        return ordered if ordered is not None else _compared(operator, left, right, span)
    return equality(operator, left, right, span)


def _ordered(operator: str, left: Expression, right: Expression) -> Expression | None:
    """Read `string.Compare(a, b) > 0` and `a.CompareTo(b) > 0` as `a > b`, which is what EF Core sends."""
    if _is_zero(left) and isinstance(right, Call):
        return _ordered(_TURNED[operator], right, left)
    if not isinstance(left, Call) or left.method not in _COMPARING or not _is_zero(right):
        return None
    if not any(isinstance(n, Var) for n in walk(left)):
        return None  # .NET compares what is known before the query, by the rules of a culture
    one, other = left.arguments
    return Binary(operator=BinaryOperator(operator), left=one, right=other, type=BOOL)


def _is_zero(value: Expression) -> bool:
    return isinstance(value, Constant) and value.cell.text == "0"


def _decides(operator: str, right: Expression) -> bool:
    """Whether `a?.B op right` is false where `a` is null."""
    known = isinstance(right, Constant) and not is_null(right)
    return known and operator in _COMPARISONS | {"=="}


def emptiness(items: Expression, *, empty: bool) -> Expression:
    """Ask whether a list that is an argument is empty: whether it equals the list of nothing."""
    nothing = Constant(cell=Cell(type=CellType.LIST), type=bare(items.type))
    operator = BinaryOperator.EQUAL if empty else BinaryOperator.NOT_EQUAL
    return Binary(operator=operator, left=items, right=nothing, type=BOOL)


def prefix(operator: str, operand: Expression, span: Span) -> Expression:
    """Type a unary operation.

    Raises:
        Refused: the query model has no such operation.
    """
    if operator == "!" and operand.type.name == "bool":
        return Unary(operator=UnaryOperator.NOT, operand=operand, type=operand.type)
    if operator == "+" and operand.type.name in NUMBERS:
        return operand
    if operator == "-" and operand.type.name in NUMBERS:
        folded = negated(operand) if isinstance(operand, Constant) else None
        if folded is not None:
            return folded
        wide = promoted(operand.type, ClrType(name="int"))
        if wide is not None:
            operand = converted(operand, wide)
            return Unary(operator=UnaryOperator.NEGATE, operand=operand, type=operand.type)
    raise Refused(f"operator {operator}", f"not read on `{operand.type}`", span)


def equality(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    """Type `==` and `!=`; numbers widen, a null takes the other side's type."""
    if is_null(left) and not is_null(right):
        left, right = right, left
    if is_null(right):
        right = null_of(nullable(left.type))
    elif left.type.name != right.type.name:
        left, right = _promoted(operator, left, right, span)
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=BOOL)


def _promoted(operator: str, left: Expression, right: Expression, span: Span) -> tuple[Expression, Expression]:
    if isinstance(right, Constant) and right.type.name in NUMBERS and left.type.name in INTEGERS:
        narrow = converted(right, bare(left.type))
        if left.type.name in {"int", "long", "uint", "ulong"} and narrow.type.name == left.type.name:
            return left, narrow
    wide = promoted(left.type, right.type)
    if wide is None:
        if isinstance(left, Constant) != isinstance(right, Constant) and left.type.name == right.type.name:
            return left, right
        raise Refused(f"operator {operator}", f"not read between `{left.type}` and `{right.type}`", span)
    return converted(left, wide), converted(right, wide)


def _compared(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    kinds = {left.type.name, right.type.name}
    if kinds <= {*NUMBERS, "char"}:
        left, right = _promoted(operator, left, right, span)
    elif len(kinds) != 1 or not (kinds <= _TIMES or _is_enum(left.type)):
        raise Refused(f"operator {operator}", f"not read between `{left.type}` and `{right.type}`", span, "Q13")
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=BOOL)


def _is_enum(type_: ClrType) -> bool:
    return type_.name not in {"string", "bool", "Guid", "Uri", "byte[]", ""} and type_.element is None


def _logical(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    if left.type.name != "bool" or right.type.name != "bool" or left.type.nullable or right.type.nullable:
        raise Refused(f"operator {operator}", f"not read between `{left.type}` and `{right.type}`", span, "Q06")
    kind = BinaryOperator.AND if operator in {"&&", "&"} else BinaryOperator.OR
    return Binary(operator=kind, left=left, right=right, type=BOOL)


def _coalesced(left: Expression, right: Expression) -> Expression:
    right = converted(right, bare(left.type))
    if right.type.name != left.type.name:
        left = converted(left, replace(right.type, nullable=True))
    result = replace(left.type, nullable=right.type.nullable)
    return Binary(operator=BinaryOperator.COALESCE, left=left, right=right, type=result)


def _concatenated(left: Expression, right: Expression) -> Expression:
    left, right = _as_text(left), _as_text(right)
    return Binary(operator=BinaryOperator.ADD, left=left, right=right, type=STRING)


def _as_text(value: Expression) -> Expression:
    if is_null(value):
        return null_of(nullable(STRING))
    if value.type.name == "string":
        return value
    return Call(method=f"{value.type.name}.ToString", arguments=(value,), type=STRING)


def _arithmetic(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    wide = promoted(left.type, right.type)
    if wide is None:
        hazard = "Q58" if left.type.name in _TIMES else ""
        raise Refused(f"operator {operator}", f"not read between `{left.type}` and `{right.type}`", span, hazard)
    left, right = converted(left, wide), converted(right, wide)
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=wide)


def _bitwise(operator: str, left: Expression, right: Expression, span: Span) -> Expression:
    if left.type.name == right.type.name and _is_enum(left.type):
        lifted = left.type.nullable or right.type.nullable
        kind = replace(left.type, nullable=lifted)
        return Binary(operator=BinaryOperator(operator), left=left, right=right, type=kind)
    wide = promoted(left.type, right.type)
    if wide is None or wide.name not in INTEGERS:
        raise Refused(f"operator {operator}", f"not read between `{left.type}` and `{right.type}`", span, "Q60")
    left, right = converted(left, wide), converted(right, wide)
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=wide)


def cast(value: Expression, target: ClrType) -> Expression:
    """Convert explicitly; a cast to the same type, or of a constant that fits, leaves no trace."""
    if value.type == target:
        return value
    if is_null(value):
        return null_of(target)
    if isinstance(value, Constant) and value.type.name != target.name:
        folded = converted(value, target)
        if folded.type.name == target.name:
            return folded if not target.nullable else Cast(operand=folded, type=target)
    return Cast(operand=value, type=target)

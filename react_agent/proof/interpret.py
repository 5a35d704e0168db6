"""Interpret: expressions of a query in C#'s semantics over EF Core, two-valued where EF is."""

from collections.abc import Callable, Mapping
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from typing import Any

from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Member,
    New,
    Parameter,
    Subquery,
    Unary,
    UnaryOperator,
    Var,
    walk,
)
from react_agent.proof.canonical import CSHARP_DECIMAL
from react_agent.proof.domain import RANGES
from react_agent.proof.functions import call
from react_agent.proof.runtime import EnumValue, Group, Made, Record, Unknown, value_of
from react_agent.proof.tables import CLR_CELLS

Scope = Mapping[str, Any]
"""Range variables and parameters (under `@name`) with their values."""

Op = BinaryOperator


class Interpreter:
    """Evaluates expressions; `read` follows a member of a row, `fold` runs a subquery."""

    def __init__(
        self, read: Callable[[Record, str], Any], fold: Callable[[Subquery, Scope], Any], observe: Callable[..., None]
    ) -> None:
        self._read, self._fold, self._observe = read, fold, observe

    def value(self, expression: Expression, scope: Scope) -> Any:
        """Compute an expression.

        Raises:
            Unknown: the expression is outside what is covered exactly.
        """
        match expression:
            case Var() | Parameter():
                return self._named(expression, scope)
            case Constant():
                return value_of(expression.cell)
            case Member():
                return self._member(expression, scope)
            case Binary():
                return self._binary(expression, scope)
            case New():
                members = tuple((name, self.value(part, scope)) for name, part in expression.members)
                return Made(expression.type.name, members)
            case Subquery():
                return self._fold(expression, scope)
        return self._other(expression, scope)

    def _other(self, expression: Expression, scope: Scope) -> Any:
        match expression:
            case Unary():
                return self._unary(expression, scope)
            case Conditional():
                test = self.value(expression.test, scope)
                return self.value(expression.then if test else expression.otherwise, scope)
            case Cast():
                return cast(self.value(expression.operand, scope), expression.type.name)
            case Call():
                values = tuple(self.value(part, scope) for part in expression.arguments)
                # EF sends what is known before the query, a constant or an argument, as a pattern of LIKE.
                is_known = not any(isinstance(n, Var) for n in walk(expression.arguments[-1:]))
                return call(expression.method, values, pattern_is_constant=is_known)
        raise Unknown(f"the expression {type(expression).__name__}")

    def _named(self, expression: Var | Parameter, scope: Scope) -> Any:
        name = expression.name if isinstance(expression, Var) else f"@{expression.name}"
        if name not in scope:
            raise Unknown(f"the name {name}")
        return scope[name]

    def _member(self, expression: Member, scope: Scope) -> Any:
        target = self.value(expression.target, scope)
        if target is None:
            return None
        if isinstance(target, Record):
            return self._read(target, expression.name)
        if isinstance(target, Group) and expression.name == "Key":
            return target.key
        if isinstance(target, Made):
            return target.member(expression.name)
        raise Unknown(f"the member {expression.name}")

    def _unary(self, expression: Unary, scope: Scope) -> Any:
        value = self.value(expression.operand, scope)
        if expression.operator == UnaryOperator.NOT:
            if value is None:
                raise Unknown("the negation of null")
            return not value
        return None if value is None else -value

    def _binary(self, expression: Binary, scope: Scope) -> Any:
        operator = expression.operator
        left = self.value(expression.left, scope)
        if operator == Op.COALESCE:
            return left if left is not None else self.value(expression.right, scope)
        if operator in {Op.AND, Op.OR}:
            right = self.value(expression.right, scope)
            self._observe(expression, left, right)
            return _logic(operator, left, right)
        right = self.value(expression.right, scope)
        if operator in {Op.EQUAL, Op.NOT_EQUAL}:
            result = _equal(left, right) == (operator == Op.EQUAL)
            self._observe(expression, result)
            return result
        if operator in _ORDERED:
            result = left is not None and right is not None and _ordered(operator, left, right)
            self._observe(expression, result)
            return result
        if operator == Op.ADD and expression.type.name == "string":
            left, right = left if left is not None else "", right if right is not None else ""
        return None if left is None or right is None else _arithmetic(operator, left, right, expression.type.name)


_ORDERED = {Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL}


def _logic(operator: Op, left: Any, right: Any) -> Any:
    stop = operator == Op.OR
    if left is stop or right is stop:
        return stop
    return None if left is None or right is None else not stop


def _equal(left: Any, right: Any) -> bool:
    left, right = _comparable(left, right)
    return left == right


def _comparable(left: Any, right: Any) -> tuple[Any, Any]:
    if isinstance(left, EnumValue) and isinstance(right, int):
        return left.number, right
    if isinstance(right, EnumValue) and isinstance(left, int):
        return left, right.number
    if isinstance(left, EnumValue) and isinstance(right, EnumValue):
        return left.number, right.number
    if {type(left), type(right)} == {Decimal, float}:
        raise Unknown("a decimal against a double")
    return left, right


def _ordered(operator: Op, left: Any, right: Any) -> bool:
    if any(isinstance(value, EnumValue) and value.as_text for value in (left, right)):
        raise Unknown("the order of an enum that is stored by name")
    left, right = _comparable(left, right)
    try:
        below, same = left < right, left == right
    except TypeError:
        raise Unknown("the order of these types") from None
    answers = {Op.LESS: below, Op.LESS_OR_EQUAL: below or same, Op.GREATER: not (below or same)}
    return answers.get(operator, not below)


def _arithmetic(operator: Op, left: Any, right: Any, kind: str) -> Any:
    if isinstance(left, str) or isinstance(right, str):
        if operator == Op.ADD and isinstance(left, str) and isinstance(right, str):
            return left + right
        raise Unknown("text arithmetic")
    if isinstance(left, bool) or isinstance(right, bool):
        return {Op.BIT_AND: left & right, Op.BIT_OR: left | right}[operator]
    if not isinstance(left, int | float | Decimal) or not isinstance(right, int | float | Decimal):
        raise Unknown("arithmetic of these types")
    try:
        with localcontext(CSHARP_DECIMAL):
            return in_range(_apply(operator, left, right), kind)
    except (ZeroDivisionError, DivisionByZero, InvalidOperation, OverflowError, TypeError, KeyError):
        raise Unknown(f"{left} {operator} {right}") from None


def _apply(operator: Op, left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right) if operator in {Op.DIVIDE, Op.MODULO} else 0
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        if operator == Op.DIVIDE:
            return quotient
        if operator == Op.MODULO:
            return left - quotient * right
        if operator in {Op.BIT_AND, Op.BIT_OR}:
            return left & right if operator == Op.BIT_AND else left | right
    elif isinstance(left, float) != isinstance(right, float) and Decimal in {type(left), type(right)}:
        raise Unknown("a decimal against a double")
    elif operator == Op.MODULO and isinstance(left, float | int) and isinstance(right, float | int):
        raise Unknown("the remainder of doubles")
    return {
        Op.ADD: lambda: left + right,
        Op.SUBTRACT: lambda: left - right,
        Op.MULTIPLY: lambda: left * right,
        Op.DIVIDE: lambda: left / right,
        Op.MODULO: lambda: left % right,
    }[operator]()


def in_range(value: Any, kind: str) -> Any:
    """Refuse an integer that its C# type does not hold: engines differ in what overflow does."""
    cell = CLR_CELLS.get(kind)
    if cell in RANGES and isinstance(value, int):
        low, high = RANGES[cell]
        if not low <= value <= high:
            raise Unknown(f"overflow of {kind}")
    return value


def cast(value: Any, kind: str) -> Any:
    """Convert a value as a C# cast does, where every engine agrees on it."""
    cell = CLR_CELLS.get(kind)
    if value is None or cell is None or isinstance(value, str | bool | Record | Made | tuple):
        return value
    if isinstance(value, EnumValue):
        return in_range(value.number, kind) if cell in RANGES else value
    if cell.value == "decimal" and isinstance(value, int):
        return Decimal(value)
    if cell.value == "double" and isinstance(value, int | Decimal):
        return float(value)
    if cell in RANGES and isinstance(value, int):
        return in_range(value, kind)
    if cell in RANGES and isinstance(value, Decimal | float):
        return in_range(int(value), kind)
    if isinstance(value, Decimal | float) and cell.value in {"decimal", "double"}:
        if isinstance(value, float) and cell.value == "decimal":
            raise Unknown("a double as a decimal")
        return value
    if cell.value in {"datetime", "date"}:
        return value
    raise Unknown(f"a cast to {kind}")

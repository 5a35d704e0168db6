"""Nullness: which parameters a condition proves to be there."""

from react_agent.model.query import Binary, BinaryOperator, Call, Cast, Constant, Expression, Parameter, Unary
from react_agent.model.query import UnaryOperator as Unaries

ORDERED = frozenset({
    BinaryOperator.LESS,
    BinaryOperator.LESS_OR_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_OR_EQUAL,
})
_OPPOSITE = {
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
    **{operator: operator for operator in ORDERED},
}


def known_not_null(expression: Expression, *, wanted: bool) -> frozenset[str]:
    """Name the parameters that are not null where a condition is true (or false)."""
    match expression:
        case Unary(operator=Unaries.NOT):
            return known_not_null(expression.operand, wanted=not wanted)
        case Binary(operator=BinaryOperator.AND | BinaryOperator.OR as operator):
            if (operator == BinaryOperator.AND) == wanted:
                sides = (known_not_null(s, wanted=wanted) for s in (expression.left, expression.right))
                return frozenset().union(*sides)
            return frozenset()
        case Call(method="string.IsNullOrEmpty" | "string.IsNullOrWhiteSpace", arguments=(Parameter(name=name),)):
            return frozenset() if wanted else frozenset({name})
        case Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE:
            return _of_comparison(operator if wanted else _OPPOSITE[operator], left, right)
    return frozenset()


def _of_comparison(test: BinaryOperator, left: Expression, right: Expression) -> frozenset[str]:
    for one, other in ((left, right), (right, left)):
        parameter = one.operand if isinstance(one, Cast) else one
        if isinstance(parameter, Parameter) and isinstance(other, Constant):
            null = other.cell.is_null
            differs = test == BinaryOperator.NOT_EQUAL and null
            equals = test == BinaryOperator.EQUAL and not null
            return frozenset({parameter.name}) if differs or equals or test in ORDERED else frozenset()
    return frozenset()

"""Query expressions as aggregation expressions, with C#'s null semantics as EF Core keeps them.

Conditions are two-valued: null equals null, `<` and its like are false with a null, and a negation is true where its
operand is not. MongoDB orders null below everything, so an order has to leave it out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Member,
    Query,
    Subquery,
    Unary,
    UnaryOperator,
    Var,
)
from react_agent.spring.mongodb.calls import Compiled, framework_call
from react_agent.spring.mongodb.operators import NULL_VALUE, Node, Operator, Path, Value, number, op, text_value
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Computed, Grouping, Many, Place, Scalar, Scope
from react_agent.spring.mongodb.types import INTEGERS, NUMBERS
from react_agent.spring.mongodb.values import Values, parametric

ORDERS = {
    BinaryOperator.LESS: "$lt",
    BinaryOperator.LESS_OR_EQUAL: "$lte",
    BinaryOperator.GREATER: "$gt",
    BinaryOperator.GREATER_OR_EQUAL: "$gte",
}
NEGATED = {
    BinaryOperator.LESS: BinaryOperator.GREATER_OR_EQUAL,
    BinaryOperator.LESS_OR_EQUAL: BinaryOperator.GREATER,
    BinaryOperator.GREATER: BinaryOperator.LESS_OR_EQUAL,
    BinaryOperator.GREATER_OR_EQUAL: BinaryOperator.LESS,
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
}
_ARITHMETIC = {
    BinaryOperator.ADD: "$add",
    BinaryOperator.SUBTRACT: "$subtract",
    BinaryOperator.MULTIPLY: "$multiply",
    BinaryOperator.MODULO: "$mod",
}
_PLAIN = NUMBERS | {"bool", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "Guid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """Compiles expressions of one place in a query."""

    scope: Scope
    values: Values
    subqueries: "Callable[[Query, Expressions], Compiled]"
    """Compiles a query inside an expression; subqueries.py, which needs this class in its turn."""
    in_element: bool = False
    """Whether criteria stand inside `$elemMatch`, where only the element's own fields can be named."""

    def inside(self, scope: Scope, *, in_element: bool = False) -> "Expressions":
        """Compile for a lambda's scope."""
        return replace(self, scope=scope, in_element=in_element)

    def value(self, expression: Expression) -> Compiled:
        """Compile to a value; what SQL gives as null is null or missing."""
        if parametric(expression):
            return self._parameter(expression)
        found = self.scope.resolve(expression) if isinstance(expression, Var | Member | Cast) else None
        if found is not None:
            return self._found(found, expression)
        match expression:
            case Cast():
                return self._cast(expression)
            case Binary() | Unary():
                return self._operation(expression)
            case Conditional():
                return self._conditional(expression)
            case Call():
                return framework_call(expression, self)
            case Subquery():
                return self.subqueries(expression.query, self)
        raise Untranslatable(type(expression).__name__, "has no value form here", "Q08")

    def _operation(self, expression: Binary | Unary) -> Compiled:
        operator = expression.operator
        if operator in NEGATED or operator in _LOGICAL or operator == UnaryOperator.NOT:
            return self._condition(expression)
        if isinstance(expression, Binary):
            return self._binary(expression)
        operand = self.value(expression.operand)
        return Compiled(node=op("$multiply", operand.node, number(-1)), nullable=operand.nullable)

    def _parameter(self, expression: Expression) -> Compiled:
        if isinstance(expression, Constant) and expression.cell.is_null:
            return Compiled(node=NULL_VALUE, nullable=True)
        if isinstance(expression, Constant) and expression.type.name == "string":
            return Compiled(node=text_value(expression.cell.text or ""), nullable=False)
        code = self.values.stored(expression)
        enum = self.values.mapping.find_enum(expression.type.name)
        safe = expression.type.name in _PLAIN or (enum is not None and not self.values.enum_by_name(enum.name))
        nullable = self.values.may_be_null(expression)
        return Compiled(node=Value(code=code, safe=safe and not nullable), nullable=nullable)

    def _found(self, found: object, expression: Expression) -> Compiled:
        match found:
            case Scalar():
                return Compiled(node=Path(path=f"${found.path}"), nullable=found.nullable)
            case Computed(members=()):
                return Compiled(node=found.node, nullable=found.nullable)
            case Place():
                raise Untranslatable(str(expression.type), "an entity where a value is needed", "Q54")
            case Many():
                raise Untranslatable(str(expression.type), "a collection where a value is needed", "Q17")
            case Grouping():
                raise Untranslatable("GroupBy", "the rows of a group are not folded", "Q39")
        raise Untranslatable(str(expression.type), "a composite value where a single one is needed", "Q29")

    def _cast(self, expression: Cast) -> Compiled:
        operand = self.value(expression.operand)
        source, target = expression.operand.type, expression.type
        if source.name == target.name or lossless(source, target):
            return operand
        enum = self.values.mapping.find_enum(source.name)
        if enum is not None and target.name in INTEGERS and not self.values.enum_by_name(enum.name):
            return operand
        conversion = {"int": "$toInt", "long": "$toLong", "double": "$toDouble", "decimal": "$toDecimal"}.get(
            target.name
        )
        if conversion is None or source.name not in NUMBERS:
            raise Untranslatable(f"({target}){source}", "conversion of a stored value", "Q36")
        return Compiled(node=op(conversion, operand.node), nullable=operand.nullable)

    def _binary(self, expression: Binary) -> Compiled:
        left, right = self.value(expression.left), self.value(expression.right)
        if expression.operator == BinaryOperator.COALESCE:
            return Compiled(node=op("$ifNull", left.node, right.node), nullable=right.nullable)
        nullable = left.nullable or right.nullable
        kind = expression.type.name
        if kind == "string" and expression.operator == BinaryOperator.ADD:
            return self._concatenation(expression)
        if kind not in NUMBERS:
            raise Untranslatable(expression.operator.value, f"on {kind} values", "Q58")
        if expression.operator == BinaryOperator.DIVIDE:
            return Compiled(node=_quotient(kind, left.node, right.node), nullable=nullable)
        name = _ARITHMETIC.get(expression.operator)
        if name is None:
            raise Untranslatable(expression.operator.value, "bitwise arithmetic on stored values", "Q60")
        arguments = [left.node, right.node]
        if name in {"$add", "$multiply"}:
            arguments = [*_same(name, left.node), right.node]
        return Compiled(node=op(name, *arguments), nullable=nullable)

    def _concatenation(self, expression: Binary) -> Compiled:
        """EF Core puts an empty text for a null operand."""
        parts: list[Node] = []
        for side in (expression.left, expression.right):
            part = self.value(side)
            node = op("$ifNull", part.node, text_value("")) if part.nullable else part.node
            if side.type.name not in {"string", "char"}:
                if side.type.name not in INTEGERS:
                    raise Untranslatable("+", f"{side.type} turned into text", "Q14")
                node = op("$toString", node)
            parts += _same("$concat", node)
        return Compiled(node=op("$concat", *parts), nullable=False)

    def _conditional(self, expression: Conditional) -> Compiled:
        then, other = self.value(expression.then), self.value(expression.otherwise)
        test = self.truth(expression.test, wanted=True)
        return Compiled(node=op("$cond", test, then.node, other.node), nullable=then.nullable or other.nullable)

    def _condition(self, expression: Expression) -> Compiled:
        if expression.type.nullable:
            raise Untranslatable("bool?", "a condition that may be unknown, as a value", "Q06")
        return Compiled(node=self.truth(expression, wanted=True), nullable=False)

    def truth(self, expression: Expression, *, wanted: bool) -> Node:
        """Compile a condition to where it holds, or to where it does not; never null."""
        match expression:
            case Unary(operator=UnaryOperator.NOT):
                return self.truth(expression.operand, wanted=not wanted)
            case Binary(operator=operator) if operator in _LOGICAL:
                name = "$and" if (operator == BinaryOperator.AND) == wanted else "$or"
                sides = [self.truth(side, wanted=wanted) for side in (expression.left, expression.right)]
                return op(name, *_same(name, sides[0]), *_same(name, sides[1]))
            case Binary(operator=operator) if operator in NEGATED:
                return self._comparison(expression, operator, wanted=wanted)
            case Conditional():
                then, other = (self.truth(e, wanted=wanted) for e in (expression.then, expression.otherwise))
                return op("$cond", self.truth(expression.test, wanted=True), then, other)
        if parametric(expression):
            code = self.values.write(expression)
            return Value(code=code if wanted else f"!({code})", safe=True)
        operand = self.value(expression)
        if operand.nullable:
            return op("$eq" if wanted else "$ne", operand.node, Value(code="true", safe=True))
        return operand.node if wanted else op("$not", operand.node)

    def _comparison(self, expression: Binary, operator: BinaryOperator, *, wanted: bool) -> Node:
        entity = entity_null_test(expression, self.scope)
        if entity is not None:
            absent = (operator == BinaryOperator.EQUAL) == wanted
            return op("$lte" if absent else "$gt", Path(path=f"${entity}"), NULL_VALUE)
        left, right = self.value(strip(expression.left)), self.value(strip(expression.right))
        if operator not in ORDERS:
            return _equality(left, right, equal=(operator == BinaryOperator.EQUAL) == wanted)
        if wanted:
            return _ordered(ORDERS[operator], left, right)
        if left.nullable or right.nullable:
            return op("$not", _ordered(ORDERS[operator], left, right))
        return _ordered(ORDERS[NEGATED[operator]], left, right)


def _equality(left: Compiled, right: Compiled, *, equal: bool) -> Node:
    if NULL_VALUE in {left.node, right.node}:
        other = left if right.node == NULL_VALUE else right
        if other.guard is not None:
            return op("$not", other.guard) if equal else other.guard
        return op("$lte" if equal else "$gt", other.node, NULL_VALUE)
    both = left.nullable and right.nullable
    sides = [op("$ifNull", s.node, NULL_VALUE) if both and s.guard is None else s.node for s in (left, right)]
    return op("$eq" if equal else "$ne", *sides)


_LOGICAL = frozenset({BinaryOperator.AND, BinaryOperator.OR})


def lossless(source: ClrType, target: ClrType) -> bool:
    """Whether a numeric conversion keeps the value and what MongoDB computes with it."""
    exact = source.name in INTEGERS
    wide = {"long", "decimal"} | ({"double"} if source.name not in {"long", "ulong"} else set())
    return (exact and target.name in wide | {"int", "uint"} and source.name not in {"long", "ulong", "uint"}) or (
        exact and target.name in wide
    )


def strip(expression: Expression) -> Expression:
    """Look through conversions that change no comparison: lifting, widening, an enum and its number."""
    while isinstance(expression, Cast):
        source, target = expression.operand.type, expression.type
        if source.name != target.name and not lossless(source, target):
            return expression
        expression = expression.operand
    return expression


def entity_null_test(expression: Binary, scope: Scope) -> str | None:
    """For `entity == null`: the path that tells whether the entity is there."""
    sides = (expression.left, expression.right)
    if not any(isinstance(s, Constant) and s.cell.is_null for s in sides):
        return None
    other = next((s for s in sides if not isinstance(s, Constant)), None)
    if not isinstance(other, Var | Member):
        return None
    if isinstance(other, Member):
        key = _own_foreign_key(other, scope)
        if key is not None:
            return key
    found = scope.resolve(other)
    return None if not isinstance(found, Place) else found.prefix or "_id"


def _own_foreign_key(member: Member, scope: Scope) -> str | None:
    """A reference is there where its own foreign key is: no `$lookup` is needed to know."""
    if not isinstance(member.target, Var | Member):
        return None
    place = scope.resolve(member.target)
    navigation = place.entity.find_navigation(member.name) if isinstance(place, Place) else None
    if not isinstance(place, Place) or navigation is None or navigation.collection or not navigation.on_dependent:
        return None
    field = place.document.find(navigation.foreign_key[0]) if len(navigation.foreign_key) == 1 else None
    return place.at(field.field) if field is not None else None


def _same(name: str, node: Node) -> tuple[Node, ...]:
    """Flatten an operator that stands in itself: `a + b + c`."""
    return node.arguments if isinstance(node, Operator) and node.name == name else (node,)


def _ordered(name: str, left: Compiled, right: Compiled) -> Node:
    """An order is false with a null; MongoDB puts null below everything, so the lesser side must not be one."""
    test = op(name, left.node, right.node)
    lesser = left if name in {"$lt", "$lte"} else right
    if not lesser.nullable:
        return test
    return op("$and", lesser.guard or op("$gt", lesser.node, NULL_VALUE), test)


def _quotient(kind: str, left: Node, right: Node) -> Node:
    if kind in {"double", "float"}:
        return op("$divide", left, right)
    if kind == "int":
        return op("$toInt", op("$trunc", op("$divide", left, right)))
    raise Untranslatable("/", f"{kind} division has other digits in MongoDB", "Q36")

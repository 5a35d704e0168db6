"""Predicates as query criteria; what criteria cannot say becomes `$expr`."""

from dataclasses import dataclass, replace

from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Constant,
    Expression,
    FromMany,
    Outcome,
    Query,
    Subquery,
    Unary,
    UnaryOperator,
    Where,
)
from react_agent.model.values import CellType, scalar
from react_agent.spring.java import text
from react_agent.spring.mongodb.documents import EXACT_CASE, LIKE_CASE, TEXT_CASE
from react_agent.spring.mongodb.expressions import NEGATED, ORDERS, Expressions, entity_null_test, strip
from react_agent.spring.mongodb.nullness import known_not_null
from react_agent.spring.mongodb.operators import Path
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Computed, Grouping, Many, Scalar
from react_agent.spring.mongodb.stages import Both, Criterion, Either, ElementMatch, ExpressionMatch, JavaTest, Leaf
from react_agent.spring.mongodb.values import parametric

_OPERATORS = {
    BinaryOperator.EQUAL: "is",
    BinaryOperator.NOT_EQUAL: "ne",
    BinaryOperator.LESS: "lt",
    BinaryOperator.LESS_OR_EQUAL: "lte",
    BinaryOperator.GREATER: "gt",
    BinaryOperator.GREATER_OR_EQUAL: "gte",
}
_BOOL, _INT, _STRING = ClrType(name="bool"), ClrType(name="int"), ClrType(name="string")
_ZERO = Constant(cell=scalar(CellType.INT, 0), type=_INT)
_FLIPPED = {
    BinaryOperator.LESS: BinaryOperator.GREATER,
    BinaryOperator.LESS_OR_EQUAL: BinaryOperator.GREATER_OR_EQUAL,
    BinaryOperator.GREATER: BinaryOperator.LESS,
    BinaryOperator.GREATER_OR_EQUAL: BinaryOperator.LESS_OR_EQUAL,
}
_TEXT_TESTS = frozenset({"string.Contains", "string.StartsWith", "string.EndsWith"})
IGNORING_CASE = "ignoringAsciiCase"
"""The Java method that writes a text as a pattern for letters of either case."""
_CASES = frozenset({"string.ToLower", "string.ToUpper"})
_MEMBERSHIP = frozenset({"Enumerable.Contains", "List.Contains", "ICollection.Contains", "HashSet.Contains"})


def criterion(expression: Expression, compiler: Expressions, *, wanted: bool = True) -> Criterion:
    """Compile a predicate to the criterion under which it holds (or does not, where `wanted` is false)."""
    match expression:
        case Unary(operator=UnaryOperator.NOT):
            return criterion(expression.operand, compiler, wanted=not wanted)
        case Binary(operator=BinaryOperator.AND | BinaryOperator.OR):
            return _logical(expression, compiler, wanted=wanted)
    if parametric(expression):
        return _java_test(expression, compiler, wanted=wanted)
    if isinstance(expression, Binary) and expression.operator in NEGATED:
        return _comparison(expression, compiler, wanted=wanted)
    return _test(expression, compiler, wanted=wanted)


def _test(expression: Expression, compiler: Expressions, *, wanted: bool) -> Criterion:
    match expression:
        case Call() if expression.method in _TEXT_TESTS:
            return _text_test(expression, compiler, wanted=wanted)
        case Call(method="string.IsNullOrEmpty"):
            return _null_or_empty(expression, compiler, wanted=wanted)
        case Call() if _is_membership(expression):
            return _membership(expression, compiler, wanted=wanted)
        case Subquery(query=Query(outcome=Outcome.ANY | Outcome.ALL)):
            return _quantified(expression.query, compiler, wanted=wanted)
    found = _scalar(expression, compiler)
    if found is not None:
        return Leaf(path=found.path, operator="is", arguments=("true" if wanted else "false",))
    return ExpressionMatch(node=compiler.truth(expression, wanted=wanted))


def _logical(expression: Binary, compiler: Expressions, *, wanted: bool) -> Criterion:
    both = (expression.operator == BinaryOperator.AND) == wanted
    left = criterion(expression.left, compiler, wanted=wanted)
    known = known_not_null(expression.left, wanted=both == wanted)
    right_compiler = replace(compiler, values=compiler.values.knowing(known))
    right = criterion(expression.right, right_compiler, wanted=wanted)
    kind = Both if both else Either
    parts: list[Criterion] = []
    for side in (left, right):
        parts += side.parts if isinstance(side, kind) else [side]
    return kind(parts=tuple(parts))


def _java_test(expression: Expression, compiler: Expressions, *, wanted: bool) -> Criterion:
    code = compiler.values.write(expression)
    if wanted:
        return JavaTest(code=code)
    return JavaTest(code={"true": "false", "false": "true"}.get(code, f"!({code})"))


def _comparison(expression: Binary, compiler: Expressions, *, wanted: bool) -> Criterion:
    operator = expression.operator
    if operator not in ORDERS and not wanted:
        operator, wanted = NEGATED[operator], True
    entity = entity_null_test(expression, compiler.scope)
    if entity is not None and not compiler.in_element:
        return Leaf(path=entity, operator=_OPERATORS[operator], arguments=("null",))
    left, right = strip(expression.left), strip(expression.right)
    if parametric(left):
        left, right, operator = right, left, _FLIPPED.get(operator, operator)
    cased = _cased(left, right, compiler) if parametric(right) and operator not in ORDERS else None
    if cased is not None:
        pattern = _pattern(
            Call(method="string.Equals", arguments=(left, right), type=_BOOL), compiler, ignoring_case=True
        )
        negated = operator == BinaryOperator.NOT_EQUAL
        return Leaf(path=cased.path, operator="regex", arguments=(pattern,), negated=negated)
    found = None if parametric(left) else _scalar(left, compiler)
    if found is None or not parametric(right) or (operator in ORDERS and compiler.values.may_be_null(right)):
        same = Binary(operator=operator, left=left, right=right, type=expression.type)
        return ExpressionMatch(node=compiler.truth(same, wanted=wanted))
    if operator in ORDERS and right.type.name == "Guid":
        raise Untranslatable(operator.value, "order of Guid values depends on the database", "Q42")
    if not wanted and not found.nullable:
        operator, wanted = NEGATED[operator], True
    arguments = (compiler.values.write(right),)
    return Leaf(path=found.path, operator=_OPERATORS[operator], arguments=arguments, negated=not wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """What a criterion can name."""

    path: str
    nullable: bool


def _scalar(expression: Expression, compiler: Expressions) -> _Field | None:
    found = compiler.scope.resolve(expression)
    if found is None and isinstance(expression, Subquery) and _over_group(expression.query, compiler):
        value = compiler.value(expression)
        found = Computed(node=value.node, nullable=value.nullable)
    match found:
        case Scalar(path="_id") if compiler.in_element and found.field.java_type == "String":
            return None  # inside $elemMatch, Spring Data reads 24 hex digits in `_id` as an ObjectId
        case Scalar() if found.inside == compiler.in_element:
            return _Field(path=found.path, nullable=found.nullable)
        case Computed(node=Path(path=path)) if not compiler.in_element and not path.startswith("$_id"):
            return _Field(path=path.removeprefix("$"), nullable=found.nullable)  # `_id` would be read as the root's
    return None


def _over_group(query: Query, compiler: Expressions) -> bool:
    first = query.clauses[0]
    return isinstance(first, FromMany) and isinstance(compiler.scope.resolve(first.collection), Grouping)


def _text_test(expression: Call, compiler: Expressions, *, wanted: bool) -> Criterion:
    target, part, *more = expression.arguments
    cased = None if more else _cased(target, part, compiler)
    if cased is not None:
        pattern = _pattern(expression, compiler, ignoring_case=True)
        return Leaf(path=cased.path, operator="regex", arguments=(pattern,), negated=not wanted)
    found = None if parametric(target) else _scalar(target, compiler)
    if more:
        raise Untranslatable(expression.method, "with a StringComparison", "Q10")
    if found is None or not parametric(part):
        if expression.method == "string.StartsWith" and parametric(part) and not compiler.values.may_be_null(part):
            return ExpressionMatch(node=compiler.truth(_folded(expression, compiler), wanted=wanted))
        if expression.method != "string.Contains":
            raise Untranslatable(expression.method, "on a computed text or with a stored one", "Q10")
        return ExpressionMatch(node=compiler.truth(expression, wanted=wanted))
    if compiler.values.may_be_null(part):
        raise Untranslatable(expression.method, "with a text that may be null", "Q10")
    return Leaf(path=found.path, operator="regex", arguments=(_pattern(expression, compiler),), negated=not wanted)


def _cased(target: Expression, part: Expression, compiler: Expressions) -> _Field | None:
    """`x.ToLower().Contains(y.ToLower())` asks for x without regard to case: a regular expression does, too."""
    if not isinstance(target, Call) or target.method not in _CASES or parametric(target):
        return None
    if compiler.values.may_be_null(part) or not compiler.values.is_cased(part, target.method):
        return None
    return _scalar(target.arguments[0], compiler)


def _pattern(expression: Call, compiler: Expressions, *, ignoring_case: bool = False) -> str:
    values = compiler.values
    code = values.write(expression.arguments[1])
    ignoring = ignoring_case or (expression.method != "string.Contains" and not _is_exact(compiler))
    case = _text_case(compiler)
    pattern = values.imports.use("java.util.regex.Pattern")
    if ignoring and case == LIKE_CASE:
        values.imports.use("java.util.stream.Collectors")
        quoted = f"{IGNORING_CASE}({code})"
    else:
        quoted = f"{pattern}.quote({code})"
    anchored = {
        "string.Contains": quoted,
        "string.StartsWith": f'"^" + {quoted}',
        "string.EndsWith": f'{quoted} + "\\\\z"',
    }.get(expression.method, f'"^" + {quoted} + "\\\\z"')
    return f"{pattern}.compile({anchored}, {pattern}.CASE_INSENSITIVE)" if ignoring and case != LIKE_CASE else anchored


def _text_case(compiler: Expressions) -> str:
    return next((d.chosen for d in compiler.values.documents.decisions if d.id == TEXT_CASE), EXACT_CASE)


def _is_exact(compiler: Expressions) -> bool:
    return _text_case(compiler) == EXACT_CASE


def _folded(expression: Call, compiler: Expressions) -> Expression:
    """Ask where a computed text has its start: at 0, in lower case on both sides where LIKE ignores case."""
    sides = expression.arguments[:2]
    if not _is_exact(compiler):
        sides = tuple(
            s
            if isinstance(s, Call) and s.method == "string.ToLower" and not parametric(s)
            else Call(method="string.ToLower", arguments=(s,), type=_STRING)
            for s in sides
        )
    found = Call(method="string.IndexOf", arguments=sides, type=_INT)
    return Binary(operator=BinaryOperator.EQUAL, left=found, right=_ZERO, type=_BOOL)


def _null_or_empty(expression: Call, compiler: Expressions, *, wanted: bool) -> Criterion:
    found = _scalar(expression.arguments[0], compiler)
    if found is None:
        return ExpressionMatch(node=compiler.truth(expression, wanted=wanted))
    return Leaf(path=found.path, operator="in" if wanted else "nin", arguments=("null", text("")))


def _is_membership(expression: Call) -> bool:
    return expression.method in _MEMBERSHIP or (
        expression.method.endswith(".Contains") and expression.method != "string.Contains"
    )


def _membership(expression: Call, compiler: Expressions, *, wanted: bool) -> Criterion:
    items, item = expression.arguments[:2]
    found = None if parametric(item) else _scalar(strip(item), compiler)
    if found is None or not parametric(items):
        raise Untranslatable(expression.method, "only a stored value in a list of parameters", "Q53")
    operator = "in" if wanted else "nin"
    return Leaf(path=found.path, operator=operator, arguments=(compiler.values.write(items),))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantified:
    many: Many
    predicate: Criterion | None


def _quantified(query: Query, compiler: Expressions, *, wanted: bool) -> Criterion:
    """`Any` is an element that matches; `All` is no element for which the predicate is false."""
    every = query.outcome == Outcome.ALL
    found = _one_array(query, compiler, every=every)
    if found is None:
        return ExpressionMatch(node=compiler.truth(Subquery(query=query, type=_BOOL), wanted=wanted))
    exists = wanted != every
    if found.predicate is None:
        return Leaf(path=f"{found.many.path}.0", operator="exists", arguments=("true" if exists else "false",))
    return ElementMatch(path=found.many.path, criterion=found.predicate, negated=not exists)


def _one_array(query: Query, compiler: Expressions, *, every: bool) -> _Quantified | None:
    """Read `array.Where(…).Any()` as one `$elemMatch`; None where criteria cannot say it."""
    first, *rest = query.clauses
    if not isinstance(first, FromMany) or not all(isinstance(c, Where) for c in rest):
        return None
    many = compiler.scope.resolve(first.collection)
    if not isinstance(many, Many) or many.inside:
        return None
    inner = compiler.inside(compiler.scope.inner(first.variable, many, ""), in_element=True)
    parts = [criterion(c.predicate, inner) for c in rest if isinstance(c, Where)]
    if every:
        parts.append(criterion(query.element, inner, wanted=False))
    if any(not _plain(part) for part in parts):
        return None
    if not parts:
        return _Quantified(many=many, predicate=None)
    return _Quantified(many=many, predicate=parts[0] if len(parts) == 1 else Both(parts=tuple(_flat(parts))))


def _flat(parts: list[Criterion]) -> list[Criterion]:
    return [inner for part in parts for inner in (part.parts if isinstance(part, Both) else (part,))]


def _plain(part: Criterion) -> bool:
    """`$expr` and tests of parameters cannot stand inside `$elemMatch`."""
    if isinstance(part, Both | Either):
        return all(_plain(p) for p in part.parts)
    if isinstance(part, ElementMatch):
        return _plain(part.criterion)
    return isinstance(part, Leaf)

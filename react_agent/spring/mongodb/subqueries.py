"""Queries inside expressions: folds over an array of documents, and over the rows of a group."""

from react_agent.model.mapping import ClrType, Navigation
from react_agent.model.names import camel
from react_agent.model.query import Distinct, FromMany, Member, New, OrderBy, Outcome, Query, Var, Where, walk
from react_agent.spring.mongodb.calls import Compiled
from react_agent.spring.mongodb.expressions import Expressions
from react_agent.spring.mongodb.operators import (
    NULL_VALUE,
    Fields,
    Items,
    Node,
    Path,
    Value,
    number,
    op,
    text_value,
)
from react_agent.spring.mongodb.predicates import criterion
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Computed, Grouping, Many, Place, Scalar
from react_agent.spring.mongodb.stages import Accumulator, LimitStage, Match, SortStage, Stage
from react_agent.spring.mongodb.types import field_of, is_value, value_type

_FOLDS = {Outcome.SUM: "sum", Outcome.MIN: "min", Outcome.MAX: "max", Outcome.AVERAGE: "avg"}

_FIRST = frozenset({Outcome.FIRST, Outcome.FIRST_OR_DEFAULT, Outcome.LAST, Outcome.LAST_OR_DEFAULT})


def subquery(query: Query, compiler: Expressions) -> Compiled:
    """Compile a query inside an expression.

    Raises:
        Untranslatable: it does not start from a collection, or uses what has no array form.
    """
    first, *rest = query.clauses
    if not isinstance(first, FromMany):
        raise Untranslatable("subquery", "over another set instead of a navigation", "Q27", first.span)
    ordered = _ordered(query, first, rest, compiler)
    if ordered is not None:
        return ordered
    found = compiler.scope.resolve(first.collection)
    if query.outcome == Outcome.AVERAGE and query.element.type.name == "decimal":
        raise Untranslatable("Average", "of decimals inside a query: MongoDB keeps other digits", "Q37", first.span)
    match found:
        case Many():
            return _over_array(query, first, rest, found, compiler)
        case Grouping():
            return _over_group(query, first, rest, found, compiler)
    raise Untranslatable("subquery", "over something that is no collection", "Q27", first.span)


def _ordered(query: Query, first: FromMany, rest: list, compiler: Expressions) -> Compiled | None:
    """Read `navigation.OrderBy(…)` with a `$lookup` that sorts; None for any other query."""
    orders = [c for c in rest if isinstance(c, OrderBy)]
    collection = first.collection
    if query.outcome not in {Outcome.LIST, *_FIRST} or not orders or not isinstance(collection, Member):
        return None
    place = compiler.scope.resolve(collection.target)
    navigation = place.entity.find_navigation(collection.name) if isinstance(place, Place) else None
    if not isinstance(place, Place) or navigation is None:
        return None
    entity, document = compiler.scope.document_of(navigation.target)
    if document.collection is None:
        return None
    target = Many(path="", entity=entity, document=document)
    inner = compiler.inside(compiler.scope.inner(first.variable, target, ""))
    sort = _sort_stage(orders[-1], inner, reverse=query.outcome in {Outcome.LAST, Outcome.LAST_OR_DEFAULT})
    if query.outcome != Outcome.LIST:
        return _picked(query, first, [c for c in rest if c not in orders], sort, (place, navigation), inner, compiler)
    many = compiler.scope.chosen(place, navigation, (sort,))
    return _over_array(query, first, [c for c in rest if c not in orders], many, compiler)


def _sort_stage(order: OrderBy, inner: Expressions, *, reverse: bool) -> SortStage:
    keys: list[tuple[str, bool]] = []
    for key in order.keys:
        found = inner.scope.resolve(key.expression)
        if not isinstance(found, Scalar):
            raise Untranslatable("OrderBy", "a computed key inside a subquery", "Q18", order.span)
        keys.append((found.path, key.descending != reverse))
    return SortStage(keys=tuple(keys))


def _picked(
    query: Query,
    first: FromMany,
    rest: list,
    sort: SortStage,
    of: tuple[Place, Navigation],
    inner: Expressions,
    compiler: Expressions,
) -> Compiled:
    """Read `navigation.Where(…).OrderBy(…).Select(…).FirstOrDefault()`: the first one is looked up by itself."""
    stages: list[Stage] = []
    for clause in rest:
        if not isinstance(clause, Where) or {n.name for n in walk(clause) if isinstance(n, Var)} - _bound(
            clause, first
        ):
            raise Untranslatable(type(clause).__name__, "inside a subquery that takes one row", "Q18", clause.span)
        stages.append(Match(criterion=criterion(clause.predicate, inner)))
    scope = compiler.scope
    found = scope.first_of(scope.chosen(*of, (*stages, sort, LimitStage(count="1"))))
    scope.bindings[first.variable] = found
    value = compiler.value(query.element)
    zero = zero_of(query.type, compiler)
    return (
        Compiled(node=value.node, nullable=True)
        if zero is None
        else Compiled(node=op("$ifNull", value.node, zero), nullable=False)
    )


def _bound(clause: Where, first: FromMany) -> set[str]:
    return {first.variable} | {v for n in walk(clause) if (v := getattr(n, "variable", None)) is not None}


def zero_of(clr: ClrType, compiler: Expressions) -> Node | None:
    """Write what C# has for a value type where there is nothing; None for a type that can be null.

    Raises:
        Untranslatable: the type's default has no constant.
    """
    if clr.nullable or not is_value(clr, compiler.values.mapping):
        return None
    known = value_type(clr)
    if known is None or known.zero == "null":
        raise Untranslatable(f"default({clr})", "the default of this type has no Java constant", "Q55")
    return Value(code=known.zero, safe=True)


def _over_array(query: Query, first: FromMany, rest: list, many: Many, compiler: Expressions) -> Compiled:
    inner = compiler.inside(compiler.scope.inner(first.variable, many, f"${_each(first)}"))
    array: Node = Path(path=f"${many.path}")
    conditions = [inner.truth(c.predicate, wanted=True) for c in rest if isinstance(c, Where)]
    orders = [c for c in rest if isinstance(c, OrderBy)]
    if rest and isinstance(rest[-1], Distinct) and query.outcome in {Outcome.COUNT, Outcome.LONG_COUNT}:
        return _distinct_values(rest[-1], rest[:-1], first, many, inner)
    others = [c for c in rest if not isinstance(c, Where | OrderBy)]
    if others:
        raise Untranslatable(type(others[0]).__name__, "inside a subquery", "Q18", others[0].span)
    if query.outcome == Outcome.ALL:
        conditions.append(inner.truth(query.element, wanted=False))
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else op("$and", *conditions)
        array = _over("$filter", array, _each(first), "cond", condition)
    match query.outcome:
        case Outcome.COUNT | Outcome.LONG_COUNT:
            return Compiled(node=op("$size", array), nullable=False)
        case Outcome.ANY:
            return Compiled(node=op("$gt", op("$size", array), number(0)), nullable=False)
        case Outcome.ALL:
            return Compiled(node=op("$eq", op("$size", array), number(0)), nullable=False)
        case Outcome.LIST:
            return _list(query, first, array, orders, many, inner)
    if query.outcome not in _FOLDS:
        raise Untranslatable(query.outcome.value, "inside a subquery", "Q39", first.span)
    element = inner.value(query.element)
    values = _mapped(array, _each(first), element.node, plain=not conditions)
    return Compiled(node=op(f"${_FOLDS[query.outcome]}", values), nullable=query.outcome != Outcome.SUM)


def _distinct_values(distinct: Distinct, rest: list, first: FromMany, many: Many, inner: Expressions) -> Compiled:
    """Count the different values of an array's elements."""
    conditions = [inner.truth(c.predicate, wanted=True) for c in rest if isinstance(c, Where)]
    element = inner.value(distinct.element)
    if len(conditions) != len(rest) or element.nullable:
        raise Untranslatable(
            "Distinct", "only a count of distinct values that are never null is exact", "Q33", distinct.span
        )
    array: Node = Path(path=f"${many.path}")
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else op("$and", *conditions)
        array = _over("$filter", array, _each(first), "cond", condition)
    values = _mapped(array, _each(first), element.node, plain=not conditions)
    return Compiled(node=op("$size", op("$setUnion", values, Items(items=()))), nullable=False)


def _list(
    query: Query, first: FromMany, array: Node, orders: list[OrderBy], many: Many, inner: Expressions
) -> Compiled:
    if orders:
        array, by_value = _sorted(query, orders[-1], first, array, inner)
    else:
        by_value = 0
    if isinstance(query.element, New):
        node: Node = Fields(members=tuple(object_members(query.element, inner)))
        return Compiled(node=_over("$map", array, _each(first), "in", node), nullable=False)
    if inner.scope.resolve(query.element) == inner.scope.bindings[first.variable]:
        return Compiled(node=array, nullable=False)
    element = inner.value(query.element)
    node = op("$ifNull", element.node, NULL_VALUE) if element.nullable else element.node
    plain = array == Path(path=f"${many.path}") and not element.nullable
    values = _mapped(array, _each(first), node, plain=plain)
    if by_value:
        sort = Fields(members=(("input", values), ("sortBy", number(by_value))))
        values = op("$sortArray", sort)
    return Compiled(node=values, nullable=False)


def _sorted(query: Query, order: OrderBy, first: FromMany, array: Node, inner: Expressions) -> tuple[Node, int]:
    """Sort the documents by their fields; where the one key is the element itself, the mapped values are sorted."""
    if len(order.keys) == 1 and order.keys[0].expression == query.element:
        return array, -1 if order.keys[0].descending else 1
    keys = []
    for key in order.keys:
        node = inner.value(key.expression).node
        prefix = f"$${_each(first)}."
        if not isinstance(node, Path) or not node.path.startswith(prefix):
            raise Untranslatable("OrderBy", "a computed key inside a subquery", "Q18", order.span)
        keys.append((node.path.removeprefix(prefix), number(-1 if key.descending else 1)))
    sort = Fields(members=(("input", array), ("sortBy", Fields(members=tuple(keys)))))
    return op("$sortArray", sort), 0


def _each(first: FromMany) -> str:
    """Name the element of an array; MongoDB wants a lower-case ASCII letter first."""
    name = camel(first.variable)
    return name if name.isascii() and name[0].islower() and name.isidentifier() else "each"


def object_members(new: New, compiler: Expressions) -> list[tuple[str, Node]]:
    """Compile the members of an object under their Java field names."""
    members: list[tuple[str, Node]] = []
    for name, expression in new.members:
        if isinstance(expression, New):
            members.append((field_of(name), Fields(members=tuple(object_members(expression, compiler)))))
        else:
            members.append((field_of(name), compiler.value(expression).node))
    return members


def _over(name: str, array: Node, variable: str, role: str, body: Node) -> Node:
    return op(name, Fields(members=(("input", array), ("as", text_value(variable)), (role, body))))


def _mapped(array: Node, variable: str, element: Node, *, plain: bool) -> Node:
    """Take one value of each document: a dotted path does where nothing is computed, else `$map`."""
    prefix = f"$${variable}."
    if plain and isinstance(array, Path) and isinstance(element, Path) and element.path.startswith(prefix):
        return Path(path=f"{array.path}.{element.path.removeprefix(prefix)}")
    return _over("$map", array, variable, "in", element)


def _over_group(query: Query, first: FromMany, rest: list, group: Grouping, compiler: Expressions) -> Compiled:
    segment = group.segment
    scope = segment.scope
    row = scope.resolve(segment.element)
    inner = compiler.inside(scope)
    if row is None:
        value = inner.value(segment.element)
        row = Computed(node=value.node, nullable=value.nullable)
    scope.bindings[first.variable] = row
    distinct = [c for c in rest if isinstance(c, Distinct)]
    others = [c for c in rest if not isinstance(c, Where | Distinct)]
    if others:
        raise Untranslatable(type(others[0]).__name__, "over the rows of a group", "Q39", others[0].span)
    conditions = [inner.truth(c.predicate, wanted=True) for c in rest if isinstance(c, Where)]
    condition = op("$and", *conditions) if len(conditions) > 1 else (conditions[0] if conditions else None)
    if distinct:
        return _distinct_count(query, distinct[0], condition, inner, segment.accumulators)
    if query.outcome in {Outcome.COUNT, Outcome.LONG_COUNT}:
        if condition is None:
            return _accumulate(segment.accumulators, "count", None, nullable=False)
        return _accumulate(segment.accumulators, "sum", op("$cond", condition, number(1), number(0)), nullable=False)
    if query.outcome not in _FOLDS:
        raise Untranslatable(query.outcome.value, "over the rows of a group", "Q39", first.span)
    element = inner.value(query.element)
    node = element.node if condition is None else op("$cond", condition, element.node, NULL_VALUE)
    fold = _FOLDS[query.outcome]
    return _accumulate(segment.accumulators, fold, node, nullable=query.outcome != Outcome.SUM)


def _distinct_count(
    query: Query, distinct: Distinct, condition: Node | None, inner: Expressions, accumulators: list[Accumulator]
) -> Compiled:
    element = inner.value(distinct.element)
    if query.outcome not in {Outcome.COUNT, Outcome.LONG_COUNT} or element.nullable or condition is not None:
        raise Untranslatable(
            "Distinct", "only a plain count of distinct values that are never null", "Q33", distinct.span
        )
    values = _accumulate(accumulators, "addToSet", element.node, nullable=False)
    return Compiled(node=op("$size", values.node), nullable=False)


def _accumulate(accumulators: list[Accumulator], operator: str, node: Node | None, *, nullable: bool) -> Compiled:
    same = next((a for a in accumulators if (a.operator, a.argument) == (operator, node)), None)
    if same is None:
        stem = operator
        if isinstance(node, Path):
            last = node.path.rpartition(".")[2].lstrip("$")
            stem = operator + last[:1].upper() + last[1:]
        taken = {a.name for a in accumulators}
        name = next(n for n in (stem, *(f"{stem}{at}" for at in range(2, 99))) if n not in taken)
        same = Accumulator(name=name, operator=operator, argument=node)
        accumulators.append(same)
    return Compiled(node=Path(path=f"${same.name}"), nullable=nullable)

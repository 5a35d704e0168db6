"""Joining: two sets joined on keys, read as the navigation that the keys stand for."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from react_agent.csharp.application import Operator, applied, as_expression, expression, filtered
from react_agent.csharp.constants import NULL_TYPE, null_of
from react_agent.csharp.operators import equality
from react_agent.csharp.scope import Function, Match, Reader, Refused, Sequence
from react_agent.csharp.sequences import over
from react_agent.csharp.types import BOOL
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType, EntityType, Navigation
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Cast,
    Clause,
    Expression,
    From,
    FromMany,
    JoinedOn,
    Member,
    New,
    Outcome,
    Query,
    Subquery,
    Var,
    Where,
    walk,
)
from react_agent.model.values import Cell

T = TypeVar("T")
_HAZARDS = {"Join": "Q23", "GroupJoin": "Q25", "LeftJoin": "Q26", "RightJoin": "Q26"}


def join(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Read `Join`, `GroupJoin` and `LeftJoin`.

    Raises:
        Refused: the keys are not those of a navigation.
    """
    hazard = _HAZARDS[call.name]
    if call.name == "RightJoin" or len(call.arguments) != 4:
        raise call.refuse("this form is not read", hazard)
    inner, left, right, result = call.arguments
    if not isinstance(inner, Sequence) or not isinstance(result, Function) or len(result.parameters) != 2:
        raise call.refuse("the inner source is not a query", hazard)
    source, outer_key = applied(reader, source, left, call)
    inner, inner_key = applied(reader, inner, right, call)
    keys = expression(outer_key, call), expression(inner_key, call)
    found = related(reader, inner, keys, call.name, call.span)
    if call.name != "GroupJoin":
        source, row = entered(reader, source, found, result.parameters[1], call.span, outer=call.name == "LeftJoin")
    elif isinstance(found, Sequence):
        row = as_expression(found, call.span) if len(found.clauses) > 1 else _whole(found)
    else:
        raise call.refuse("a group join over a reference is read in query syntax only", hazard)
    made = result.call([source.element, row])
    if isinstance(made, Sequence):
        made = as_expression(made, call.span)
    return replace(source, element=expression(made, call), fresh=False)


def _whole(found: Sequence) -> Expression:
    first = found.clauses[0]
    assert isinstance(first, FromMany)
    return first.collection


def related(
    reader: Reader, inner: Sequence, keys: tuple[Expression, Expression], name: str, span: Span
) -> Sequence | Match:
    """Find the rows of `inner` that belong to a row: a collection of it, or the one that it refers to.

    Raises:
        Refused: the keys are not those of a navigation.
    """
    hazard = _HAZARDS.get(name, "Q23")
    first = inner.clauses[0]
    rest = tuple(c for c in inner.clauses[1:] if isinstance(c, Where))
    if not isinstance(first, From) or len(rest) != len(inner.clauses) - 1:
        raise Refused(name, "the inner source is sorted, cut, grouped or joined by itself", span, hazard)
    if not isinstance(inner.element, Var) or inner.element.name != first.variable:
        raise Refused(name, "the inner source makes rows of its own", span, hazard)
    pairs = _pairs(*keys)
    target = _common_target([p[0] for p in pairs])
    theirs = [p[1].name for p in pairs if isinstance(p[1], Member) and p[1].target == inner.element]
    if target is None or len(theirs) != len(pairs):
        raise Refused(name, "the keys are not plain members of the two rows", span, hazard)
    mine = [p[0].name for p in pairs if isinstance(p[0], Member)]
    owner, other = reader.mapping.find(target.type.name), reader.mapping.find(first.entity)
    navigation = _navigation(owner, other, mine, theirs) if owner and other else None
    if navigation is None:
        raise Refused(name, "no navigation stands for these keys; a join on other keys is not read", span, hazard)
    reader.joined.append(JoinedOn(entity=first.entity, keys=keys))
    kind = ClrType(name=navigation.target, nullable=not navigation.required)
    if not navigation.collection:
        found = Member(target=target, name=navigation.name, type=kind)
        return Match(found, substituted(rest, first.variable, found))
    whole = Member(
        target=target, name=navigation.name, type=ClrType(name="ICollection", element=replace(kind, nullable=False))
    )
    many = over(reader, whole, span)
    assert isinstance(many.element, Var)
    return replace(many, clauses=(*many.clauses, *substituted(rest, first.variable, many.element)))


def entered(
    reader: Reader, source: Sequence, found: Sequence | Match, wanted: str, span: Span, *, outer: bool
) -> tuple[Sequence, Expression]:
    """Range over the rows that belong to each row; `outer` keeps rows that have none."""
    from react_agent.csharp.ranging import ranged  # noqa: PLC0415 - ranging reads joins in its turn

    if isinstance(found, Sequence):
        if outer:
            only = found.clauses[0]
            if len(found.clauses) != 1 or not isinstance(only, FromMany):
                raise Refused("LeftJoin", "a filtered inner source that keeps rows is not read", span, "Q26")
            element = replace(found.element, type=replace(found.element.type, nullable=True))
            found = replace(found, clauses=(replace(only, outer=True),), element=element)
        joined = ranged(reader, source, found, wanted, span)
        return replace(joined, element=source.element), joined.element
    return matched(source, found, span, outer=outer)


def matched(source: Sequence, found: Match, span: Span, *, outer: bool) -> tuple[Sequence, Expression]:
    """Take the one row that each row refers to."""
    row = found.row
    if outer:
        if found.conditions:
            raise Refused("LeftJoin", "a filtered inner source that keeps rows is not read", span, "Q26")
        return replace(source, fresh=False), replace(row, type=replace(row.type, nullable=True))
    if row.type.nullable:
        source = filtered(source, equality("!=", row, null_of(NULL_TYPE), span), span)
    for condition in found.conditions:
        source = filtered(source, condition.predicate, span)
    return replace(source, fresh=False), row


def correlated(reader: Reader, query: Query) -> Expression | None:
    """Read a query over a whole set inside a lambda, `db.Items.Count(i => i.ShopId == s.Id)`, by its navigation.

    None where no navigation stands for what it compares.
    """
    first = query.clauses[0]
    if not isinstance(first, From) or query.includes:
        return None
    behind = next((n for n, c in enumerate(query.clauses[1:], 1) if not isinstance(c, Where)), len(query.clauses))
    tests = [t for c in query.clauses[1:behind] if isinstance(c, Where) for t in _conjuncts(c.predicate)]
    compared = [(t, pair) for t in tests if (pair := _across(t, first.variable)) is not None]
    for chosen in ([*compared], *([one] for one in compared)):
        found = _found(reader, [pair for _, pair in chosen], first)
        if found is None:
            continue
        outer, navigation = found
        left = [t for t in tests if t not in [c for c, _ in chosen]]
        made = _inside(query, first, (outer, navigation), left, query.clauses[behind:])
        if made is not None:
            mine, theirs = (_together([pair[side] for _, pair in chosen]) for side in (0, 1))
            reader.joined.append(JoinedOn(entity=first.entity, keys=(theirs, mine)))
            return made
    return None


def _together(keys: list[Member]) -> Expression:
    return New(members=tuple((key.name, key) for key in keys), type=ClrType(name=""))


def _conjuncts(predicate: Expression) -> list[Expression]:
    if isinstance(predicate, Binary) and predicate.operator == BinaryOperator.AND:
        return [*_conjuncts(predicate.left), *_conjuncts(predicate.right)]
    return [predicate]


def _across(test: Expression, variable: str) -> tuple[Member, Member] | None:
    """The two members that a test compares: one of the set's own row, one of a row outside."""
    if not isinstance(test, Binary) or test.operator != BinaryOperator.EQUAL:
        return None
    one, other = _bare(test.left), _bare(test.right)
    if not isinstance(one, Member) or not isinstance(other, Member):
        return None
    for mine, theirs in ((one, other), (other, one)):
        own = isinstance(mine.target, Var) and mine.target.name == variable
        if own and not any(isinstance(n, Var) and n.name == variable for n in walk(theirs)):
            return mine, theirs
    return None


def _found(reader: Reader, pairs: list[tuple[Member, Member]], first: From) -> tuple[Expression, Navigation] | None:
    outer = _common_target([theirs for _, theirs in pairs])
    if outer is None:
        return None
    owner, other = reader.mapping.find(outer.type.name), reader.mapping.find(first.entity)
    if owner is None or other is None:
        return None
    navigation = _navigation(owner, other, [t.name for _, t in pairs], [m.name for m, _ in pairs])
    return None if navigation is None else (outer, navigation)


def _inside(
    query: Query, first: From, of: tuple[Expression, Navigation], left: list[Expression], rest: tuple[Clause, ...]
) -> Expression | None:
    """Put the navigation in place of the set; of a reference only whether it is there and one value of it."""
    outer, navigation = of
    kind = ClrType(name=navigation.target)
    kept = tuple(Where(predicate=test, span=first.span) for test in left)
    if navigation.collection:
        many = Member(target=outer, name=navigation.name, type=ClrType(name="ICollection", element=kind))
        start = FromMany(variable=first.variable, collection=many, span=first.span)
        return Subquery(query=replace(query, clauses=(start, *kept, *rest)), type=query.type)
    one = Member(target=outer, name=navigation.name, type=replace(kind, nullable=not navigation.required))
    if query.outcome == Outcome.ANY and not rest:
        test: Expression = equality("!=", one, null_of(NULL_TYPE), first.span)
        for condition in left:
            both = substituted(condition, first.variable, one)
            test = Binary(operator=BinaryOperator.AND, left=test, right=both, type=BOOL)
        return test
    alone = not left and not rest and query.outcome in _PICKS
    safe = navigation.required or query.element.type.nullable or query.element.type.name == "string"
    return substituted(query.element, first.variable, one) if alone and safe else None


_PICKS = frozenset({Outcome.FIRST, Outcome.FIRST_OR_DEFAULT, Outcome.SINGLE, Outcome.SINGLE_OR_DEFAULT})


def _pairs(left: Expression, right: Expression) -> list[tuple[Expression, Expression]]:
    if isinstance(left, New) and isinstance(right, New):
        theirs = dict(right.members)
        return [(_bare(value), _bare(theirs.get(name, value))) for name, value in left.members]
    return [(_bare(left), _bare(right))]


def _bare(expression: Expression) -> Expression:
    while isinstance(expression, Cast) and expression.type.name == expression.operand.type.name:
        expression = expression.operand
    return expression


def _common_target(keys: list[Expression]) -> Expression | None:
    targets = [k.target for k in keys if isinstance(k, Member)]
    return targets[0] if len(targets) == len(keys) and all(t == targets[0] for t in targets) else None


def _navigation(owner: EntityType, other: EntityType, mine: list[str], theirs: list[str]) -> Navigation | None:
    """Find the navigation that compares just these properties, in any order."""
    wanted = set(zip(mine, theirs, strict=True))
    for navigation in owner.navigations:
        if navigation.target != other.name or navigation.many_to_many is not None:
            continue
        dependent, principal = (owner, other) if navigation.on_dependent else (other, owner)
        for key in dependent.foreign_keys:
            pairs = zip(key.properties, key.principal_key, strict=True)
            compared = set(pairs) if navigation.on_dependent else {(p, d) for d, p in pairs}
            same = key.properties == navigation.foreign_key and key.principal == principal.name
            if same and compared == wanted:
                return navigation
    return None


def substituted(node: T, name: str, value: Expression) -> T:
    """Put an expression in place of a range variable below `node`."""
    return _substituted(node, name, value)


def _substituted(node: Any, name: str, value: Expression) -> Any:
    if isinstance(node, tuple):
        return type(node)(_substituted(item, name, value) for item in node)
    if isinstance(node, Var) and node.name == name:
        return value
    if not is_dataclass(node) or isinstance(node, type | Cell | ClrType | Span):
        return node
    changed: dict[str, Any] = {f.name: _substituted(getattr(node, f.name), name, value) for f in fields(node)}
    return replace(node, **changed)

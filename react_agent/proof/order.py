"""Order rules: what a query's order means, read from the query and never from its result."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import (
    SCALAR_OUTCOMES,
    Cast,
    Choice,
    Clause,
    Distinct,
    Expression,
    From,
    GroupBy,
    Member,
    New,
    OrderBy,
    OrderKey,
    Outcome,
    Parameter,
    Query,
    QueryMethod,
    Skip,
    Subquery,
    Take,
    Var,
    walk,
)
from react_agent.model.values import Cell, CellType
from react_agent.proof.canonical import Canonical
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import chosen_clauses
from react_agent.proof.inexact import inexact_paths, inexact_places
from react_agent.proof.loaded import Loaded, loaded_by
from react_agent.proof.places import entity_of
from react_agent.proof.tables import cell_type, properties_of
from react_agent.proof.unique import bare, is_total


class Order(StrEnum):
    """How far the order of rows is determined."""

    UNORDERED = "unordered"
    TOTAL = "total"
    TIES = "ties"


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    """A sort key and where a row shows it: member names from the row down, empty for the row itself, None if hidden."""

    path: tuple[str, ...] | None
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRule:
    """How two results of one entry are to be compared.

    `page` is set where a Skip or Take cuts the rows, `one` where one row of several is taken; `unpaged` are the
    source's rows before the cut, where they are known. `inner` are the rules of lists in a row, by path; other lists
    are unordered. `nullable` are the members (`Type.Member`) for which missing means null; `widened` the pairs of cell
    types that the mapping holds to be the same type. `keeps_offset` says that the target keeps a date-time's offset.
    `ranks` gives a row's sort key, by the row's canonical form, where the row itself does not show it. `needs_rows`
    marks a fold that has no value over nothing: EF Core's complaint about that is worded in two ways. `ignored` are
    references between entities (`Type.Member`): EF Core fills those whose rows it happens to have read, asked or not.
    Those that the query includes are `loaded`, and compared once the entities are. `within` are the members of an
    object made in memory that hold the rows of a query, each with the rule of those rows. `inexact` are the places of
    sums of doubles, equal within a tolerance of the `magnitude` that may have been summed.
    """

    order: Order
    keys: tuple[SortKey, ...] = ()
    page: bool = False
    one: bool = False
    unpaged: Envelope | None = None
    inner: tuple[tuple[tuple[str, ...], "OrderRule"], ...] = ()
    nullable: frozenset[str] = frozenset()
    widened: frozenset[tuple[CellType, CellType]] = frozenset()
    keeps_offset: bool = False
    ranks: Mapping[Canonical, Canonical] | None = None
    needs_rows: bool = False
    ignored: frozenset[str] = frozenset()
    loaded: frozenset[str] = frozenset()
    within: "tuple[tuple[str, OrderRule], ...]" = ()
    inexact: frozenset[tuple[str, ...]] = frozenset()
    magnitude: float = 0.0
    reason: str = ""

    @property
    def parts(self) -> "tuple[OrderRule, ...]":
        """This rule and those of the rows within."""
        return (self, *(rule for _, rule in self.within))

    def with_magnitude(self, size: float) -> "OrderRule":
        """The rule with the sum of the magnitudes that may have been summed, also for the rows within."""
        within = tuple((name, rule.with_magnitude(size)) for name, rule in self.within)
        return replace(self, magnitude=size, within=within)

    @property
    def undetermined(self) -> str:
        """Why no comparison can be final, empty where it can: a page of rows without an order."""
        return next((r.reason for r in self.parts if r.page and r.order == Order.UNORDERED), "")

    @property
    def visible(self) -> bool:
        """Whether every row's sort key is known."""
        return all(r.ranks is not None or all(key.path is not None for key in r.keys) for r in self.parts)


ONE_ROW = frozenset({Outcome.FIRST, Outcome.FIRST_OR_DEFAULT, Outcome.LAST, Outcome.LAST_OR_DEFAULT})


def order_rule(method: QueryMethod, mapping: MappingModel, args: Mapping[str, Cell] | None = None) -> OrderRule:
    """Derive the rule of an entry, for a call's arguments where given: they decide between the branches of a query.

    An entry without a query compares unordered; so does one whose branches order differently when no arguments tell
    which of them ran.
    """
    if method.query is None:
        # The count that a command returns is one value: how it would be ordered is not asked.
        return OrderRule(order=Order.UNORDERED, nullable=_nullable(mapping, None), ignored=_ignored(mapping))
    if method.made is None:
        return _of_query(method, method.query, mapping, args)
    within = tuple((name, _of_query(method, query, mapping, args)) for name, query in lists_within(method).items())
    members = frozenset(_nullable_members(method.made))
    return OrderRule(
        order=Order.TOTAL,
        nullable=_nullable(mapping, method.query) | members,
        ignored=_ignored(mapping),
        within=within,
        inexact=inexact_places(method),
    )


def lists_within(method: QueryMethod) -> dict[str, Query]:
    """The members of an object that a method makes in memory which hold the rows of a query, with that query."""
    queries = {part.name: part.query or method.query for part in method.parts}
    members = method.made.members if method.made is not None else ()
    found = {name: queries.get(value.name) for name, value in members if isinstance(value, Parameter)}
    return {name: query for name, query in found.items() if query is not None and query.outcome == Outcome.LIST}


def _of_query(method: QueryMethod, query: Query, mapping: MappingModel, args: Mapping[str, Cell] | None) -> OrderRule:
    chosen = chosen_clauses(replace(method, query=query), args) if args is not None else None
    variants = [chosen] if chosen is not None else list(_variants(query.clauses))
    rules = {_of_clauses(query, clauses, mapping) for clauses in variants}
    rule = rules.pop() if len(rules) == 1 else _weakest(rules)
    loaded = loaded_by(query, mapping)
    return replace(
        rule,
        inner=(*_inner(query.element, mapping, ()), *((one.path, _included_rule(one, mapping)) for one in loaded)),
        nullable=_nullable(mapping, query),
        ignored=_ignored(mapping),
        loaded=frozenset(member for one in loaded for member in one.members),
        inexact=inexact_paths(query),
    )


def _included_rule(loaded: Loaded, mapping: MappingModel) -> OrderRule:
    """The rule of a collection that is loaded with an entity: its elements are rows of the navigation's target."""
    include, target = loaded.include, ClrType(name=loaded.target)
    named = (n for n in walk(include.clauses) if isinstance(n, Var) and n.name == include.variable)
    element = next(named, Var(name=include.variable, type=target))
    rows = From(variable=include.variable, entity=loaded.target, span=include.span)
    clauses = (rows, *include.clauses)
    return _list_rule(Query(clauses=clauses, element=element, outcome=Outcome.LIST, type=target), mapping)


def _weakest(rules: set[OrderRule]) -> OrderRule:
    is_page = any(rule.page for rule in rules)
    reason = "the query's order depends on arguments that could not be followed" if is_page else ""
    return OrderRule(order=Order.UNORDERED, page=is_page, one=any(r.one for r in rules), reason=reason)


def _variants(clauses: tuple[Clause, ...]) -> Iterator[tuple[Clause, ...]]:
    """Every flat list of clauses that choices can lead to, at most 64."""
    at = next((n for n, c in enumerate(clauses) if isinstance(c, Choice)), None)
    if at is None:
        yield clauses
        return
    choice = clauses[at]
    assert isinstance(choice, Choice)
    count = 0
    for chosen in (*(b.clauses for b in choice.branches), choice.otherwise):
        for variant in _variants((*clauses[:at], *chosen, *clauses[at + 1 :])):
            count += 1
            if count > 64:
                return
            yield variant


def _of_clauses(query: Query, clauses: tuple[Clause, ...], mapping: MappingModel) -> OrderRule:
    order: tuple[OrderKey, ...] = ()
    cut: tuple[OrderKey, ...] | None = None
    for at, clause in enumerate(clauses):
        if isinstance(clause, OrderBy):
            order = clause.keys
        elif isinstance(clause, Distinct | GroupBy):
            order = ()
        elif isinstance(clause, Skip | Take) and not is_total(order, clauses[:at], mapping):
            cut = order
    open_cut = _open_cut(query, order, cut)
    if open_cut:
        return OrderRule(order=Order.UNORDERED, page=True, reason=open_cut)
    if query.outcome in SCALAR_OUTCOMES:
        return OrderRule(order=Order.TOTAL, needs_rows=query.outcome in {Outcome.MIN, Outcome.MAX, Outcome.AVERAGE})
    one = query.outcome in ONE_ROW
    if not order:
        return OrderRule(order=Order.UNORDERED, one=one)
    if is_total(order, clauses, mapping):
        return OrderRule(order=Order.TOTAL, keys=_sort_keys(order, query))
    return OrderRule(order=Order.TIES, keys=_sort_keys(order, query), page=cut is not None, one=one)


def _open_cut(query: Query, order: tuple[OrderKey, ...], cut: tuple[OrderKey, ...] | None) -> str:
    """Why it is open which rows a page holds, for a page whose rows matter; a count of them does not ask."""
    if cut is None or query.outcome in {Outcome.COUNT, Outcome.LONG_COUNT, Outcome.ANY}:
        return ""
    if not cut:
        return "a page is cut from rows without an order"
    if cut is not order or query.outcome in SCALAR_OUTCOMES:
        return "a page is cut inside a tie and used further"
    return ""


def _sort_keys(order: tuple[OrderKey, ...], query: Query) -> tuple[SortKey, ...]:
    return tuple(SortKey(path=_path(key.expression, query.element), descending=key.descending) for key in order)


def _path(key: Expression, element: Expression, at: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Find where the row shows a key: the element itself, a member of the object made, a scalar of the entity."""
    if bare(key) == bare(element):
        return at
    if isinstance(element, New):
        found = (_path(key, value, (*at, name)) for name, value in element.members)
        return next((path for path in found if path is not None), None)
    if isinstance(key, Member) and isinstance(element, Var | Member):
        above = _path(key.target, element, at)
        return (*above, key.name) if above is not None else None
    return None


InnerRules = Iterator[tuple[tuple[str, ...], OrderRule]]


def _inner(element: Expression, mapping: MappingModel, at: tuple[str, ...]) -> InnerRules:
    """The rules of lists inside a row: a subquery's own order, a primitive collection's sequence."""
    if isinstance(element, New):
        for name, value in element.members:
            yield from _inner(value, mapping, (*at, name))
    elif isinstance(element, Cast):
        yield from _inner(element.operand, mapping, at)
    elif isinstance(element, Subquery) and element.query.outcome == Outcome.LIST:
        yield at, _list_rule(element.query, mapping)
        yield from _inner(element.query.element, mapping, at)
    elif isinstance(element, Var | Member):
        yield from _stored_lists(element, mapping, at)


def _list_rule(query: Query, mapping: MappingModel) -> OrderRule:
    rules = {_of_clauses(query, clauses, mapping) for clauses in _variants(query.clauses)}
    return rules.pop() if len(rules) == 1 else _weakest(rules)


def _stored_lists(element: Expression, mapping: MappingModel, at: tuple[str, ...]) -> InnerRules:
    entity = entity_of(mapping, element)
    if entity is None:
        if cell_type(mapping, element.type) == CellType.LIST:
            yield at, OrderRule(order=Order.TOTAL)
        return
    for p in properties_of(mapping, entity):
        if cell_type(mapping, p.type, p.provider_type) == CellType.LIST:
            yield (*at, p.name), OrderRule(order=Order.TOTAL)


def _nullable(mapping: MappingModel, query: Query | None) -> frozenset[str]:
    found = {f"{e.clr_name}.{p.name}" for e in mapping.entities for p in e.properties if p.nullable}
    found |= {f"{e.clr_name}.{n.name}" for e in mapping.entities for n in e.navigations if not n.required}
    if query is not None:
        found |= set(_nullable_members(query.element))
    return frozenset(found)


def _nullable_members(element: Expression) -> Iterator[str]:
    if isinstance(element, New):
        for name, value in element.members:
            if value.type.nullable:
                yield f"{element.type.name}.{name}"
            yield from _nullable_members(value)
    elif isinstance(element, Subquery):
        yield from _nullable_members(element.query.element)


def _ignored(mapping: MappingModel) -> frozenset[str]:
    """The navigations that are filled by what else was read; parts of an entity are none of them."""
    return frozenset(
        f"{entity.clr_name}.{navigation.name}"
        for entity in mapping.entities
        for navigation in entity.navigations
        if (target := mapping.find(navigation.target)) is None or not (target.owned_by or target.complex)
    )

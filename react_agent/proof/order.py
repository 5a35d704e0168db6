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
    FromMany,
    GroupBy,
    Include,
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
from react_agent.proof.inexact import inexact_places
from react_agent.proof.loaded import loaded_by
from react_agent.proof.places import entity_of
from react_agent.proof.tables import cell_type, lineage, properties_of


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
    Those that the query includes are `loaded`, and compared once the entities are; `uncompared` are the loaded ones
    whose elements are open. `inexact` are the places of sums of doubles, equal within a tolerance of the `magnitude`
    that may have been summed.
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
    uncompared: frozenset[str] = frozenset()
    paged: "tuple[str, OrderRule] | None" = None
    inexact: frozenset[tuple[str, ...]] = frozenset()
    magnitude: float = 0.0
    reason: str = ""

    @property
    def undetermined(self) -> str:
        """Why no comparison can be final, empty where it can: a page of rows without an order."""
        return self.reason if self.page and self.order == Order.UNORDERED else ""

    @property
    def visible(self) -> bool:
        """Whether every row's sort key is known."""
        return self.ranks is not None or all(key.path is not None for key in self.keys)


ONE_ROW = frozenset({Outcome.FIRST, Outcome.FIRST_OR_DEFAULT, Outcome.LAST, Outcome.LAST_OR_DEFAULT})


def order_rule(method: QueryMethod, mapping: MappingModel, args: Mapping[str, Cell] | None = None) -> OrderRule:
    """Derive the rule of an entry, for a call's arguments where given: they decide between the branches of a query.

    An entry without a query compares unordered; so does one whose branches order differently when no arguments tell
    which of them ran.
    """
    if method.query is None:
        # The count that a command returns is one value: how it would be ordered is not asked.
        return OrderRule(order=Order.UNORDERED, nullable=_nullable(mapping, None), ignored=_ignored(mapping))
    query = method.query
    chosen = chosen_clauses(method, args) if args is not None else None
    variants = [chosen] if chosen is not None else list(_variants(query.clauses))
    rules = {_of_clauses(query, clauses, mapping) for clauses in variants}
    rule = rules.pop() if len(rules) == 1 else _weakest(rules)
    inner = tuple(_inner(query.element, mapping, ()))
    nullable, ignored = _nullable(mapping, query), _ignored(mapping)
    if method.made is not None:
        place = rows_member(method)
        rows = replace(rule, inner=inner, nullable=nullable, ignored=ignored)
        inner = (((place,), rule), *(((place, *path), below) for path, below in inner))
        rule = _made(rule, place, rows)
    lists, loaded, uncompared = _loaded(query, mapping)
    return replace(
        rule,
        inner=(*inner, *lists),
        nullable=nullable,
        ignored=ignored,
        loaded=loaded,
        uncompared=uncompared,
        inexact=inexact_places(method),
    )


def _loaded(
    query: Query, mapping: MappingModel
) -> tuple[tuple[tuple[tuple[str, ...], OrderRule], ...], frozenset[str], frozenset[str]]:
    """The rules of included collections, the members they stand in, and those of which it is open what they hold."""
    rules: list[tuple[tuple[str, ...], OrderRule]] = []
    shown: set[str] = set()
    cut: set[str] = set()
    for one in loaded_by(query, mapping):
        rule = _included_rule(one.include, mapping)
        rules.append((one.path, rule))
        (cut if rule.page else shown).update(one.members)
    return tuple(rules), frozenset(shown - cut), frozenset(cut)


def _included_rule(include: Include, mapping: MappingModel) -> OrderRule:
    named = (n for n in walk(include.clauses) if isinstance(n, Var) and n.name == include.variable)
    element = next(named, Var(name=include.variable, type=ClrType(name="object")))
    return _list_rule(Query(clauses=include.clauses, element=element, outcome=Outcome.LIST, type=element.type), mapping)


def rows_member(method: QueryMethod) -> str:
    """The member of the object that a method makes which holds the rows of its main query; empty where none does."""
    main = next((part.name for part in method.parts if part.query is None), "")
    members = method.made.members if method.made is not None else ()
    return next((name for name, value in members if isinstance(value, Parameter) and value.name == main), "")


def _made(rule: OrderRule, place: str, rows: OrderRule) -> OrderRule:
    """The rule of an object that holds a page beside its total: the object is one, the page in it may be open."""
    if rule.page and rule.order == Order.TIES and place:
        return OrderRule(order=Order.TOTAL, paged=(place, rows))
    if rule.page:
        reason = rule.reason or "a page beside its total is cut inside a tie"
        return OrderRule(order=Order.UNORDERED, page=True, reason=reason)
    return OrderRule(order=Order.TOTAL)


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
        elif isinstance(clause, Skip | Take) and not _is_total(order, clauses[:at], mapping):
            cut = order
    open_cut = _open_cut(query, order, cut)
    if open_cut:
        return OrderRule(order=Order.UNORDERED, page=True, reason=open_cut)
    if query.outcome in SCALAR_OUTCOMES:
        return OrderRule(order=Order.TOTAL, needs_rows=query.outcome in {Outcome.MIN, Outcome.MAX, Outcome.AVERAGE})
    one = query.outcome in ONE_ROW
    if not order:
        return OrderRule(order=Order.UNORDERED, one=one)
    if _is_total(order, clauses, mapping):
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


def _is_total(order: tuple[OrderKey, ...], clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    return bool(order) and _is_unique([k.expression for k in order], clauses, mapping)


def _path(key: Expression, element: Expression, at: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Find where the row shows a key: the element itself, a member of the object made, a scalar of the entity."""
    if _bare(key) == _bare(element):
        return at
    if isinstance(element, New):
        found = (_path(key, value, (*at, name)) for name, value in element.members)
        return next((path for path in found if path is not None), None)
    if isinstance(key, Member) and isinstance(element, Var | Member):
        above = _path(key.target, element, at)
        return (*above, key.name) if above is not None else None
    return None


def _bare(expression: Expression) -> Expression:
    while isinstance(expression, Cast) and _keeps_order(expression):
        expression = expression.operand
    return expression


def _keeps_order(cast: Cast) -> bool:
    """A change of nullability alone shows the same value."""
    return cast.type.name == cast.operand.type.name


def _is_unique(keys: list[Expression], clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    """Whether the keys hold a unique key of everything that one row ranges over."""
    wanted: list[str] = []
    for clause in clauses:
        if isinstance(clause, From | FromMany):
            wanted.append(clause.variable)
        elif isinstance(clause, Distinct | GroupBy):
            wanted = [clause.variable]
    return all(_covers(keys, variable, clauses, mapping) for variable in wanted)


def _covers(keys: list[Expression], variable: str, clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    bare = [_bare(key) for key in keys]
    members = {
        k.name for k in bare if isinstance(k, Member) and isinstance(k.target, Var) and k.target.name == variable
    }
    for clause in clauses:
        if isinstance(clause, GroupBy) and clause.variable == variable:
            parts = [name for name, _ in clause.key.members] if isinstance(clause.key, New) else []
            nested = {k.name for k in bare if isinstance(k, Member) and isinstance(k.target, Member)}
            return "Key" in members or (bool(parts) and set(parts) <= nested)
        if isinstance(clause, Distinct) and clause.variable == variable:
            if isinstance(clause.element, New):
                return {name for name, _ in clause.element.members} <= members
            return any(isinstance(k, Var) and k.name == variable for k in bare)
        if isinstance(clause, From) and clause.variable == variable:
            return _has_unique(mapping, clause.entity, members)
        if isinstance(clause, FromMany) and clause.variable == variable:
            entity = entity_of(mapping, clause.collection)
            return entity is not None and not clause.outer and _has_unique(mapping, entity.name, members)
    return False


def _has_unique(mapping: MappingModel, name: str, members: set[str]) -> bool:
    entity = mapping.find(name)
    if entity is None:
        return False
    required = {p.name for p in properties_of(mapping, entity) if not p.nullable}
    keys = [one.key for one in lineage(mapping, entity)] + [
        k for one in lineage(mapping, entity) for k in one.alternate_keys
    ]
    keys += [i.properties for i in entity.indexes if i.unique and i.filter is None and set(i.properties) <= required]
    return any(key and set(key) <= members for key in keys)


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

"""Evaluate: run a query model over an instance's rows in C#'s semantics. An independent oracle for a covered subset.

It gives the unpaged rows of a page, the facts vacuity asks for, and a second opinion on the source's result. What it
does not cover exactly is `Unknown`, never an approximation.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from functools import cmp_to_key
from typing import Any

from react_agent.model.mapping import EntityType, MappingModel, Navigation, Property
from react_agent.model.query import (
    Branch,
    Change,
    ChangeKind,
    Choice,
    Clause,
    Distinct,
    Expression,
    From,
    FromMany,
    GroupBy,
    New,
    OrderBy,
    Outcome,
    Query,
    QueryMethod,
    Setter,
    Skip,
    Subquery,
    Take,
    Where,
)
from react_agent.model.values import NULL, Cell, CellType, Row
from react_agent.proof.canonical import CSHARP_DECIMAL
from react_agent.proof.closure import value_key
from react_agent.proof.commands import Refused, Written, deleted, updated
from react_agent.proof.envelopes import Envelope
from react_agent.proof.interpret import Interpreter, Scope, in_range
from react_agent.proof.runtime import Group, Made, Record, Unknown, cell_of, sort_value, value_of
from react_agent.proof.tables import column_of, lineage, properties_of


@dataclass(slots=True, kw_only=True)
class Facts:
    """What was seen on the way: results of each predicate by id, and of each optional navigation (present, absent)."""

    predicates: dict[int, set[bool]] = field(default_factory=lambda: defaultdict(set))
    navigations: dict[str, set[bool]] = field(default_factory=lambda: defaultdict(set))


def evaluate(
    method: QueryMethod,
    mapping: MappingModel,
    tables: Mapping[str, tuple[Row, ...]],
    args: Mapping[str, Cell],
    *,
    unpaged: bool = False,
    facts: Facts | None = None,
) -> Envelope:
    """Run an entry on rows. `unpaged` leaves out every Skip, Take and the choice of one row, and returns all rows.

    Raises:
        Unknown: something in the entry is not covered.
    """
    if not method.is_read:
        raise Unknown("an entry without a query")
    if method.made is not None:
        raise Unknown("an entry that makes one object of several queries")
    run = _Run(mapping=mapping, tables=tables, facts=facts or Facts())
    scope = run.parameters(method, args)
    refuses = run.refuses(method, scope)
    state: Mapping[str, tuple[Row, ...]] | None = None
    if refuses:
        outcome, value = "throws", None
    elif method.changes:
        outcome, value, state = _commanded(run, method, scope)
        refuses = outcome == "error"
    else:
        assert method.query is not None
        outcome, value = run.outcome(without_pages(method.query) if unpaged else method.query, scope)
    outcome = "throws" if refuses else outcome
    shown = tuple((p.name, args.get(p.name, p.default or NULL)) for p in method.parameters)
    row_count = len(value.items) if outcome == "rows" and value is not None else None
    return Envelope(
        call="",
        instance="",
        method=method.method,
        args=shown,
        outcome="throws" if outcome in _THROWN else outcome,
        value=value,
        row_count=row_count,
        exception="System.InvalidOperationException" if outcome in _THROWN else None,
        kind="error" if refuses else outcome if outcome in _THROWN else None,
        state=state,
    )


def _commanded(
    run: "_Run", method: QueryMethod, scope: dict[str, Any]
) -> tuple[str, Cell | None, Mapping[str, tuple[Row, ...]]]:
    """Send the commands one after the other, then make the method's result of what they left."""
    for change in method.changes:
        try:
            count, tables = run.change(change, scope)
        except Refused:
            return "error", None, run.tables
        scope[f"@{change.result}"] = count
        run = _Run(mapping=run.mapping, tables=tables, facts=run.facts)
    if method.query is not None:
        return *run.outcome(method.query, scope), run.tables
    return *_answer(method.answer, method, run, scope), run.tables


def _answer(answer: Expression | None, method: QueryMethod, run: "_Run", scope: Scope) -> tuple[str, Cell | None]:
    if answer is None:
        return "none", None
    value = run.value(answer, scope)
    return ("none", None) if value is None else ("scalar", cell_of(value, method.returns, run.mapping))


_THROWN = frozenset({"not_found", "too_many"})


def without_pages(query: Query) -> Query:
    """The query without Skip and Take, as a list of all rows that a page or one row is taken from."""
    outcome = query.outcome
    singles = {Outcome.FIRST, Outcome.FIRST_OR_DEFAULT, Outcome.LAST, Outcome.LAST_OR_DEFAULT}
    return replace(query, clauses=_unpaged(query.clauses), outcome=Outcome.LIST if outcome in singles else outcome)


def _unpaged(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    kept: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, Choice):
            branches = tuple(Branch(condition=b.condition, clauses=_unpaged(b.clauses)) for b in clause.branches)
            kept.append(replace(clause, branches=branches, otherwise=_unpaged(clause.otherwise)))
        elif not isinstance(clause, Skip | Take):
            kept.append(clause)
    return tuple(kept)


def chosen_clauses(method: QueryMethod, args: Mapping[str, Cell]) -> tuple[Clause, ...] | None:
    """The entry's clauses with its choices made for these arguments; None where a condition is not covered."""
    if method.query is None:
        return None
    nowhere = MappingModel(context="", namespace="", entities=())
    run = _Run(mapping=nowhere, tables={}, facts=Facts())
    try:
        return run.flat(method.query.clauses, run.parameters(method, args))
    except Unknown:
        return None


def value_for(method: QueryMethod, args: Mapping[str, Cell], expression: Expression) -> Any:
    """What an expression over an entry's arguments comes to; None also where it is not covered."""
    run = _Run(mapping=MappingModel(context="", namespace="", entities=()), tables={}, facts=Facts())
    try:
        return run.value(expression, run.parameters(method, args))
    except Unknown:
        return None


@dataclass(slots=True, kw_only=True)
class _Run:
    mapping: MappingModel
    tables: Mapping[str, tuple[Row, ...]]
    facts: Facts
    interpreter: Interpreter = field(init=False)
    related: dict[tuple[str, tuple[str, ...]], dict[tuple, list[Record]]] = field(default_factory=dict)
    """Rows of an entity by the values of some columns, so that following a reference does not read every row."""

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self._read, self._fold, self._observe)

    def parameters(self, method: QueryMethod, args: Mapping[str, Cell]) -> dict[str, Any]:
        """The scope an entry starts with: its arguments, then its locals in order."""
        scope: dict[str, Any] = {}
        for parameter in method.parameters:
            cell = args.get(parameter.name, parameter.default)
            if cell is None:
                raise Unknown(f"no argument for {parameter.name}")
            scope[f"@{parameter.name}"] = value_of(cell)
        for local in method.locals:
            scope[f"@{local.name}"] = self.value(local.value, scope)
        return scope

    def refuses(self, method: QueryMethod, scope: Scope) -> bool:
        """Whether the method throws before it asks anything."""
        return any(self.value(guard, scope) is True for guard in method.guards)

    def flat(self, clauses: tuple[Clause, ...], scope: Scope) -> tuple[Clause, ...]:
        """Make every choice."""
        out: list[Clause] = []
        for clause in clauses:
            if not isinstance(clause, Choice):
                out.append(clause)
                continue
            chosen = next((b.clauses for b in clause.branches if self.value(b.condition, scope)), clause.otherwise)
            out += self.flat(chosen, scope)
        return tuple(out)

    def value(self, expression: Expression, scope: Scope) -> Any:
        """Compute an expression."""
        return self.interpreter.value(expression, scope)

    def change(self, change: Change, scope: Scope) -> tuple[int, Mapping[str, tuple[Row, ...]]]:
        """Send one command: how many rows it counts, and the tables after it."""
        query = change.query
        rows = self._rows(query.clauses, scope)
        records = [record for row in rows if isinstance(record := self.value(query.element, row), Record)]
        if change.kind == ChangeKind.DELETE:
            tables = deleted(self.tables, self.mapping, records, cascades=change.cascades)
            return len(records), tables
        written = [
            Written(record=record, cells=dict(self._cell_set(setter, record, row) for setter in change.setters))
            for record, row in zip(records, rows, strict=True)
        ]
        count = sum(one.is_new for one in written) if change.only_changed else len(written)
        return count, updated(self.tables, self.mapping, written)

    def _cell_set(self, setter: Setter, record: Record, row: Scope) -> tuple[str, Cell]:
        column = column_of(self.mapping, record.entity, setter.target.name)
        if column is None:
            raise Unknown(f"the column of {setter.target.name}")
        return column, cell_of(self.value(setter.value, row), setter.target.type, self.mapping)

    def _observe(self, expression: Expression, *results: Any) -> None:
        if len(results) == 1 and isinstance(results[0], bool):
            self.facts.predicates[id(expression)].add(results[0])

    def outcome(self, query: Query, scope: Scope) -> tuple[str, Cell | None]:
        """The envelope's outcome and value for the entry's own query."""
        values = [self.value(query.element, row) for row in self._rows(query.clauses, scope)]
        if query.outcome == Outcome.LIST:
            items = tuple(self._cell(value, query) for value in values)
            return "rows", Cell(type=CellType.LIST, items=items)
        kind, value = _consume(query, values)
        if kind in {"not_found", "too_many"}:
            return kind, None
        if value is None:
            return "none", None
        return "scalar", self._cell(value, query)

    def _cell(self, value: Any, query: Query) -> Cell:
        clr = query.type
        if query.outcome == Outcome.LIST and clr.element is not None:
            clr = clr.element
        return self._written(value, clr, query.element)

    def _written(self, value: Any, clr: Any, element: Expression | None = None) -> Cell:
        if isinstance(value, Record):
            return self._entity(value)
        if isinstance(value, Made):
            types = dict(element.members) if isinstance(element, New) else {}
            members = {
                name: self._written(part, types[name].type if name in types else clr, types.get(name))
                for name, part in value.members
            }
            return Cell(type=CellType.OBJECT, name=value.name, fields=members)
        if isinstance(value, tuple):
            inner = element.query.element if isinstance(element, Subquery) else None
            kind = clr.element or clr
            return Cell(type=CellType.LIST, items=tuple(self._written(item, kind, inner) for item in value))
        return cell_of(value, clr, self.mapping)

    def _entity(self, record: Record) -> Cell:
        members: dict[str, Cell] = {}
        for p in properties_of(self.mapping, record.entity):
            if not p.shadow:
                members[p.name] = record.row.get(p.column, NULL)
        for part in self.mapping.entities:
            if part.owned_by == record.entity.name and part.owner_navigation:
                owned = self._read(record, part.owner_navigation)
                members[part.owner_navigation] = NULL if owned is None else self._written(owned, None)
        return Cell(type=CellType.OBJECT, name=record.entity.clr_name, fields=members)

    def _fold(self, expression: Subquery, scope: Scope) -> Any:
        query = expression.query
        values = [self.value(query.element, row) for row in self._rows(query.clauses, scope)]
        if query.outcome == Outcome.LIST:
            return tuple(values)
        kind, value = _consume(query, values)
        if kind in {"not_found", "too_many"}:
            if not query.type.nullable and not expression.type.nullable:
                raise Unknown("a subquery without a value")
            return None
        return value

    def _rows(self, clauses: tuple[Clause, ...], scope: Scope) -> list[Scope]:
        rows: list[Scope] = [scope]
        for clause in self.flat(clauses, scope):
            rows = self._apply(clause, rows, scope)
        return rows

    def _apply(self, clause: Clause, rows: list[Scope], scope: Scope) -> list[Scope]:
        match clause:
            case From():
                found = tuple(self._records(self._entity_named(clause.entity)))
                return [{**row, clause.variable: record} for row in rows for record in found]
            case FromMany():
                return [out for row in rows for out in self._many(clause, row)]
            case Where():
                return [row for row in rows if self._keeps(clause, row)]
            case OrderBy():
                return self._sorted(clause, rows)
            case Skip() | Take():
                count = self.value(clause.count, scope)
                if not isinstance(count, int) or count < 0:
                    raise Unknown("a page that starts or ends below zero")
                return rows[count:] if isinstance(clause, Skip) else rows[:count]
        return self._gathered(clause, rows, scope)

    def _keeps(self, clause: Where, row: Scope) -> bool:
        result = bool(self.value(clause.predicate, row))
        self.facts.predicates[id(clause)].add(result)
        return result

    def _many(self, clause: FromMany, row: Scope) -> Iterator[Scope]:
        value = self.value(clause.collection, row)
        items = value.items if isinstance(value, Group) else value
        if items is None:
            items = ()
        if not isinstance(items, tuple):
            raise Unknown("ranging over something that is no collection")
        for item in items or ((None,) if clause.outer else ()):
            yield {**row, clause.variable: item}

    def _sorted(self, clause: OrderBy, rows: list[Scope]) -> list[Scope]:
        keyed = [([sort_value(self.value(k.expression, row)) for k in clause.keys], row) for row in rows]
        signs = [-1 if k.descending else 1 for k in clause.keys]

        def order(one: tuple[list, Scope], other: tuple[list, Scope]) -> int:
            for sign, a, b in zip(signs, one[0], other[0], strict=True):
                if a != b:
                    return sign if a > b else -sign
            return 0

        return [row for _, row in sorted(keyed, key=cmp_to_key(order))]

    def _gathered(self, clause: Clause, rows: list[Scope], scope: Scope) -> list[Scope]:
        if isinstance(clause, Distinct):
            seen = dict.fromkeys(self.value(clause.element, row) for row in rows)
            return [{**scope, clause.variable: value} for value in seen]
        if isinstance(clause, GroupBy):
            groups: dict[Any, list[Any]] = {}
            for row in rows:
                key = self.value(clause.key, row)
                groups.setdefault(key, []).append(self.value(clause.element, row))
            return [{**scope, clause.variable: Group(key, tuple(items))} for key, items in groups.items()]
        raise Unknown(f"the clause {type(clause).__name__}")

    def _entity_named(self, name: str) -> EntityType:
        entity = self.mapping.find(name)
        if entity is None:
            raise Unknown(f"the entity {name}")
        return entity

    def _records(self, entity: EntityType) -> Iterator[Record]:
        """All rows of an entity, of its derived ones too; filters and hierarchies over tables are not covered."""
        line = lineage(self.mapping, entity)
        if entity.table is None or any(e.query_filter for e in line) or entity.json_column:
            raise Unknown(f"the rows of {entity.name}")
        kinds = self._derived(entity)
        if any(e.table != entity.table for e in kinds):
            raise Unknown(f"{entity.name} is stored in several tables")
        column = next(
            (column_of(self.mapping, e, e.discriminator) or e.discriminator for e in line if e.discriminator), None
        )
        by_value = {e.discriminator_value: e for e in kinds}
        key = tuple(c for k in line[-1].key or entity.key if (c := column_of(self.mapping, entity, k)))
        for row in self.tables.get(entity.table, ()):
            kind = entity
            if column is not None:
                cell = row.get(column, NULL)
                found = by_value.get(cell.text) or by_value.get(cell.name)
                if found is None:
                    continue
                kind = found
            yield Record(kind, row, (entity.table, *value_key(row, key)))

    def _derived(self, entity: EntityType) -> list[EntityType]:
        return [e for e in self.mapping.entities if entity in lineage(self.mapping, e)]

    def _read(self, record: Record, name: str) -> Any:
        for p in properties_of(self.mapping, record.entity):
            if p.name == name:
                return self._scalar(record, p)
        for one in lineage(self.mapping, record.entity):
            navigation = one.find_navigation(name)
            if navigation is not None:
                return self._navigated(record, one, navigation)
        raise Unknown(f"{record.entity.name}.{name}")

    def _scalar(self, record: Record, p: Property) -> Any:
        if p.converter is not None:
            raise Unknown(f"the converter of {record.entity.name}.{p.name}")
        return value_of(record.row.get(p.column, NULL), as_text=p.provider_type == "string")

    def _navigated(self, record: Record, owner: EntityType, navigation: Navigation) -> Any:
        target = self._entity_named(navigation.target)
        if target.json_column is not None:
            raise Unknown(f"the JSON part {owner.name}.{navigation.name}")
        if target.owned_by and target.table == owner.table and not navigation.collection:
            columns = [p.column for p in target.properties if p.name not in target.key]
            is_null = not navigation.required and all(record.row.get(c, NULL).is_null for c in columns)
            return None if is_null else Record(target, record.row, record.identity)
        if navigation.many_to_many is not None:
            return self._skipped(record, owner, navigation, target)
        found = self._related(record, owner, navigation, target)
        if navigation.collection:
            return tuple(found)
        first = next(iter(found), None)
        if not navigation.required:
            self.facts.navigations[f"{owner.name}.{navigation.name}"].add(first is not None)
        return first

    def _related(
        self, record: Record, owner: EntityType, navigation: Navigation, target: EntityType
    ) -> Iterator[Record]:
        dependent, principal = (owner, target) if navigation.on_dependent else (target, owner)
        foreign = next(
            (
                f
                for one in lineage(self.mapping, dependent)
                for f in one.foreign_keys
                if f.properties == navigation.foreign_key
            ),
            None,
        )
        if foreign is None:
            raise Unknown(f"the foreign key of {owner.name}.{navigation.name}")
        there = [column_of(self.mapping, dependent, n) or n for n in foreign.properties]
        here = [column_of(self.mapping, principal, n) or n for n in foreign.principal_key]
        mine, theirs = (there, here) if navigation.on_dependent else (here, there)
        wanted = value_key(record.row, mine)
        if ("null",) in wanted:
            return
        yield from self._by_key(target, theirs).get(wanted, ())

    def _by_key(self, target: EntityType, columns: list[str]) -> dict[tuple, list[Record]]:
        where = (target.name, tuple(columns))
        if where not in self.related:
            found: dict[tuple, list[Record]] = {}
            for other in self._records(target):
                found.setdefault(value_key(other.row, columns), []).append(other)
            self.related[where] = found
        return self.related[where]

    def _skipped(
        self, record: Record, owner: EntityType, navigation: Navigation, target: EntityType
    ) -> tuple[Record, ...]:
        join = self._entity_named(navigation.many_to_many or "")
        ours = [f for f in join.foreign_keys if f.principal == owner.name]
        theirs = [f for f in join.foreign_keys if f.principal == target.name]
        if len(ours) != 1 or len(theirs) != 1:
            raise Unknown(f"the join of {owner.name}.{navigation.name}")
        found = []
        for link in self.tables.get(join.table or "", ()):
            if self._meets(link, join, ours[0].properties, record, owner, ours[0].principal_key):
                found += [
                    r
                    for r in self._records(target)
                    if self._meets(link, join, theirs[0].properties, r, target, theirs[0].principal_key)
                ]
        return tuple(found)

    def _meets(
        self,
        link: Row,
        join: EntityType,
        names: tuple[str, ...],
        record: Record,
        entity: EntityType,
        key: tuple[str, ...],
    ) -> bool:
        there = [column_of(self.mapping, join, n) or n for n in names]
        here = [column_of(self.mapping, entity, n) or n for n in key]
        return value_key(link, there) == value_key(record.row, here)


def _consume(query: Query, values: list[Any]) -> tuple[str, Any]:
    """Fold values into an outcome: (`value`, result), or (`not_found` | `too_many`, None)."""
    outcome = query.outcome
    if outcome in {Outcome.COUNT, Outcome.LONG_COUNT}:
        return "value", len(values)
    if outcome == Outcome.ANY:
        return "value", bool(values)
    if outcome == Outcome.ALL:
        return "value", all(bool(v) for v in values)
    if outcome in _FOLDS:
        return _folded(query, [v for v in values if v is not None])
    if outcome in {Outcome.SINGLE, Outcome.SINGLE_OR_DEFAULT} and len(values) > 1:
        return "too_many", None
    if not values:
        return ("value", _default(query)) if outcome.value.endswith("OrDefault") else ("not_found", None)
    return "value", values[-1] if outcome in {Outcome.LAST, Outcome.LAST_OR_DEFAULT} else values[0]


def _default(query: Query) -> Any:
    if query.type.nullable or query.type.name not in {"int", "long", "bool", "decimal", "double"}:
        return None
    raise Unknown("the default of a value type")


def _average(values: list[Any]) -> Any:
    if isinstance(values[0], float):
        raise Unknown("the average of doubles: its last digit depends on the order")
    with localcontext(CSHARP_DECIMAL):
        total = sum(values)
        return total / Decimal(len(values)) if isinstance(total, Decimal) else total / len(values)


def _total(values: list[Any]) -> Any:
    if isinstance(values[0], float):
        raise Unknown("the sum of doubles: its last digit depends on the order")
    with localcontext(CSHARP_DECIMAL):
        return sum(values)


_FOLDS: Mapping[Outcome, Callable[[list[Any]], Any]] = {
    Outcome.SUM: _total,
    Outcome.AVERAGE: _average,
    Outcome.MIN: lambda values: min(values, key=sort_value),
    Outcome.MAX: lambda values: max(values, key=sort_value),
}


def _folded(query: Query, values: list[Any]) -> tuple[str, Any]:
    if values:
        return "value", in_range(_FOLDS[query.outcome](values), query.type.name)
    if query.outcome == Outcome.SUM:
        zero: Mapping[str, Any] = {"decimal": Decimal(0), "double": 0.0, "float": 0.0}
        return "value", zero.get(query.type.name, 0)
    return ("value", None) if query.type.nullable else ("not_found", None)

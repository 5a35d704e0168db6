"""Vacuity: whether a suite could have shown a difference at all."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from react_agent.model.mapping import MappingModel
from react_agent.model.query import Constant, New, Outcome, QueryMethod, Where, walk
from react_agent.model.values import NULL, Cell, CellType, Row
from react_agent.proof.canonical import canonical
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import Facts, evaluate
from react_agent.proof.order import lists_within
from react_agent.proof.runtime import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuity:
    """`missing` says what the suite never showed and without which a pass says nothing; `notes` what it showed in part.

    `covered` is false where the query could not be followed, and only results were looked at.
    """

    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    covered: bool = True


def is_telling(envelope: Envelope) -> bool:
    """Whether a result says something: rows, a state, a value that is not what nothing gives."""
    if envelope.state is not None and any(envelope.state.values()):
        return True
    if envelope.outcome == "rows":
        return bool(envelope.rows)
    if envelope.outcome != "scalar" or envelope.value is None or envelope.value.is_null:
        return False
    return not _is_default(envelope.value)


def _is_default(cell: Cell) -> bool:
    text = cell.text or ""
    if cell.type == CellType.BOOL:
        return False
    if cell.type.value in {
        "byte",
        "sbyte",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "float",
        "double",
        "decimal",
    }:
        return float(text or 0) == 0.0
    return cell.type == CellType.LIST and not cell.items


def observe(
    method: QueryMethod,
    mapping: MappingModel,
    runs: Sequence[tuple[Mapping[str, tuple[Row, ...]], Mapping[str, Cell]]],
    source: tuple[Envelope, ...] = (),
) -> Vacuity:
    """Follow an entry over (tables, arguments) and say what never happened.

    A predicate that was always true or always false, where rows were there to show both, makes a pass vacuous only if
    no row ever met it: a tautology cannot be shown false.
    """
    facts, covered = Facts(), True
    for tables, args in runs:
        try:
            evaluate(method, mapping, tables, args, facts=facts)
        except Unknown:
            covered = False
            break
    missing = []
    if method.query is not None and method.query.outcome in {Outcome.ANY, Outcome.ALL}:
        missing += _one_sided(source)
    if method.changes and not _wrote(runs, source):
        missing.append("no call ever changed a row")
    notes: list[str] = []
    seen = [*(_conditions(method, facts) if covered else ()), *_navigations(facts), *_outputs(method, source)]
    for text, is_open in seen:
        (missing if is_open else notes).append(text)
    return Vacuity(missing=tuple(missing), notes=tuple(notes), covered=covered)


def _wrote(
    runs: Sequence[tuple[Mapping[str, tuple[Row, ...]], Mapping[str, Cell]]], source: tuple[Envelope, ...]
) -> bool:
    """Whether the state after some call is not the one before it."""
    return any(
        envelope.state is not None and _counted(envelope.state) != _counted(tables)
        for (tables, _), envelope in zip(runs, source, strict=False)
    )


def _counted(tables: Mapping[str, tuple[Row, ...]]) -> dict[str, Counter]:
    """The rows of each table as a multiset."""
    return {
        name: Counter(frozenset((c, canonical(cell)) for c, cell in row.items() if not cell.is_null) for row in rows)
        for name, rows in tables.items()
        if rows
    }


def _conditions(method: QueryMethod, facts: Facts) -> Iterator[tuple[str, bool]]:
    for clause in (n for n in walk(method.asked) if isinstance(n, Where)):
        seen = facts.predicates.get(id(clause), set())
        if seen and True not in seen:
            yield f"the condition at {clause.span} was never true", True
        elif seen and False not in seen:
            yield f"the condition at {clause.span} was never false", False


def _navigations(facts: Facts) -> Iterator[tuple[str, bool]]:
    for name, seen in sorted(facts.navigations.items()):
        if True not in seen:
            yield f"{name} was absent from every row that asked for it", True
        elif False not in seen:
            yield f"{name} was always present", False


ENOUGH_ROWS = 8
"""How many rows have to be null in a member before nothing but null is held against the suite, not against chance."""


def _outputs(method: QueryMethod, source: tuple[Envelope, ...]) -> Iterator[tuple[str, bool]]:
    """Say of each nullable member of the rows that it was always null, or never; the former leaves it untested."""
    if method.query is None or not isinstance(method.query.element, New):
        return
    rows = [row for envelope in source for row in _rows(method, envelope)]
    for name, value in method.query.element.members:
        if not value.type.nullable or isinstance(value, Constant) or not rows:
            continue
        nulls = sum(row.fields.get(name, NULL).is_null for row in rows)
        if nulls == len(rows):
            yield f"{name} was null in every row", nulls >= ENOUGH_ROWS
        elif not nulls:
            yield f"{name} was null in no row", False


def _rows(method: QueryMethod, envelope: Envelope) -> tuple[Cell, ...]:
    """The rows of the main query: a list, one object, or the list inside an object that the method makes."""
    value = envelope.value
    if value is None or value.type != CellType.OBJECT:
        return envelope.rows
    if method.made is None:
        return (value,)
    held = (name for name, query in lists_within(method).items() if query is method.query)
    return tuple(row for name in held for row in value.fields.get(name, NULL).items)


def _one_sided(source: tuple[Envelope, ...]) -> list[str]:
    seen = {e.value.text for e in source if e.value is not None and e.value.type == CellType.BOOL}
    return ["the result was the same for every call"] if len(seen) == 1 else []

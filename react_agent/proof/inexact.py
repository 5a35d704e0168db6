"""Inexact: sums of doubles. Their last digits depend on the order of the terms, which no side promises.

A target's sum that lies within the tolerance of the source's is taken for it before anything is compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from react_agent.model.query import (
    Binary,
    Cast,
    Conditional,
    Expression,
    New,
    Outcome,
    Parameter,
    Query,
    QueryMethod,
    Subquery,
    walk,
)
from react_agent.model.values import Cell, CellType, Row
from react_agent.proof.canonical import Canonical

TOLERANCE = 1e-12
"""How far two sums of the same doubles may lie apart, as a part of the sum of the terms' magnitudes."""

Path = tuple[str, ...]

_DOUBLES = {CellType.DOUBLE, CellType.FLOAT}
_FOLDS = {Outcome.SUM, Outcome.AVERAGE}


def inexact_paths(query: Query) -> frozenset[Path]:
    """Where a result holds sums or averages of doubles: member names from the row down, empty for the result itself."""
    if _is_fold(query):
        return frozenset({()})
    return frozenset(_paths(query.element, ()))


def inexact_places(method: QueryMethod) -> frozenset[Path]:
    """Where an entry's result holds such sums, also in an object that it makes in memory of several queries."""
    if method.query is None:
        return frozenset()
    if method.made is None:
        return inexact_paths(method.query)
    parts = {part.name: part.query or method.query for part in method.parts}
    return frozenset(
        (name, *path)
        for name, value in method.made.members
        for node in walk(value)
        if isinstance(node, Parameter) and (query := parts.get(node.name)) is not None and query.outcome != Outcome.LIST
        for path in inexact_paths(query)
    )


def _is_fold(query: Query) -> bool:
    return query.outcome in _FOLDS and query.element.type.name in {"double", "float"}


def _paths(element: Expression, at: Path) -> Iterator[Path]:
    if isinstance(element, New):
        for name, value in element.members:
            yield from _paths(value, (*at, name))
    elif _sums(element):
        yield at


def _sums(value: Expression) -> bool:
    """Whether a value is computed from a sum of doubles, not merely beside one."""
    match value:
        case Subquery():
            return _is_fold(value.query)
        case Cast():
            return _sums(value.operand)
        case Binary():
            return _sums(value.left) or _sums(value.right)
        case Conditional():
            return _sums(value.then) or _sums(value.otherwise)
    return False


def magnitude(tables: Mapping[str, tuple[Row, ...]]) -> float:
    """The sum of the magnitudes of all doubles that an instance holds: no sum in a result has larger terms."""
    cells = (cell for rows in tables.values() for row in rows for cell in row.values())
    return sum(abs(number) for cell in cells if (number := _number(cell)) is not None)


def settled(source: Cell, target: Cell, paths: frozenset[Path], size: float) -> Cell:
    """The target's rows, or its one value, with each sum replaced by the source's where it is the same sum."""
    if not paths:
        return target
    if source.type == CellType.LIST and target.type == CellType.LIST:
        return replace(target, items=_rows(source.items, target.items, paths, size))
    return _taken(source, target, paths, size) or target


def _rows(source: tuple[Cell, ...], target: tuple[Cell, ...], paths: frozenset[Path], size: float) -> tuple[Cell, ...]:
    """Pair rows that are equal but for their sums, the smaller sums first, whatever their order."""
    waiting: dict[Canonical, list[Cell]] = {}
    for row in sorted(source, key=lambda row: _sort(row, paths), reverse=True):
        waiting.setdefault(_rest(row, paths), []).append(row)
    made = list(target)
    for at in sorted(range(len(target)), key=lambda at: _sort(target[at], paths)):
        left = waiting.get(_rest(target[at], paths))
        if left:
            made[at] = _taken(left.pop(), target[at], paths, size) or target[at]
    return tuple(made)


def _sort(row: Cell, paths: frozenset[Path]) -> tuple[float, ...]:
    numbers = (_number(_at(row, path)) for path in sorted(paths))
    return tuple(float("-inf") if number is None else number for number in numbers)


def _rest(row: Cell, paths: frozenset[Path]) -> Canonical:
    for path in paths:
        row = _with(row, path, Cell(type=CellType.NULL))
    return ("rest", str(row.to_json()))


def _taken(source: Cell, target: Cell, paths: frozenset[Path], size: float) -> Cell | None:
    for path in paths:
        ours, theirs = _number(_at(source, path)), _number(_at(target, path))
        if ours is None or theirs is None:
            continue
        if abs(ours - theirs) > TOLERANCE * max(abs(ours), abs(theirs), size):
            return None
        target = _with(target, path, _at(source, path))
    return target


def _at(row: Cell, path: Path) -> Cell:
    for name in path:
        row = row.fields.get(name, Cell(type=CellType.NULL)) if row.type == CellType.OBJECT else row
    return row


def _with(row: Cell, path: Path, value: Cell) -> Cell:
    if not path:
        return value
    if row.type != CellType.OBJECT or path[0] not in row.fields:
        return row
    return replace(row, fields={**row.fields, path[0]: _with(row.fields[path[0]], path[1:], value)})


def _number(cell: Cell) -> float | None:
    """A double's value; nothing for what is no double or not finite."""
    if cell.type not in _DOUBLES:
        return None
    try:
        number = float(cell.text or "")
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None

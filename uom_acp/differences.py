"""What differs between two answers: a few rows, field by field. Pure; reads the plain data of a witness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_agent.model.values import BadCell, Cell
from react_agent.proof.canonical import canonical
from react_agent.witness import value_text

FIELDS_SHOWN = 12
ROWS_PAIRED = 50
"""Rows a side that are paired by likeness; the rest are paired by their place."""
ABSENT = "no such row"

Json = Mapping[str, Any]
Leaves = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """One field that the two sides answer differently; `row` counts from 1 in the source's answer."""

    row: str
    field: str
    source: str
    target: str


def differing(source: Json, target: Json) -> list[Differing]:
    """List the fields that differ, those of the first rows only."""
    if source.get("outcome") != target.get("outcome") or source.get("outcome") in {"throws", "none"}:
        return _whole(_outcome(source), _outcome(target))
    found = _of_rows(_rows(source), _rows(target))
    if not found and source.get("state") != target.get("state"):
        found = _of_state(source.get("state") or {}, target.get("state") or {})
    return found


def _whole(source: str, target: str) -> list[Differing]:
    return [] if source == target else [Differing(row="", field="outcome", source=source, target=target)]


def _outcome(envelope: Json) -> str:
    match envelope.get("outcome"):
        case "throws":
            return f"throws {envelope.get('exception') or 'an exception'}"
        case "rows":
            count = len(_rows(envelope))
            return f"{count} row" if count == 1 else f"{count} rows"
        case "none":
            return "null"
        case _:
            return value_text(envelope.get("value"))


def _rows(envelope: Json) -> Sequence[Any]:
    if envelope.get("outcome") != "rows":
        return [envelope.get("value")]
    rows = (envelope.get("value") or {}).get("v") or envelope.get("first_rows") or ()
    return list(rows)


def _of_state(source: Mapping[str, Any], target: Mapping[str, Any]) -> list[Differing]:
    found: list[Differing] = []
    for table in dict.fromkeys([*source, *target]):
        ours, theirs = ([{"t": "object", "f": row} for row in side.get(table) or ()] for side in (source, target))
        found += [
            Differing(row=each.row, field=f"{table}.{each.field}", source=each.source, target=each.target)
            for each in _of_rows(ours, theirs)
        ]
    return found


def _of_rows(source: Sequence[Any], target: Sequence[Any]) -> list[Differing]:
    ours, theirs = [leaves(row) for row in source], [leaves(row) for row in target]
    is_single = len(ours) == len(theirs) == 1
    found: list[Differing] = []
    for left, right in _pairs(ours, theirs):
        place = left if left is not None else right
        row = "" if is_single or place is None else str(place + 1)
        found += _of_pair(row, None if left is None else ours[left], None if right is None else theirs[right])
        if len(found) > FIELDS_SHOWN:
            break
    return found


def _of_pair(row: str, source: Leaves | None, target: Leaves | None) -> list[Differing]:
    if source is None or target is None:
        held = ", ".join(f"{name}: {value_text(cell)}".lstrip(": ") for name, cell in (source or target or {}).items())
        shown = (held or "empty", ABSENT) if target is None else (ABSENT, held or "empty")
        return [Differing(row=row, field="whole row", source=shown[0], target=shown[1])]
    return [
        Differing(row=row, field=name, source=_shown(source, name), target=_shown(target, name))
        for name in dict.fromkeys([*source, *target])
        if not same(source.get(name), target.get(name))
    ]


def _shown(row: Leaves, name: str) -> str:
    return value_text(row[name]) if name in row else "absent"


def leaves(cell: Any, path: str = "") -> dict[str, Any]:
    """Lay a row flat: the path of each value in it, and the value."""
    return dict(_leaves(cell, path))


def _leaves(cell: Any, path: str) -> Iterator[tuple[str, Any]]:
    kind = cell.get("t") if isinstance(cell, Mapping) else None
    if kind == "object":
        for name, part in (cell.get("f") or {}).items():
            yield from _leaves(part, f"{path}.{name}".lstrip("."))
    elif kind == "list" and cell.get("v"):
        for place, part in enumerate(cell["v"]):
            yield from _leaves(part, f"{path}[{place}]")
    else:
        yield path, cell


def same(one: Any, other: Any) -> bool:
    """Tell whether two values count as equal, the way the judge counts: `9.90` is `9.9`."""
    if one == other:
        return True
    try:
        return canonical(Cell.from_json(one)) == canonical(Cell.from_json(other))
    except BadCell:
        return False


def _pairs(ours: Sequence[Leaves], theirs: Sequence[Leaves]) -> list[tuple[int | None, int | None]]:
    """Pair the rows that have no equal on the other side, each with the one most like it."""
    left, right = _without_equals(ours, theirs)
    if not left and not right:  # the same rows in another order
        places = range(min(len(ours), len(theirs)))
        return [(n, n) for n in places if not _equal(ours[n], theirs[n])]
    pairs: list[tuple[int | None, int | None]] = []
    for place in left:
        near = max(right[:ROWS_PAIRED], key=lambda n: _alike(ours[place], theirs[n]), default=None)
        if near is not None:
            right.remove(near)
        pairs.append((place, near))
    return [*pairs, *((None, place) for place in right)]


def _without_equals(ours: Sequence[Leaves], theirs: Sequence[Leaves]) -> tuple[list[int], list[int]]:
    left, right = [], list(range(len(theirs)))
    for place, row in enumerate(ours):
        equal = next((n for n in right if _equal(row, theirs[n])), None)
        if equal is None:
            left.append(place)
        else:
            right.remove(equal)
    return left, right


def _equal(one: Leaves, other: Leaves) -> bool:
    return one.keys() == other.keys() and all(same(cell, other[name]) for name, cell in one.items())


def _alike(one: Leaves, other: Leaves) -> int:
    return sum(name in other and same(cell, other[name]) for name, cell in one.items())

"""Explain: what exactly differs, in a few aligned rows. DeepDiff words the difference; it never decides it."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from deepdiff import DeepDiff

from react_agent.model.values import NULL, Cell, CellType, Row
from react_agent.proof.canonical import Canonical
from react_agent.proof.compare import Difference, DifferenceKind, row_key
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import Order, OrderRule

ROWS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEquivalenceDeepDiff:
    """A difference as plain data. `rows` pair a source row with the target row that is closest to it, either absent."""

    call: str
    kind: str
    message: str
    rows: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Write the explanation as plain JSON data."""
        return {**asdict(self), "rows": [dict(row) for row in self.rows]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "QueryEquivalenceDeepDiff":
        """Read an explanation from plain JSON data."""
        return cls(call=value["call"], kind=value["kind"], message=value["message"], rows=tuple(value.get("rows", ())))


def explain(
    difference: Difference,
    source: Envelope,
    target: Envelope,
    rule: OrderRule | None = None,
    key: Sequence[str] = (),
) -> QueryEquivalenceDeepDiff:
    """Say what differs between two envelopes, over a few rows.

    Rows are aligned by `key` (member or column names) where given, else by the most members in common.
    """
    rule = rule or OrderRule(order=Order.UNORDERED)
    if difference.kind == DifferenceKind.STATE and difference.table is not None:
        ours = _table(source.state, difference.table)
        theirs = _table(target.state, difference.table)
    elif source.rows or target.rows:
        ours, theirs = source.rows, target.rows
    else:
        ours = (source.value,) if source.value is not None else ()
        theirs = (target.value,) if target.value is not None else ()
    if difference.kind == DifferenceKind.ORDER:
        pairs = [(at, at) for at in difference.missing if at < min(len(ours), len(theirs))]
    else:
        pairs = _aligned(ours, theirs, rule, key)
    rows = tuple(_row(ours, theirs, pair) for pair in pairs[:ROWS_SHOWN])
    return QueryEquivalenceDeepDiff(call=source.call, kind=difference.kind.value, message=difference.message, rows=rows)


def _table(state: Mapping[str, tuple[Row, ...]] | None, table: str) -> tuple[Cell, ...]:
    rows = (state or {}).get(table, ())
    return tuple(Cell(type=CellType.OBJECT, name=table, fields=dict(row)) for row in rows)


Pair = tuple[int | None, int | None]


def _aligned(ours: Sequence[Cell], theirs: Sequence[Cell], rule: OrderRule, key: Sequence[str]) -> list[Pair]:
    """Pair the rows that have no equal on the other side."""
    left = [row_key(row, rule) for row in ours]
    right = [row_key(row, rule) for row in theirs]
    missing = _surplus(left, Counter(right))
    extra = _surplus(right, Counter(left))
    open_extra = dict.fromkeys(extra)
    by_key: dict[tuple, list[int]] = defaultdict(list)
    for at in extra:
        by_key[_identity(theirs[at], key)].append(at)
    pairs: list[Pair] = []
    for at in missing[:ROWS_SHOWN]:
        found = _partner(ours[at], theirs, by_key, open_extra, key)
        if found is not None:
            del open_extra[found]
        pairs.append((at, found))
    return pairs + [(None, at) for at in open_extra]


def _surplus(keys: list[Canonical], other: Counter) -> list[int]:
    left, found = Counter(other), []
    for at, key in enumerate(keys):
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(at)
    return found


def _identity(row: Cell, key: Sequence[str]) -> tuple:
    return tuple(str(row.fields.get(name, NULL).text) for name in key)


def _partner(
    row: Cell, theirs: Sequence[Cell], by_key: Mapping[tuple, list[int]], free: Mapping[int, None], key: Sequence[str]
) -> int | None:
    if key:
        return next((at for at in by_key.get(_identity(row, key), ()) if at in free), None)
    near = [(_shared(row, theirs[at]), -at) for at in list(free)[: ROWS_SHOWN * 20]]
    best = max(near, default=(0, 0))
    return -best[1] if best[0] > 0 or (near and not row.fields) else None


def _shared(one: Cell, other: Cell) -> int:
    return sum(1 for name, cell in one.fields.items() if name in other.fields and other.fields[name] == cell)


def _row(ours: Sequence[Cell], theirs: Sequence[Cell], pair: Pair) -> dict[str, Any]:
    left, right = pair
    one = ours[left] if left is not None else None
    other = theirs[right] if right is not None else None
    out: dict[str, Any] = {
        "source_row": left + 1 if left is not None else None,
        "target_row": right + 1 if right is not None else None,
        "source": one.to_json() if one is not None else None,
        "target": other.to_json() if other is not None else None,
    }
    if one is not None and other is not None:
        diff = DeepDiff(shown(one), shown(other), ignore_order=False, verbose_level=2)
        out["diff"] = json.loads(diff.to_json())
    return out


def shown(cell: Cell) -> Any:
    """A cell as plain data for reading: type and text, members by name."""
    if cell.type == CellType.OBJECT:
        return {name: shown(part) for name, part in sorted(cell.fields.items())}
    if cell.type == CellType.LIST:
        return [shown(item) for item in cell.items]
    return None if cell.is_null else f"{cell.name or cell.text} ({cell.type})"

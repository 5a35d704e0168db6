"""Compare: whether two envelopes of one call say the same, under the entry's order rule. Linear in the rows.

A multiset digest decides, never a pairwise diff: canonical rows are counted. Explaining a difference is explain.py's.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import Any

from react_agent.model.values import NULL, Cell, CellType, Row
from react_agent.proof.canonical import Canonical, canonical
from react_agent.proof.envelopes import Envelope
from react_agent.proof.inexact import settled
from react_agent.proof.order import Order, OrderRule

State = Mapping[str, tuple[Row, ...]]
"""Rows by table."""

SHOWN = 5


class DifferenceKind(StrEnum):
    """In what two envelopes differ. `UNDETERMINED` is no difference: the rule cannot decide between the two."""

    OUTCOME = "outcome"
    ERROR_KIND = "error_kind"
    VALUE = "value"
    ROW_COUNT = "row_count"
    ROWS = "rows"
    ORDER = "order"
    PAGE = "page"
    STATE = "state"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first thing in which two envelopes differ.

    `missing` are places of source rows that the target does not have, `extra` of target rows that the source does not
    have, a few of each. `table` is set for a difference in the state after a command.
    """

    kind: DifferenceKind
    message: str
    missing: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    table: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Write the difference as plain JSON data."""
        return {
            "kind": self.kind.value,
            "message": self.message,
            "missing": list(self.missing),
            "extra": list(self.extra),
            "table": self.table,
        }


def compare(source: Envelope, target: Envelope, rule: OrderRule) -> Difference | None:
    """Compare one call's envelopes; None where they agree."""
    one, other = _outcome(source), _outcome(target)
    if one != other:
        return Difference(kind=DifferenceKind.OUTCOME, message=f"source: {_said(source)}; target: {_said(target)}")
    if one == "throws" and _kind(source, rule) != _kind(target, rule):
        return Difference(kind=DifferenceKind.ERROR_KIND, message=f"source: {_said(source)}; target: {_said(target)}")
    found = None
    if one in {"rows", "scalar"} and source.value is not None and target.value is not None:
        found = _value(source.value, target.value, rule)
    return found or _state(source, target, rule)


def _value(source: Cell, target: Cell, rule: OrderRule) -> Difference | None:
    """Compare rows, or one value, then what was loaded with them."""
    target = settled(source, target, rule.inexact, rule.magnitude)
    if source.type == CellType.LIST and target.type == CellType.LIST:
        ours, theirs = source.items, target.items
        return _rows(ours, theirs, rule) or _navigations(ours, theirs, rule)
    if rule.within:
        return _with_rows(source, target, rule)
    return _single(source, target, rule) or _navigations((source,), (target,), rule)


def _with_rows(source: Cell, target: Cell, rule: OrderRule) -> Difference | None:
    """Compare an object apart from the rows of queries in it, then those by their own rules."""
    names = [n for n, _ in rule.within if all(c.fields.get(n, NULL).type == CellType.LIST for c in (source, target))]
    empty = dict.fromkeys(names, NULL)
    one, other = (replace(cell, fields={**cell.fields, **empty}) for cell in (source, target))
    rules = dict(rule.within)
    found = (_value(source.fields[name], target.fields[name], rules[name]) for name in names)
    return _single(one, other, rule) or next((each for each in found if each is not None), None)


def _navigations(source: Sequence[Cell], target: Sequence[Cell], rule: OrderRule) -> Difference | None:
    """Entities that both sides returned must have been loaded with the same navigations.

    Asked apart, since entities are found again by what they hold themselves: a page's or a sort's rows are known so.
    """
    if not rule.loaded:
        return None
    whole = replace(rule, ignored=rule.ignored - rule.loaded)
    ours, theirs = _by_entity(source, rule, whole), _by_entity(target, rule, whole)
    for key, left in ours.items():
        right = theirs.get(key)
        if right is not None and right.total() == left.total() and left != right:
            at = [_first(rows, key, rule) for rows in (source, target)]
            message = "the same entities, with other navigations loaded"
            return Difference(kind=DifferenceKind.ROWS, message=message, missing=(at[0],), extra=(at[1],))
    return None


def _by_entity(rows: Sequence[Cell], rule: OrderRule, whole: OrderRule) -> dict[Canonical, Counter[Canonical]]:
    found: dict[Canonical, Counter[Canonical]] = {}
    for row in rows:
        found.setdefault(row_key(row, rule), Counter())[row_key(row, whole)] += 1
    return found


def _first(rows: Sequence[Cell], key: Canonical, rule: OrderRule) -> int:
    return next(n for n, row in enumerate(rows) if row_key(row, rule) == key)


def _outcome(envelope: Envelope) -> str:
    is_null = envelope.outcome == "scalar" and (envelope.value is None or envelope.value.is_null)
    return "none" if is_null else envelope.outcome


def _kind(envelope: Envelope, rule: OrderRule) -> str | None:
    """The kind of a throw. `Min` over nothing is not found, be it a sequence without elements or a nullable without."""
    is_empty = rule.needs_rows and envelope.exception == "System.InvalidOperationException" and envelope.kind == "error"
    return "not_found" if is_empty else envelope.kind


def _said(envelope: Envelope) -> str:
    if envelope.outcome == "throws":
        return f"throws {envelope.exception or 'an exception'} ({envelope.kind or 'error'})"
    if envelope.outcome == "rows":
        return f"{len(envelope.rows)} rows"
    return "null" if _outcome(envelope) == "none" else f"a value, {brief(envelope.value)}"


def brief(cell: Cell | None) -> str:
    """Show a cell in a few words."""
    if cell is None or cell.is_null:
        return "null"
    if cell.type == CellType.LIST:
        return f"{len(cell.items)} items"
    if cell.type == CellType.OBJECT:
        return "{" + ", ".join(f"{n}: {brief(c)}" for n, c in list(cell.fields.items())[:6]) + "}"
    return f"{cell.name or cell.text} ({cell.type})"[:120]


def row_key(cell: Cell, rule: OrderRule, at: tuple[str, ...] = ()) -> Canonical:
    """A cell with everything in it as one hashable value; lists inside are ordered as the rule says."""
    if cell.type is CellType.OBJECT:
        return _object_key(cell, rule, at)
    if cell.type == CellType.LIST:
        return _list_key(cell, rule, at)
    key = canonical(cell)
    if cell.type == CellType.DATETIMEOFFSET and not rule.keeps_offset and isinstance(key[1], tuple):
        return (key[0], key[1][0])
    return (_widest(cell.type, rule), *key[1:]) if rule.widened else key


def _object_key(cell: Cell, rule: OrderRule, at: tuple[str, ...]) -> Canonical:
    name, members = _members_of(cell.name, tuple(cell.fields), rule.ignored, rule.nullable)
    fields = cell.fields
    made = tuple(
        (member, row_key(value, rule, (*at, member) if rule.inner else at))
        for member, may_miss in members
        if not ((value := fields[member]).type is CellType.NULL and may_miss)
    )
    return ("object", name, made)


@lru_cache(maxsize=1024)
def _members_of(
    name: str | None, fields: tuple[str, ...], ignored: frozenset[str], nullable: frozenset[str]
) -> tuple[str, tuple[tuple[str, bool], ...]]:
    """An object's plain name and its members in order, each with whether missing means null: the same in every row."""
    plain = _plain_name(name)
    members = tuple((m, f"{plain}.{m}" in nullable) for m in sorted(fields) if f"{plain}.{m}" not in ignored)
    return plain, members


def _widest(kind: CellType, rule: OrderRule) -> str:
    return next((wide.value for narrow, wide in rule.widened if kind == narrow), kind.value)


def _plain_name(name: str | None) -> str:
    return "" if name is None or "<" in name else name


def _list_key(cell: Cell, rule: OrderRule, at: tuple[str, ...]) -> Canonical:
    keys = [row_key(item, rule, at) for item in cell.items]
    inner = next((r for path, r in rule.inner if path == at), None)
    if inner is not None and inner.order == Order.TOTAL:
        return ("list", tuple(keys))
    if inner is None or inner.order == Order.UNORDERED or not inner.visible:
        return ("bag", frozenset(Counter(keys).items()))
    sorts = [_sort_key(item, inner) for item in cell.items]
    groups = [(sort, frozenset(Counter(keys[n] for n in run).items())) for sort, run in _runs(sorts)]
    return ("ties", tuple(groups))


def _runs(sorts: Sequence[tuple]) -> Iterable[tuple[tuple, list[int]]]:
    for sort, run in groupby(range(len(sorts)), key=lambda n: sorts[n]):
        yield sort, list(run)


def _sort_key(row: Cell, rule: OrderRule) -> tuple:
    if rule.ranks is not None:
        return rule.ranks.get(row_key(row, rule), ())
    return tuple(canonical(_at(row, key.path or ())) for key in rule.keys)


def _at(row: Cell, path: tuple[str, ...]) -> Cell:
    for name in path:
        row = row.fields.get(name, NULL)
    return row


def _rows(source: Sequence[Cell], target: Sequence[Cell], rule: OrderRule) -> Difference | None:
    ours, theirs = [row_key(r, rule) for r in source], [row_key(r, rule) for r in target]
    if rule.page and rule.order == Order.UNORDERED:
        return _unordered_page(ours, theirs, rule)
    if rule.page and rule.order == Order.TIES:
        return _tied_page(source, target, (ours, theirs), rule)
    bags = _bags(ours, theirs)
    if bags is not None:
        return bags
    if rule.order == Order.TOTAL and ours != theirs:
        at = next(n for n, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
        return _order(at)
    if rule.order == Order.TIES and rule.visible:
        sorts = [_sort_key(r, rule) for r in source], [_sort_key(r, rule) for r in target]
        if sorts[0] != sorts[1]:
            return _order(next(n for n, (a, b) in enumerate(zip(*sorts, strict=True)) if a != b))
    return None


def _order(at: int) -> Difference:
    message = f"the same rows in another order, from row {at + 1} on"
    return Difference(kind=DifferenceKind.ORDER, message=message, missing=(at,), extra=(at,))


def _bags(ours: Sequence[Canonical], theirs: Sequence[Canonical]) -> Difference | None:
    left, right = Counter(ours), Counter(theirs)
    if left == right:
        return None
    missing, extra = _places(ours, left - right), _places(theirs, right - left)
    if len(ours) != len(theirs):
        kind, message = DifferenceKind.ROW_COUNT, f"source: {len(ours)} rows; target: {len(theirs)} rows"
    else:
        count = (left - right).total()
        kind, message = DifferenceKind.ROWS, f"{count} of {len(ours)} rows differ"
    return Difference(kind=kind, message=message, missing=missing, extra=extra)


def _places(keys: Sequence[Canonical], wanted: Counter) -> tuple[int, ...]:
    """A few places of surplus rows, the later ones of duplicates."""
    left, found = Counter(wanted), []
    for at in range(len(keys) - 1, -1, -1):
        if left[keys[at]] > 0:
            left[keys[at]] -= 1
            found.append(at)
    return tuple(sorted(found)[:SHOWN])


def _unordered_page(ours: Sequence[Canonical], theirs: Sequence[Canonical], rule: OrderRule) -> Difference | None:
    """Rule 5: count, membership, no row more often than the unpaged result has it; the page itself is open."""
    if len(ours) != len(theirs):
        message = f"source: {len(ours)} rows; target: {len(theirs)} rows"
        return Difference(kind=DifferenceKind.ROW_COUNT, message=message)
    known = _unpaged(rule)
    if known is not None and (surplus := Counter(theirs) - known):
        message = "the target's page holds rows that the unpaged result does not"
        return Difference(kind=DifferenceKind.PAGE, message=message, extra=_places(theirs, surplus))
    return None


def _unpaged(rule: OrderRule) -> Counter | None:
    return Counter(row_key(r, rule) for r in rule.unpaged.rows) if rule.unpaged is not None else None


def _tied_page(
    source: Sequence[Cell], target: Sequence[Cell], keys: tuple[list[Canonical], list[Canonical]], rule: OrderRule
) -> Difference | None:
    """Rule 4: whole tie groups as multisets; a group that the page cuts has the same size and only its own members."""
    ours, theirs = keys
    if len(source) != len(target):
        return _bags(ours, theirs) or _order(0)
    if not rule.visible:
        return _undetermined("a page is cut by a sort key that its rows do not show") if _bags(ours, theirs) else None
    sorts, other = [_sort_key(r, rule) for r in source], [_sort_key(r, rule) for r in target]
    if sorts != other:
        return _bags(ours, theirs) or _order(
            next(n for n, (a, b) in enumerate(zip(sorts, other, strict=True)) if a != b)
        )
    runs = list(_runs(sorts))
    for at, (sort, run) in enumerate(runs):
        is_cut = at in {0, len(runs) - 1}
        found = _group(run, (ours, theirs), sort, rule, is_cut=is_cut)
        if found is not None:
            return found
    return None


def _group(
    run: list[int], keys: tuple[list[Canonical], list[Canonical]], sort: tuple, rule: OrderRule, *, is_cut: bool
) -> Difference | None:
    left, right = Counter(keys[0][n] for n in run), Counter(keys[1][n] for n in run)
    if left == right:
        return None
    if not is_cut:
        return _in_group(run, keys, left, right)
    if rule.unpaged is None:
        return _undetermined("a page is cut inside a tie and the unpaged rows are not known")
    members = Counter(row_key(r, rule) for r in rule.unpaged.rows if _sort_key(r, rule) == sort)
    is_whole = members.total() == len(run)
    if is_whole or right - members:
        return _in_group(run, keys, left, right if is_whole else right - members)
    return None


def _in_group(
    run: list[int], keys: tuple[list[Canonical], list[Canonical]], left: Counter, right: Counter
) -> Difference:
    missing = tuple(n for n in run if (left - right)[keys[0][n]])[:SHOWN]
    extra = tuple(n for n in run if (right - left)[keys[1][n]])[:SHOWN]
    return Difference(
        kind=DifferenceKind.ROWS, message="rows with the same sort key differ", missing=missing, extra=extra
    )


def _undetermined(message: str) -> Difference:
    return Difference(kind=DifferenceKind.UNDETERMINED, message=message)


def _single(source: Cell, target: Cell, rule: OrderRule) -> Difference | None:
    ours, theirs = row_key(source, rule), row_key(target, rule)
    if ours == theirs:
        return None
    if rule.page and rule.order == Order.UNORDERED:
        return _undetermined(rule.reason)
    if rule.one and rule.order != Order.TOTAL:
        return _one_of(source, target, theirs, rule)
    return Difference(kind=DifferenceKind.VALUE, message=f"source: {brief(source)}; target: {brief(target)}")


def _one_of(source: Cell, target: Cell, theirs: Canonical, rule: OrderRule) -> Difference | None:
    """Rule 7: one row of several without a total order; any row that could stand first is right."""
    said = f"source: {brief(source)}; target: {brief(target)}"
    tied = rule.order == Order.TIES and rule.visible
    if tied and _sort_key(source, rule) != _sort_key(target, rule):
        return Difference(kind=DifferenceKind.VALUE, message=said)
    known = _unpaged(rule)
    if known is None:
        return _undetermined("one row is taken from several that could stand first, and those are not known")
    if theirs not in known:
        return Difference(kind=DifferenceKind.PAGE, message=f"the target's row is none of the source's: {said}")
    if rule.order == Order.TIES and not tied:
        return _undetermined("one row is taken by a sort key that the row does not show")
    return None


def _state(source: Envelope, target: Envelope, rule: OrderRule) -> Difference | None:
    """After a command: every document where both sides have them, else the rows of every table; in no order.

    Where documents differ, rows say it better, if they show it: a document may hold what no column does.
    """
    if source.state is None and target.state is None:
        return None
    if source.state is None or target.state is None:
        side = "target" if source.state is None else "source"
        return Difference(kind=DifferenceKind.STATE, message=f"only the {side} wrote")
    if source.documents is None or target.documents is None:
        return _tables(source.state, target.state, rule)
    found = _documents(source.documents, target.documents)
    return found and (_tables(source.state, target.state, rule) or found)


def _tables(ours: State, theirs: State, rule: OrderRule) -> Difference | None:
    """A table that one side lacks has no rows there."""
    for table in dict.fromkeys((*ours, *theirs)):
        found = _bags(_state_keys(ours, table, rule), _state_keys(theirs, table, rule))
        if found is not None:
            return replace(found, kind=DifferenceKind.STATE, message=f"{table}: {found.message}", table=table)
    return None


def _documents(ours: Mapping[str, Sequence[str]], theirs: Mapping[str, Sequence[str]]) -> Difference | None:
    """A collection that one side lacks is empty there."""
    for name in dict.fromkeys((*ours, *theirs)):
        left, right = Counter(ours.get(name, ())), Counter(theirs.get(name, ()))
        if left != right:
            message = f"{name}: {(left - right).total() or (right - left).total()} documents differ"
            return Difference(kind=DifferenceKind.STATE, message=message)
    return None


def _state_keys(state: State, table: str, rule: OrderRule) -> list[Canonical]:
    """Rows of a table; a null column and a missing one are the same, stores leave nulls out."""
    return [
        tuple(sorted((c, row_key(cell, rule)) for c, cell in row.items() if not cell.is_null))
        for row in state.get(table, ())
    ]

"""Calls: with which arguments an entry runs, from its own comparisons, the instance's rows and the user's list."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from react_agent.model.mapping import MappingModel
from react_agent.model.query import MethodParameter, QueryMethod
from react_agent.model.values import NULL, Cell, CellType, Row, scalar
from react_agent.proof.canonical import datetime_value
from react_agent.proof.domain import RANGES, around, as_column, distinct, fits, fresh, plain
from react_agent.proof.extremes import limits_of
from react_agent.proof.guesses import guessed
from react_agent.proof.instances import Instance
from react_agent.proof.places import Meeting, Place, counts, meetings
from react_agent.proof.tables import Column, cell_type

CALLS_A_PAIR = 6
CALLS_OF_SEVERAL = 8
"""Calls a pair of an entry with several parameters: their values have to meet."""

CALLS_OF_KIND = {"empty": 2, "extreme": 12, "widest": 12, "below": 3, "above": 3, "large": 2}
"""Calls on instances that few calls exhaust, or whose results are long."""

EXTREME = frozenset({"extreme", "widest"})
"""Kinds of instances whose values are gone through in turn."""

LIST_SIZES = (3, 7, 12)
"""Sizes of lists of which only the last element is met: a list that is cut or taken in parts shows on them."""

NULLS = 0.15
CALLS_AN_ENTRY = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an entry on one instance; `args` are (name, value) in the method's order."""

    id: str
    instance: str
    class_name: str
    method: str
    args: tuple[tuple[str, Cell], ...]

    def to_json(self) -> dict[str, Any]:
        """Write the call for a worker."""
        args = [{"name": name, "value": cell.to_json()} for name, cell in self.args]
        return {"id": self.id, "instance": self.instance, "class": self.class_name, "method": self.method, "args": args}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Call":
        """Read a call as it was sent to a worker."""
        args = tuple((a["name"], Cell.from_json(a["value"], f"args.{a['name']}")) for a in value.get("args", ()))
        return cls(
            id=value["id"], instance=value["instance"], class_name=value["class"], method=value["method"], args=args
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidates:
    """What one parameter is tried with: `hits` come from rows and literals, `others` from its type's corners.

    `literals` are what the query itself compares the parameter with.
    """

    hits: tuple[Cell, ...]
    others: tuple[Cell, ...]
    places: tuple[Place, ...]
    literals: tuple[Cell, ...] = ()


def make_calls(
    method: QueryMethod,
    mapping: MappingModel,
    instances: tuple[Instance, ...],
    seed: int,
    *,
    user: tuple[Call, ...] = (),
) -> tuple[Call, ...]:
    """Make an entry's calls: some on each instance, fewer where few say all, and the user's own on their rows."""
    made: list[Call] = []
    other = "widest" if limits_of(mapping, (method,)) else "extreme"
    for instance in (i for i in instances if i.kind != other):
        rng = Random(f"{seed}:{method.entry}:{instance.id}")  # noqa: S311 - repeatable data, not a secret
        most = CALLS_A_PAIR if len(method.parameters) < 2 else CALLS_OF_SEVERAL
        limit = CALLS_OF_KIND.get(instance.kind, 2 if instance.size == 0 else most)
        for at, args in enumerate(_argument_lists(method, mapping, instance, rng, limit), 1):
            name = f"{method.entry}/{instance.id}/{at}"
            made.append(_call(name, instance.id, method, args))
    home = next((i.id for i in instances if i.kind == "user"), instances[-1].id if instances else "")
    own = [c for c in user if c.method == method.method and c.class_name in {"", method.class_name}]
    theirs = [_call(given_id(method, at), home, method, c.args) for at, c in enumerate(own, 1)]
    return (*made[:CALLS_AN_ENTRY], *theirs)


def given_id(method: QueryMethod, at: int) -> str:
    """The id of an entry's `at`-th call of a person's own; no call that is made for an instance has it."""
    return f"{method.entry}/given/{at}"


def _call(name: str, instance: str, method: QueryMethod, args: tuple[tuple[str, Cell], ...]) -> Call:
    return Call(id=name, instance=instance, class_name=method.class_name, method=method.method, args=args)


def _argument_lists(
    method: QueryMethod, mapping: MappingModel, instance: Instance, rng: Random, limit: int
) -> Iterator[tuple[tuple[str, Cell], ...]]:
    if not method.parameters:
        yield ()
        return
    found = {p.name: _candidates(p, method, mapping, instance, rng) for p in method.parameters}
    seen: set[str] = set()
    for at in range(limit * 3):
        args = _choose(method, found, instance, rng, at)
        key = str([(name, cell.to_json()) for name, cell in args])
        if key not in seen and len(seen) < limit:
            seen.add(key)
            yield args


def _choose(
    method: QueryMethod, found: Mapping[str, _Candidates], instance: Instance, rng: Random, at: int
) -> tuple[tuple[str, Cell], ...]:
    """The first calls take all values from one row where they can; later ones vary one parameter after the other.

    Some give a single one of the values that may be null, or none: filters that are all given at once leave too few
    rows to show an order or the end of a page.
    """
    optional = [p.name for p in method.parameters if p.type.nullable]
    given = rng.choice(optional) if optional and at % 4 == 2 else ""
    is_sparse = len(method.parameters) > 1 and (at % 4 == 2 or at % 8 == 3)
    left_out = {name for name in optional if name != given} if is_sparse else set()
    chosen: dict[str, Cell] = {}
    rows: dict[str, Row] = {}
    varied = at % (len(method.parameters) + 1) if at > 1 else len(method.parameters)
    for n, parameter in enumerate(method.parameters):
        candidates = found[parameter.name]
        pool = candidates.others if n == varied and candidates.others else candidates.hits or candidates.others
        is_null = parameter.name in left_out or (
            parameter.type.nullable and parameter.name != given and rng.random() < NULLS
        )
        in_turn = instance.kind in EXTREME and (n == varied or len(method.parameters) == 1)
        turn = at // (len(method.parameters) + 1) - (n == varied)
        value = (pool[turn % len(pool)] if in_turn else rng.choice(pool)) if pool else NULL
        chosen[parameter.name] = NULL if is_null else value
        if n != varied and at % 2 == 0 and not is_null and not in_turn:
            cell = _from_row(candidates, rows, instance, rng)
            chosen[parameter.name] = cell if cell is not None else chosen[parameter.name]
        if parameter.name == given or (is_sparse and not parameter.type.nullable):
            turn = at // 4 + sum(map(ord, instance.id))
            chosen[parameter.name] = _in_turn(candidates, turn) or chosen[parameter.name]
    return tuple((_patterned(chosen) if at % 8 == 5 else chosen).items())


def _in_turn(candidates: _Candidates, turn: int) -> Cell | None:
    """A literal, as a branch for each of them waits to be taken; else the largest or smallest value, for most rows."""
    if candidates.literals:
        return candidates.literals[turn % len(candidates.literals)]
    if candidates.hits and candidates.hits[0].type in _ORDERED:
        return sorted(candidates.hits, key=_size)[-(turn % 2)]
    return None


_ORDERED = frozenset({*RANGES, CellType.DECIMAL, CellType.DATE, CellType.DATETIME})


def _size(cell: Cell) -> Decimal:
    text = cell.text or "0"
    return Decimal(datetime_value(text) if cell.type in {CellType.DATE, CellType.DATETIME} else text)


def _patterned(chosen: Mapping[str, Cell]) -> dict[str, Cell]:
    """Put a dot in the place of a text's second letter: as a pattern it still matches, as a text it does not."""
    made = dict(chosen)
    for name, cell in chosen.items():
        text = cell.text or ""
        if cell.type == CellType.STRING and len(text) > 1 and text[1] != ".":
            made[name] = scalar(CellType.STRING, f"{text[0]}.{text[2:]}")
            break
    return made


def _from_row(candidates: _Candidates, rows: dict[str, Row], instance: Instance, rng: Random) -> Cell | None:
    for table, column in candidates.places:
        mine = instance.tables.get(table, ())
        if mine:
            row = rows.setdefault(table, rng.choice(mine))
            cell = row.get(column, NULL)
            if not cell.is_null and any(_same(cell, hit) for hit in candidates.hits):
                return cell
    return None


def _same(one: Cell, other: Cell) -> bool:
    return one.type == other.type and one.text == other.text


def _candidates(
    parameter: MethodParameter,
    method: QueryMethod,
    mapping: MappingModel,
    instance: Instance,
    rng: Random,
) -> _Candidates:
    column = _as_column(parameter, mapping)
    met = [m for m in meetings(mapping, method) if parameter.name in m.parameters]
    if not method.is_read:
        met = list(guessed(parameter, mapping))
    places = tuple(dict.fromkeys(p for m in met for p in m.places))
    hits, near = [], []
    for place in places:
        values = _values(instance, place, next(m for m in met if place in m.places), column)
        hits += values
        near += [c for cell in values[:8] for c in around(cell, column)]
    literals = [c for m in met for constant in m.constants if (c := as_column(constant, column)) is not None]
    hits += literals
    if column.type == CellType.STRING:
        hits += [scalar(CellType.STRING, (c.text or "").swapcase()) for c in literals]
    if any(m.method in _SEARCHES for m in met):
        hits += [scalar(CellType.STRING, part) for cell in hits for part in _parts(cell.text or "", rng)]
    near += [c for cell in literals for c in around(cell, column)]
    if instance.kind in EXTREME:
        near = [*_ends(hits, column), *near]
    first, later = _pages(parameter, method, column, instance)
    hits, others = [*first, *hits] if first else hits, [*later, *near, *plain(column)]
    if column.nullable:
        others = [NULL, *others]
    if column.type == CellType.STRING:
        others += [scalar(CellType.STRING, ""), scalar(CellType.STRING, "x" * 64)]
    if column.type == CellType.LIST and column.element is not None:
        hits, others = _lists(parameter, met, instance, column.element, rng)
    if parameter.default is not None and not parameter.default.is_null:
        hits.append(parameter.default)
    return _Candidates(
        hits=distinct(hits),
        others=distinct(_allowed(others, parameter, method)),
        places=places,
        literals=distinct(literals),
    )


def _as_column(parameter: MethodParameter, mapping: MappingModel) -> Column:
    clr = parameter.type
    kind = cell_type(mapping, clr) or CellType.STRING
    enum = mapping.find_enum(clr.name)
    element = None
    if kind == CellType.LIST and clr.element is not None:
        inner = MethodParameter(name=parameter.name, type=clr.element)
        element = _as_column(inner, mapping)
    return Column(
        name=parameter.name, type=kind, nullable=clr.nullable, clr=clr.name, enum=enum, element=element, scale=2
    )


def _values(instance: Instance, place: Place, meeting: Meeting, column: Column) -> list[Cell]:
    """The instance's values of a column, as the parameter can hold them: through `Year`, `Length` and the like."""
    cells = [row[place[1]] for row in instance.tables.get(place[0], ()) if not row.get(place[1], NULL).is_null]
    found = [_through(cell, meeting, column) for cell in cells]
    return list(distinct(c for c in found if c is not None))


def _through(cell: Cell, meeting: Meeting, column: Column) -> Cell | None:
    text = cell.text or ""
    if column.type in RANGES and cell.type == CellType.STRING:
        return as_column(scalar(CellType.INT, len(text)), column)
    if column.type in RANGES and cell.type in {CellType.DATETIME, CellType.DATE, CellType.DATETIMEOFFSET}:
        part = {"Year": text[:4], "Month": text[5:7], "Day": text[8:10], "Hour": text[11:13]}
        name = next((n for n in part if any(m.endswith(f".{n}") for m in meeting.through)), "Year")
        return as_column(scalar(CellType.INT, int(part[name] or 0)), column)
    if column.type == CellType.STRING and cell.type == CellType.ENUM:
        return scalar(CellType.STRING, cell.name or text)
    return as_column(cell, column)


def _missed(element: Column, values: list[Cell], rng: Random) -> list[Cell]:
    """Values that no row has."""
    made = (fresh(element, at, rng) for at in range(40, 40 + max(LIST_SIZES)))
    return [c for c in distinct((*made, *plain(element))) if fits(c, element) and all(not _same(c, v) for v in values)]


_SEARCHES = frozenset({"string.Contains", "string.StartsWith", "string.EndsWith", "string.IndexOf"})


def _parts(text: str, rng: Random) -> Iterator[str]:
    """Parts of a text that a search may be for: its start, its end, a piece of its middle."""
    if len(text) > 1:
        cut = rng.randint(1, len(text) - 1)
        yield from (text[:cut], text[cut:], text[cut - 1 : cut + 1])


def _ends(cells: list[Cell], column: Column) -> Iterator[Cell]:
    """The neighbours of the largest and of the smallest number: a limit inside a program lies between them."""
    if column.type in RANGES and cells:
        numbers = sorted({int(cell.text or "0") for cell in cells})
        wanted = (numbers[-1] - 1, numbers[0] + 1, numbers[-1] + 1, numbers[0] - 1)
        yield from (cell for n in wanted if fits(cell := scalar(column.type, n), column))


def _pages(
    parameter: MethodParameter, method: QueryMethod, column: Column, instance: Instance
) -> tuple[list[Cell], list[Cell]]:
    """The first pages or small sizes, and those outside of small instances; a long page where rows are many."""
    skips, takes = counts(method)
    if column.type not in RANGES or parameter.name not in skips | takes:
        return [], []
    if instance.kind == "large":
        long = 1 if parameter.name in skips else 120
        return [scalar(column.type, long)], [scalar(column.type, long)]
    return [scalar(column.type, n) for n in (1, 2)], [scalar(column.type, n) for n in (3, 4, 1000)]


def _allowed(cells: list[Cell], parameter: MethodParameter, method: QueryMethod) -> Iterator[Cell]:
    """A negative page or size is an error on one engine and the first page on another: nothing to learn there."""
    skips, takes = counts(method)
    least = 1 if parameter.name in skips | takes else None
    for cell in cells:
        if least is None or cell.is_null or (cell.type in RANGES and least <= int(cell.text or "0") <= 1000):
            yield cell


def _lists(
    parameter: MethodParameter, met: list[Meeting], instance: Instance, element: Column, rng: Random
) -> tuple[list[Cell], list[Cell]]:
    values = [c for m in met for place in m.places for c in _values(instance, place, m, element)]
    values = list(distinct(values)) or list(plain(element)[:3])
    made = [rng.sample(values, min(len(values), size)) for size in (1, 2, 4)]
    strange = [c for c in plain(element) if all(not _same(c, v) for v in values)][:1]
    lists = [Cell(type=CellType.LIST, items=tuple(items + strange)) for items in made]
    missed = _missed(element, values, rng)
    if missed:
        cut = [[missed[at % len(missed)] for at in range(size - 1)] for size in LIST_SIZES]
        lists += [Cell(type=CellType.LIST, items=(*items, rng.choice(values))) for items in cut]
    corners = [Cell(type=CellType.LIST), Cell(type=CellType.LIST, items=tuple(made[0]))]
    if element.nullable:
        corners.append(Cell(type=CellType.LIST, items=(*made[0], NULL)))
    return lists, corners + ([NULL] if parameter.type.nullable else [])

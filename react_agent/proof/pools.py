"""Pools: for each column, the values that the queries' own literals and comparisons make interesting."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryMethod
from react_agent.model.values import Cell, CellType
from react_agent.proof.domain import around, distinct, of_length, of_year, plain
from react_agent.proof.places import Meeting, Place, meetings
from react_agent.proof.tables import Column, Table

LARGEST_POOL = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Values by place, and the pairs of columns of one table that a query compares with each other."""

    values: Mapping[Place, tuple[Cell, ...]]
    relations: tuple[tuple[Place, Place], ...]

    def of(self, place: Place) -> tuple[Cell, ...]:
        """The interesting values of a column; none where no query compares it with a literal."""
        return self.values.get(place, ())


def pools_of(mapping: MappingModel, methods: Iterable[QueryMethod], tables: tuple[Table, ...]) -> Pools:
    """Collect what the entries compare columns with; columns that meet share their values."""
    columns = {(t.name, c.name): c for t in tables for c in t.columns}
    found: dict[Place, list[Cell]] = defaultdict(list)
    relations: list[tuple[Place, Place]] = []
    for method in methods:
        for meeting in meetings(mapping, method):
            for place in meeting.places:
                if place in columns:
                    found[place] += _values(meeting, columns[place])
            relations += [(a, b) for a in meeting.places for b in meeting.places if a < b]
    pairs = tuple(dict.fromkeys(relations))
    own = {place: distinct(cells)[:LARGEST_POOL] for place, cells in found.items()}
    shared = {place: list(cells) for place, cells in own.items()}
    for one, other in pairs:
        for place, there in ((one, other), (other, one)):
            if place in columns:
                near = (c for cell in own.get(there, ()) for c in around(cell, columns[place])[:3])
                shared.setdefault(place, []).extend(near)
    values = {place: distinct(cells)[:LARGEST_POOL] for place, cells in shared.items() if cells}
    return Pools(values=values, relations=pairs)


def _values(meeting: Meeting, column: Column) -> list[Cell]:
    found: list[Cell] = []
    for constant in meeting.constants:
        found += around(constant, column)
        if constant.type != CellType.INT:
            continue
        number = int(constant.text or "0")
        if column.type == CellType.DATETIME and any(m.endswith(".Year") for m in meeting.through):
            found += of_year(number)
        if column.type == CellType.STRING:
            found += of_length(number, column)
    return found


def tried(column: Column, place: Place, pools: Pools) -> tuple[Cell, ...]:
    """A column's interesting values, then the plain ones of its type."""
    return distinct((*pools.of(place), *plain(column)))

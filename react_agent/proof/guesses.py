"""Guesses: what a parameter may be compared with, for an entry whose query no rule reads."""

import re

from react_agent.model.mapping import MappingModel
from react_agent.model.query import MethodParameter
from react_agent.model.values import CellType
from react_agent.proof.domain import RANGES
from react_agent.proof.places import Meeting
from react_agent.proof.tables import Column, cell_type, tables_of

MOST_COLUMNS = 8


def guessed(parameter: MethodParameter, mapping: MappingModel) -> tuple[Meeting, ...]:
    """The columns of a parameter's type, those of a like name alone where there are some.

    `minPrice` is held against `Price`; without it an argument would meet a row by chance only.
    """
    clr = parameter.type.element or parameter.type
    kind = cell_type(mapping, clr)
    every = [
        (t.name, c) for t in tables_of(mapping) for c in t.columns if kind is not None and _fits(c, kind, clr.name)
    ]
    named = [(table, c) for table, c in every if _is_like(c.name, parameter.name)]
    places = tuple((table, column.name) for table, column in (named or every)[:MOST_COLUMNS])
    if not places:
        return ()
    searched = "string.Contains" if kind == CellType.STRING else ""
    found = Meeting(places=places, constants=(), parameters=(parameter.name,), through=frozenset(), method=searched)
    return (found,)


def _fits(column: Column, kind: CellType, clr: str) -> bool:
    if kind == CellType.ENUM:
        return column.enum is not None and column.enum.name.rsplit(".", 1)[-1] == clr.rsplit(".", 1)[-1]
    return column.type == kind or {column.type, kind} <= RANGES.keys()


def _is_like(column: str, parameter: str) -> bool:
    """Whether the words of one name are among those of the other: `shipperCodes` and `Shipper_Code`."""
    ours, theirs = _words(column), _words(parameter)
    return bool(ours) and (ours <= theirs or theirs <= ours)


def _words(name: str) -> set[str]:
    return {word.lower().removesuffix("s") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}

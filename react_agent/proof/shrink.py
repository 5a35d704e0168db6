"""Shrink: make a witness small. Sans-I/O: candidates go out, "does it still differ?" comes back."""

from collections.abc import Generator
from dataclasses import replace

from react_agent.model.mapping import MappingModel
from react_agent.model.values import CellType, Row, scalar
from react_agent.proof.closure import closed
from react_agent.proof.instances import Instance
from react_agent.proof.tables import Table, tables_of

TRIES = 60
"""How many candidates are tried at most; each costs a run of both sides."""

Spot = tuple[str, int]
"""A row by its table and place in the first instance."""


def shrink(instance: Instance, mapping: MappingModel, tries: int = TRIES) -> Generator[Instance, bool, Instance]:
    """Yield ever smaller instances, be sent whether each still differs, return the smallest that does.

    Delta debugging over rows: halves, quarters, then single rows are left out. Every candidate respects the mapping:
    a row goes with the rows that need it.
    """
    tables = tables_of(mapping)
    spots = [(table, at) for table, rows in instance.tables.items() for at in range(len(rows))]
    best, parts = instance, 2
    while len(spots) > 1 and tries > 0:
        size = max(1, len(spots) // parts)
        chunks = [spots[at : at + size] for at in range(0, len(spots), size)]
        for chunk in chunks:
            candidate, kept = _without(instance, tables, spots, set(chunk))
            if tries <= 0 or len(kept) == len(spots):
                continue
            tries -= 1
            if (yield candidate):
                best, spots = candidate, kept
                parts = max(2, parts - 1)
                break
        else:
            if size == 1:
                break
            parts = min(len(spots), parts * 2)
    if spots and tries > 0 and len(spots) == 1:
        candidate, _ = _without(instance, tables, spots, set(spots))
        if (yield candidate):
            best = candidate
    return best


def _without(
    instance: Instance, tables: tuple[Table, ...], spots: list[Spot], gone: set[Spot]
) -> tuple[Instance, list[Spot]]:
    """The instance with some rows left out and what then breaks a constraint, too; and the rows that stayed.

    Rows are followed through the closure by a column of their own. A table that the mapping does not know is kept.
    """
    kept = [spot for spot in spots if spot not in gone]
    rows: dict[str, list[Row]] = {name: [] for name in instance.tables}
    for table, at in kept:
        rows[table].append({**instance.tables[table][at], _PLACE: scalar(CellType.INT, at)})
    marked = {name: tuple(found) for name, found in rows.items()}
    done = {**marked, **{t: found for t, found in closed(tables, marked).items() if t in marked}}
    stayed = [(name, int(row[_PLACE].text or "0")) for name, found in done.items() for row in found]
    plain = {name: tuple({c: v for c, v in row.items() if c != _PLACE} for row in done[name]) for name in done}
    return replace(instance, tables=plain), stayed


_PLACE = "\0place"

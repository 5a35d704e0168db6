"""Commands: what updates and deletes make of an instance's rows, foreign keys included. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from react_agent.model.mapping import DeleteBehavior, EntityType, ForeignKey, MappingModel
from react_agent.model.values import NULL, Cell, Row
from react_agent.proof.canonical import canonical
from react_agent.proof.closure import value_key
from react_agent.proof.runtime import Record, Unknown
from react_agent.proof.tables import column_of, lineage, tables_of

Rows = Mapping[str, tuple[Row, ...]]


class Refused(Exception):
    """The database would not take the command: a row would refer to what is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The new cells of one row."""

    record: Record
    cells: Mapping[str, Cell]

    @property
    def is_new(self) -> bool:
        """Whether any cell became another value."""
        old = self.record.row
        return any(canonical(old.get(column, NULL)) != canonical(cell) for column, cell in self.cells.items())


def updated(tables: Rows, mapping: MappingModel, written: Iterable[Written]) -> Rows:
    """Write the cells.

    Raises:
        Refused: a foreign key leads nowhere then.
        Unknown: a unique column is written, where the order of the writes would matter.
    """
    new = {id(one.record.row): one for one in written}
    if not new:
        return tables
    entity = next(iter(new.values())).record.entity
    columns = {column for one in new.values() for column in one.cells}
    for table in tables_of(mapping):
        if table.name == entity.table and any(columns & set(unique) for unique in table.uniques):
            raise Unknown("a unique column is written")
    made = dict(tables)
    made[entity.table or ""] = tuple(
        {**row, **new[id(row)].cells} if id(row) in new else row for row in tables.get(entity.table or "", ())
    )
    _check(made, mapping)
    return made


def deleted(tables: Rows, mapping: MappingModel, records: Iterable[Record], *, cascades: bool) -> Rows:
    """Delete rows with what their foreign keys take along or clear.

    Raises:
        Refused: a row that stays refers to one that goes.
    """
    now = {name: list(rows) for name, rows in tables.items()}
    for record in records:
        _delete(now, mapping, record.entity, record.row, cascades=cascades)
    made = {name: tuple(rows) for name, rows in now.items()}
    if cascades:
        _check(made, mapping)
    return made


def _delete(now: dict[str, list[Row]], mapping: MappingModel, entity: EntityType, row: Row, *, cascades: bool) -> None:
    rows = now.get(entity.table or "", [])
    at = next((n for n, one in enumerate(rows) if one is row), None)
    if at is None:
        return
    del rows[at]
    for dependent, foreign in _referring(mapping, entity) if cascades else ():
        here = [column_of(mapping, entity, name) or name for name in foreign.principal_key]
        there = [column_of(mapping, dependent, name) or name for name in foreign.properties]
        wanted = value_key(row, here)
        others = now.get(dependent.table or "", [])
        for other in [one for one in others if value_key(one, there) == wanted]:
            if foreign.delete_behavior == DeleteBehavior.CASCADE:
                _delete(now, mapping, dependent, other, cascades=True)
            elif foreign.delete_behavior == DeleteBehavior.SET_NULL:
                place = next(n for n, one in enumerate(others) if one is other)
                others[place] = {**other, **dict.fromkeys(there, NULL)}


def _referring(mapping: MappingModel, entity: EntityType) -> list[tuple[EntityType, ForeignKey]]:
    """The foreign keys that lead to an entity, each with the entity that holds it."""
    names = {one.name for one in lineage(mapping, entity)}
    return [
        (one, foreign)
        for one in mapping.entities
        for foreign in one.foreign_keys
        if foreign.principal in names and one.table not in {None, entity.table if foreign.ownership else ""}
    ]


def _check(tables: Rows, mapping: MappingModel) -> None:
    for table in tables_of(mapping):
        for reference in table.references:
            known = {value_key(row, reference.principal_columns) for row in tables.get(reference.principal, ())}
            for row in tables.get(table.name, ()):
                is_set = not any(row.get(c, NULL).is_null for c in reference.columns)
                if is_set and value_key(row, reference.columns) not in known:
                    raise Refused(f"{table.name} refers to a row of {reference.principal} that is not there")

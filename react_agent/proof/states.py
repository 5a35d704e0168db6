"""States: what a command left in both stores, in one form each, so that they can be compared."""

from collections import Counter
from dataclasses import replace

from react_agent.model.documents import DocumentModel
from react_agent.model.mapping import MappingModel
from react_agent.model.values import Row
from react_agent.proof.bson import CannotStore
from react_agent.proof.canonical import Canonical, canonical
from react_agent.proof.envelopes import Envelope
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for
from react_agent.proof.tables import Table, tables_of
from react_agent.proof.unloading import comparable, rows_for


def with_states(
    source: Envelope, target: Envelope, instance: Instance, mapping: MappingModel, documents: DocumentModel
) -> tuple[Envelope, Envelope]:
    """Give both envelopes of a call the state of every table, where one of the two wrote.

    A side that sent no write has left the instance as it was: EF Core sends an UPDATE that meets no row, Java may see
    beforehand that there is none. The source's rows are brought to documents by the loading that both sides share, so
    that the comparison is relative to the mapping and leaves out no field of a document.
    """
    if source.state is None and target.collections is None:
        return source, target
    try:
        known = source if source.documents is not None else _with_documents(source, instance, mapping, documents)
        stored = target.collections
        if stored is None:
            stored = documents_for(instance, mapping, documents)
    except CannotStore:
        return source, target
    return known, replace(target, state=rows_for(stored, mapping, documents), documents=comparable(stored))


UNHELD = "changed in a table that the target does not hold"


def _with_documents(source: Envelope, instance: Instance, mapping: MappingModel, documents: DocumentModel) -> Envelope:
    tables = dict(source.state if source.state is not None else instance.tables)
    loaded = comparable(documents_for(replace(instance, tables=tables), mapping, documents))
    for table in _without_documents(mapping, documents):
        if _bag(tables.get(table, ())) != _bag(instance.tables.get(table, ())):
            loaded[table] = (UNHELD,)
    return replace(source, state=tables, documents=loaded)


def _without_documents(mapping: MappingModel, documents: DocumentModel) -> frozenset[str]:
    """Tables that the target does not hold: those of entities that are gaps, and of the links to them.

    What a command leaves in them untouched is no difference; where it changes them, it is one.
    """
    gaps = {
        entity.name
        for entity in mapping.entities
        if not (entity.owned_by or entity.complex) and documents.find(entity.name) is None
    }
    held = {entity.table for entity in mapping.entities if entity.name not in gaps}
    return frozenset(table.name for table in tables_of(mapping) if table.name not in held and not _is_link(table, held))


def _is_link(table: Table, held: set[str | None]) -> bool:
    """Whether a table joins two that the target holds: documents keep its rows in arrays."""
    return len(table.references) > 1 and all(one.principal in held for one in table.references)


def _bag(rows: tuple[Row, ...]) -> Counter[tuple[tuple[str, Canonical], ...]]:
    keys = (sorted((name, canonical(cell)) for name, cell in row.items() if not cell.is_null) for row in rows)
    return Counter(map(tuple, keys))

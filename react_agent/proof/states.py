"""States: what a command left in both stores, in one form each, so that they can be compared."""

from dataclasses import replace

from react_agent.model.documents import DocumentModel
from react_agent.model.mapping import MappingModel
from react_agent.proof.bson import CannotStore
from react_agent.proof.envelopes import Envelope
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for
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
    tables = source.state if source.state is not None else instance.tables
    try:
        loaded = documents_for(replace(instance, tables=dict(tables)), mapping, documents)
        stored = target.collections
        if stored is None:
            stored = documents_for(instance, mapping, documents)
    except CannotStore:
        return source, target
    return (
        replace(source, state=tables, documents=comparable(loaded)),
        replace(target, state=rows_for(stored, mapping, documents), documents=comparable(stored)),
    )

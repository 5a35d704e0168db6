"""Loading: the documents that stand for an instance's rows, by the document model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from react_agent.model.documents import Document, DocumentModel, Embedded, Field
from react_agent.model.mapping import EntityType, Inheritance, MappingModel
from react_agent.model.values import NULL, Cell, CellType, Row, scalar
from react_agent.proof.bson import CannotStore, extended, from_plain
from react_agent.proof.canonical import canonical
from react_agent.proof.closure import value_key
from react_agent.proof.domain import as_column
from react_agent.proof.instances import Instance
from react_agent.proof.tables import column_from, column_of, home_table, lineage, properties_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    instance: Instance
    mapping: MappingModel
    model: DocumentModel


def documents_for(
    instance: Instance, mapping: MappingModel, documents: DocumentModel
) -> dict[str, list[dict[str, Any]]]:
    """Write each collection's documents in canonical Extended JSON; every collection is there, empty ones too.

    Raises:
        CannotStore: the document model asks for something the rows do not have.
    """
    source = _Source(instance=instance, mapping=mapping, model=documents)
    out: dict[str, list[dict[str, Any]]] = {d.collection: [] for d in documents.documents if d.collection is not None}
    for document in documents.documents:
        entity = mapping.find(document.entity)
        if document.collection is None:
            continue
        if entity is None:
            raise CannotStore(f"document {document.java_class}: the mapping has no entity {document.entity}")
        out[document.collection] += [_document(source, document, entity, row) for row in _rows(source, entity)]
    return out


def _rows(source: _Source, entity: EntityType) -> list[Row]:
    """The rows that are this entity and no derived one, with the columns of its bases joined in."""
    if entity.abstract or entity.table is None:
        return []
    rows = list(source.instance.tables.get(entity.table, ()))
    root = lineage(source.mapping, entity)[-1]
    name = entity.discriminator or root.discriminator
    if name is not None and entity.discriminator_value is not None:
        column = column_of(source.mapping, entity, name) or name
        return [row for row in rows if _says(row.get(column, NULL), entity.discriminator_value)]
    if entity.inheritance == Inheritance.TPT:
        rows = [row for row in rows if not _is_derived(source, entity, row)]
        for base in lineage(source.mapping, entity)[1:]:
            rows = _joined(source, entity, base, rows)
    return rows


def _says(cell: Cell, value: str) -> bool:
    return value in {cell.text, cell.name}


def _key(mapping: MappingModel, entity: EntityType) -> tuple[str, ...]:
    names = entity.key or lineage(mapping, entity)[-1].key
    return tuple(c for name in names if (c := column_of(mapping, entity, name)))


def _is_derived(source: _Source, entity: EntityType, row: Row) -> bool:
    key = _key(source.mapping, entity)
    derived = (e for e in source.mapping.entities if e.base == entity.name and e.table is not None)
    return any(
        value_key(row, key) == value_key(other, key)
        for one in derived
        for other in source.instance.tables.get(one.table or "", ())
    )


def _joined(source: _Source, entity: EntityType, base: EntityType, rows: list[Row]) -> list[Row]:
    if base.table in {None, entity.table}:
        return rows
    key = _key(source.mapping, base)
    there = {value_key(row, key): row for row in source.instance.tables.get(base.table or "", ())}
    return [{**there.get(value_key(row, key), {}), **row} for row in rows]


def _document(source: _Source, document: Document, entity: EntityType, row: Row) -> dict[str, Any]:
    out: dict[str, Any] = {}
    composite = {name: field for name in document.key_fields if (field := _key_field(document, name)) is not None}
    if composite:
        out["_id"] = {_inner(name, field): _value(source, entity, field, row) for name, field in composite.items()}
    for field in document.fields:
        if any(field is part for part in composite.values()):
            continue
        value = _value(source, entity, field, row)
        if value is not None:
            out[field.field] = value
    for embedded in document.embedded:
        part = _embedded(source, entity, embedded, row)
        if part is not None:
            out[embedded.field] = part
    if entity.discriminator_value is not None and (entity.base or _has_derived(source.mapping, entity)):
        out["_class"] = entity.discriminator_value
    return out


def _has_derived(mapping: MappingModel, entity: EntityType) -> bool:
    return any(e.base == entity.name for e in mapping.entities)


def _key_field(document: Document, name: str) -> Field | None:
    for field in document.fields:
        if name in {field.property, field.field, field.java_name} or field.field == f"_id.{name}":
            return field
    raise CannotStore(f"document {document.java_class}: its key names {name}, which is none of its fields")


def _inner(name: str, field: Field) -> str:
    inner = field.field.removeprefix("_id.")
    return name if inner == "_id" else inner


def _value(source: _Source, entity: EntityType, field: Field, row: Row) -> Any:
    column = column_of(source.mapping, entity, field.property)
    if column is None or column not in row:
        table = home_table(source.mapping, entity, field.property)
        raise CannotStore(f"{entity.name}.{field.property}: no such column among the rows of {table}")
    return extended(row[column], field.bson)


def _embedded(source: _Source, owner: EntityType, embedded: Embedded, row: Row) -> Any:
    entity = source.mapping.find(embedded.entity)
    document = source.model.find(embedded.entity)
    if entity is None or document is None:
        raise CannotStore(f"{owner.name}.{embedded.navigation}: no entity or document {embedded.entity}")
    if entity.json_column is not None and entity.json_column in row:
        cell = row[entity.json_column]
        parsed = None if cell.is_null else json.loads(cell.text or "null", parse_float=Decimal)
        return _from_json(source, document, entity, parsed)
    if embedded.many or entity.table != owner.table:
        parts = [_document(source, document, entity, child) for child in _children(source, owner, entity, row)]
        return parts if embedded.many else (parts[0] if parts else None)
    mine = {p.column for p in entity.properties if p.name not in entity.key}
    if embedded.nullable and all(row.get(c, NULL).is_null for c in mine):
        return None
    return _document(source, document, entity, row)


def _children(source: _Source, owner: EntityType, entity: EntityType, row: Row) -> list[Row]:
    """The owned rows of one owner, in key order as EF returns them."""
    foreign = next((f for f in entity.foreign_keys if f.ownership), None)
    if foreign is None or entity.table is None:
        raise CannotStore(f"{entity.name}: an owned part in a table of its own needs its ownership's foreign key")
    mine = [column_of(source.mapping, entity, name) or name for name in foreign.properties]
    theirs = [column_of(source.mapping, owner, name) or name for name in foreign.principal_key]
    wanted = value_key(row, theirs)
    key = _key(source.mapping, entity)
    found = [r for r in source.instance.tables.get(entity.table, ()) if value_key(r, mine) == wanted]
    return sorted(found, key=lambda r: tuple(canonical(r[c]) for c in key))


def _from_json(source: _Source, document: Document, entity: EntityType, value: Any) -> Any:
    """A JSON column's document, its members stored as the document model says."""
    if isinstance(value, list):
        return [_from_json(source, document, entity, item) for item in value]
    if not isinstance(value, Mapping):
        return None
    out: dict[str, Any] = {}
    columns = {p.name: p for p in properties_of(source.mapping, entity)}
    for field in document.fields:
        p = columns.get(field.property)
        raw = value.get(p.column if p else field.property)
        if raw is None:
            continue
        if isinstance(raw, list) or p is None:
            out[field.field] = from_plain(raw)
            continue
        column = column_from(source.mapping, p, nullable=True)
        cell = _cell(raw) if column.type in {CellType.ENUM, CellType.BOOL} else scalar(column.type, raw)
        out[field.field] = extended(as_column(cell, column) or cell, field.bson)
    for embedded in document.embedded:
        inner_entity, inner = source.mapping.find(embedded.entity), source.model.find(embedded.entity)
        if inner_entity is not None and inner is not None:
            part = _from_json(source, inner, inner_entity, value.get(embedded.navigation))
            if part is not None:
                out[embedded.field] = part
    return out


def _cell(raw: object) -> Cell:
    if isinstance(raw, bool):
        return scalar(CellType.BOOL, raw)
    return scalar(CellType.INT if isinstance(raw, int) else CellType.STRING, raw)

"""Unloading: the rows that stand for documents, the inverse of loading; and documents as values to compare."""

import base64
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from react_agent.model.documents import Document, DocumentModel, Embedded
from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.values import NULL, Cell, CellType, Row, scalar
from react_agent.proof.canonical import datetime_text, decimal_value, double_value
from react_agent.proof.domain import RANGES, enum_cell
from react_agent.proof.tables import Column, column_from, home_table, lineage, properties_of

Collections = Mapping[str, Sequence[Mapping[str, Any]]]
"""Documents by collection, in canonical Extended JSON."""


def rows_for(collections: Collections, mapping: MappingModel, documents: DocumentModel) -> dict[str, tuple[Row, ...]]:
    """Read each table's rows back from the documents; what fits no column stands in one of its own, as it is stored.

    A column that documents do not hold, such as the position of an owned row, is left out.
    """
    out: dict[str, list[Row]] = {table: [] for table in mapping.tables()}
    by_collection = {d.collection: d for d in documents.documents if d.collection is not None}
    for name, stored in collections.items():
        found = by_collection.get(name)
        for value in stored:
            if found is None:
                out.setdefault(name, []).append({"": _as_is(value)})
            else:
                _unload(value, _document_of(value, found, mapping, documents), mapping, documents, out)
    return {table: tuple(rows) for table, rows in out.items()}


def _document_of(
    value: Mapping[str, Any], found: Document, mapping: MappingModel, documents: DocumentModel
) -> Document:
    """The document class of a stored value: in a hierarchy its `_class` says which."""
    kinds = {e.discriminator_value: e.name for e in mapping.entities if e.discriminator_value is not None}
    named = documents.find(kinds.get(str(value.get("_class")), ""))
    return named if named is not None and named.collection == found.collection else found


def _unload(
    value: Mapping[str, Any],
    document: Document,
    mapping: MappingModel,
    documents: DocumentModel,
    out: dict[str, list[Row]],
    given: Row | None = None,
) -> None:
    entity = mapping.find(document.entity)
    if entity is None:
        return
    rows: dict[str, dict[str, Cell]] = {}
    for table, column, cell in _cells(value, document, entity, mapping, documents, out):
        rows.setdefault(table, dict(given or {}))[column] = cell
    for table, row in rows.items():
        out.setdefault(table, []).append(row)


def _cells(
    value: Mapping[str, Any],
    document: Document,
    entity: EntityType,
    mapping: MappingModel,
    documents: DocumentModel,
    out: dict[str, list[Row]],
) -> Iterator[tuple[str, str, Cell]]:
    """Each column of the entity with its cell; parts in tables of their own are unloaded on the way."""
    known = {"_class", *(f.field.partition(".")[0] for f in document.fields), *(e.field for e in document.embedded)}
    properties = {p.name: p for p in properties_of(mapping, entity)}
    for field in document.fields:
        p = properties.get(field.property)
        table = home_table(mapping, entity, field.property) or entity.table or ""
        if p is not None:
            yield table, p.column, stored_cell(_at(value, field.field), column_from(mapping, p, nullable=True))
    discriminator = next((e.discriminator for e in lineage(mapping, entity) if e.discriminator), None)
    if discriminator is not None and entity.discriminator_value is not None:
        p = properties.get(discriminator)
        if p is not None and document.find(discriminator) is None:
            text = scalar(CellType.STRING, entity.discriminator_value)
            yield entity.table or "", p.column, text
    for embedded in document.embedded:
        yield from _part(value.get(embedded.field), embedded, entity, value, mapping, documents, out)
    for name in value:
        if name not in known:
            yield entity.table or "", f"({name})", _as_is(value[name])


def _part(
    value: Any,
    embedded: Embedded,
    owner: EntityType,
    whole: Mapping[str, Any],
    mapping: MappingModel,
    documents: DocumentModel,
    out: dict[str, list[Row]],
) -> Iterator[tuple[str, str, Cell]]:
    entity, document = mapping.find(embedded.entity), documents.find(embedded.entity)
    if entity is None or document is None:
        return
    if entity.json_column is not None:
        yield owner.table or "", entity.json_column, NULL if value is None else _as_is(value)
    elif embedded.many or entity.table != owner.table:
        given = _keys_of(owner, entity, whole, mapping, documents)
        for item in value if isinstance(value, list) else [value] if value is not None else []:
            _unload(item, document, mapping, documents, out, given)
    else:
        part = value if isinstance(value, Mapping) else {}
        yield from _cells(part, document, entity, mapping, documents, out)


def _keys_of(
    owner: EntityType, part: EntityType, whole: Mapping[str, Any], mapping: MappingModel, documents: DocumentModel
) -> dict[str, Cell]:
    """What an owned row repeats of its owner."""
    foreign = next((f for f in part.foreign_keys if f.ownership), None)
    document = documents.find(owner.name)
    out: dict[str, Cell] = {}
    mine = {p.name: p for p in properties_of(mapping, part)}
    theirs = {p.name: p for p in properties_of(mapping, owner)}
    for here, there in zip(foreign.properties, foreign.principal_key, strict=True) if foreign is not None else ():
        field = document.find(there) if document is not None else None
        if field is not None and here in mine and there in theirs:
            column = column_from(mapping, theirs[there], nullable=True)
            out[mine[here].column] = stored_cell(_at(whole, field.field), column)
    return out


def _at(value: Mapping[str, Any], path: str) -> Any:
    found: Any = value
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def stored_cell(value: Any, column: Column) -> Cell:
    """Read a stored value as a cell of a column; one of another form stays as it is stored, and so never equals one."""
    if value is None:
        return NULL
    try:
        return _read(value, column)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError):
        return _as_is(value)


def _as_is(value: Any) -> Cell:
    return Cell(type=CellType.JSON, text=json.dumps(value, sort_keys=True))


def _read(value: Any, column: Column) -> Cell:
    kind = column.type
    if kind == CellType.LIST and column.element is not None:
        element = column.element
        return Cell(type=kind, items=tuple(stored_cell(item, element) for item in value))
    if kind == CellType.ENUM and column.enum is not None:
        members = column.enum.members
        wanted = value if isinstance(value, str) else _whole(value)
        at = next((n for n, m in enumerate(members) if wanted in {m.name, m.value}), None)
        if at is None:
            return Cell(type=kind, text=str(wanted), enum=column.enum.name)
        return enum_cell(column.enum, at)
    if kind in RANGES:
        return scalar(kind, _whole(value))
    return _CELLS[kind](value)


def _whole(value: Any) -> int:
    return int(value["$numberInt"] if "$numberInt" in value else value["$numberLong"])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value


def _millis(value: Any) -> int:
    return int(value["$date"]["$numberLong"])


def _guid(value: Any) -> Cell:
    if isinstance(value, str):
        return scalar(CellType.GUID, str(uuid.UUID(value)))
    return scalar(CellType.GUID, str(uuid.UUID(bytes=base64.b64decode(value["$binary"]["base64"]))))


def _char(value: Any) -> Cell:
    return scalar(CellType.CHAR, value if isinstance(value, str) else chr(_whole(value)))


def _clock(ticks: int) -> str:
    sign, ticks = ("-", -ticks) if ticks < 0 else ("", ticks)
    seconds, fraction = divmod(ticks, 10_000_000)
    days, seconds = divmod(seconds, 86_400)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{sign}{f'{days}.' if days else ''}{clock}{f'.{fraction:07d}' if fraction else ''}"


def _time(value: Any) -> Cell:
    ticks = _millis(value) * 10_000 if "$date" in value else _whole(value) // 100
    return scalar(CellType.TIME, _clock(ticks))


def _boolean(value: Any) -> Cell:
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return scalar(CellType.BOOL, value)


_CELLS: Mapping[CellType, Callable[[Any], Cell]] = {
    CellType.BOOL: _boolean,
    CellType.STRING: lambda value: scalar(CellType.STRING, _text(value)),
    CellType.URI: lambda value: scalar(CellType.URI, _text(value)),
    CellType.CHAR: _char,
    CellType.DECIMAL: lambda value: scalar(CellType.DECIMAL, f"{Decimal(value['$numberDecimal']):f}"),
    CellType.DOUBLE: lambda value: scalar(CellType.DOUBLE, value["$numberDouble"]),
    CellType.FLOAT: lambda value: scalar(CellType.FLOAT, value["$numberDouble"]),
    CellType.DATETIME: lambda value: Cell(
        type=CellType.DATETIME, text=datetime_text(_millis(value)), kind="Unspecified"
    ),
    CellType.DATETIMEOFFSET: lambda value: scalar(CellType.DATETIMEOFFSET, f"{datetime_text(_millis(value))}+00:00"),
    CellType.DATE: lambda value: scalar(CellType.DATE, (date(1970, 1, 1) + timedelta(milliseconds=_millis(value)))),
    CellType.TIME: _time,
    CellType.TIMESPAN: lambda value: scalar(CellType.TIMESPAN, _clock(_whole(value))),
    CellType.GUID: _guid,
    CellType.BYTES: lambda value: scalar(CellType.BYTES, value["$binary"]["base64"]),
}


def comparable(collections: Collections) -> dict[str, tuple[str, ...]]:
    """Write documents so that equal ones are equal texts: no nulls, numbers by value, no name of a Java class."""
    return {
        name: tuple(sorted(json.dumps(_plain(value), sort_keys=True) for value in stored))
        for name, stored in collections.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        (name, inner), *_ = value.items()
        read = _NUMBERS.get(name)
        if read is not None:
            return read(inner)
    return {name: _plain(item) for name, item in value.items() if item is not None and not _is_class(name, item)}


def _is_class(name: str, value: Any) -> bool:
    """Whether this is the class name that Spring Data adds on its own account; a discriminator has no package."""
    return name == "_class" and isinstance(value, str) and "." in value


_NUMBERS: Mapping[str, Callable[[Any], Any]] = {
    "$numberInt": lambda text: {"integer": int(text)},
    "$numberLong": lambda text: {"integer": int(text)},
    "$numberDecimal": lambda text: {"decimal": str(decimal_value(text)) if text[-1:].isdigit() else text},
    "$numberDouble": lambda text: {"double": str(double_value(text))},
}

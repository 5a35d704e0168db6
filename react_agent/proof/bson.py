"""BSON values: one cell in canonical Extended JSON, stored the way the document model says."""

import base64
import json
import struct
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from react_agent.model.documents import BsonType
from react_agent.model.values import Cell, CellType
from react_agent.proof.canonical import datetime_value


class CannotStore(ValueError):
    """A value has no form of the wanted BSON type; the message names both."""


def extended(cell: Cell, bson: BsonType) -> Any:
    """Write a scalar or a list of scalars; null is the caller's business.

    Raises:
        CannotStore: the document model wants a form that this value does not have.
    """
    if cell.is_null:
        return None
    if cell.type == CellType.LIST:
        return [extended(item, _element(item)) for item in cell.items]
    try:
        return _WRITE[bson](cell)
    except (KeyError, ValueError) as error:
        raise CannotStore(f"a {cell.type} {cell.text!r:.60} cannot be stored as {bson}: {error}") from None


def _element(cell: Cell) -> BsonType:
    natural = {
        CellType.DECIMAL: BsonType.DECIMAL128,
        CellType.DOUBLE: BsonType.DOUBLE,
        CellType.FLOAT: BsonType.DOUBLE,
        CellType.BOOL: BsonType.BOOL,
        CellType.DATETIME: BsonType.DATE,
        CellType.GUID: BsonType.UUID,
        CellType.LONG: BsonType.INT64,
        CellType.UINT: BsonType.INT64,
        CellType.BYTES: BsonType.BINARY,
    }
    small = {CellType.BYTE, CellType.SBYTE, CellType.SHORT, CellType.USHORT, CellType.INT}
    return BsonType.INT32 if cell.type in small else natural.get(cell.type, BsonType.STRING)


def _integer(cell: Cell) -> int:
    text = cell.text or ""
    if cell.type == CellType.CHAR:
        return ord(text)
    if cell.type == CellType.BOOL:
        return int(text == "true")
    if cell.type == CellType.TIME:
        return _ticks(text) * 100
    if cell.type == CellType.TIMESPAN:
        return _ticks(text)
    return int(text)


def _ticks(text: str) -> int:
    """A time or time span in ticks of 100 ns: `[-][d.]hh:mm[:ss[.fffffff]]`."""
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    days, clock = 0, text
    if "." in text.split(":")[0]:
        head, clock = text.split(".", 1)
        days = int(head)
    parts = clock.split(":")
    seconds, _, fraction = (parts[2] if len(parts) > 2 else "0").partition(".")
    whole = ((days * 24 + int(parts[0])) * 60 + int(parts[1])) * 60 + int(seconds)
    return sign * (whole * 10_000_000 + int(fraction.ljust(7, "0")[:7] or 0))


def _double(cell: Cell) -> str:
    value = float(cell.text or "")
    if cell.type == CellType.FLOAT:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return repr(value).replace("inf", "Infinity").replace("nan", "NaN")


def _date(cell: Cell) -> dict[str, Any]:
    text = cell.text or ""
    if cell.type == CellType.DATE:
        millis = (date.fromisoformat(text) - date(1970, 1, 1)).days * 86_400_000
    elif cell.type in {CellType.DATETIME, CellType.DATETIMEOFFSET}:
        millis = datetime_value(text)
    elif cell.type == CellType.TIME:
        millis = _ticks(text) // 10_000
    else:
        raise CannotStore("only dates, times and date-times are stored as dates")
    return {"$date": {"$numberLong": str(millis)}}


def _string(cell: Cell) -> str:
    if cell.type == CellType.ENUM:
        return cell.name if cell.name is not None else cell.text or ""
    return (cell.text or "").lower() if cell.type == CellType.GUID else cell.text or ""


def _binary(cell: Cell) -> dict[str, Any]:
    if cell.type == CellType.GUID:
        return _uuid(cell)
    base64.b64decode(cell.text or "", validate=True)
    return {"$binary": {"base64": cell.text or "", "subType": "00"}}


def _uuid(cell: Cell) -> dict[str, Any]:
    data = base64.b64encode(uuid.UUID(cell.text or "").bytes).decode()
    return {"$binary": {"base64": data, "subType": "04"}}


def from_plain(value: Any) -> Any:
    """Write parsed JSON (numbers exact) as Extended JSON, nulls left out of documents."""
    if isinstance(value, dict):
        return {name: from_plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return value
    if isinstance(value, Decimal):
        return {"$numberDouble": repr(float(value))}
    return {"$numberInt": str(value)} if -(2**31) <= value < 2**31 else {"$numberLong": str(value)}


_WRITE: Mapping[BsonType, Callable[[Cell], Any]] = {
    BsonType.INT32: lambda cell: {"$numberInt": str(_integer(cell))},
    BsonType.INT64: lambda cell: {"$numberLong": str(_integer(cell))},
    BsonType.DOUBLE: lambda cell: {"$numberDouble": _double(cell)},
    BsonType.DECIMAL128: lambda cell: {"$numberDecimal": f"{Decimal(cell.text or ''):f}"},
    BsonType.STRING: _string,
    BsonType.BOOL: lambda cell: cell.text == "true",
    BsonType.DATE: _date,
    BsonType.UUID: _uuid,
    BsonType.BINARY: _binary,
    BsonType.DOCUMENT: lambda cell: from_plain(json.loads(cell.text or "null", parse_float=Decimal)),
    BsonType.ARRAY: lambda cell: from_plain(json.loads(cell.text or "null", parse_float=Decimal)),
}

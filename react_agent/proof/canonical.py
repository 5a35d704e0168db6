"""Canonical values: two cells are the same value exactly when their canonical forms are equal, and they hash.

Decimals by value at C#'s precision, doubles by shortest text, floats as 32 bits, date-times at the millisecond without
their kind, enums by name. Never "everything to string": the type is part of the form.
"""

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from functools import lru_cache

from react_agent.model.values import Cell, CellType

Canonical = tuple
"""A nested tuple: the type, then the value."""

CSHARP_DECIMAL = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""`System.Decimal` keeps 28 digits; Decimal128 keeps 34. What differs beyond is not a difference of the query."""

SMALLEST_DECIMAL = Decimal("1E-28")
"""`System.Decimal` has no scale beyond 28: zeros behind the point count among its digits there."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def canonical(cell: Cell) -> Canonical:
    """Bring a scalar to its canonical form; lists and objects are the comparison's business."""
    kind = cell.type
    if kind is CellType.NULL:
        return ("null",)
    text = cell.text or ""
    read = _READ.get(kind)
    try:
        return (kind, _other(cell) if read is None else read(text))
    except (ValueError, InvalidOperation, OverflowError):
        return (kind, "unread", text)


def _other(cell: Cell) -> object:
    if cell.type == CellType.ENUM:
        return cell.name if cell.name is not None else f"={cell.text}"
    return cell.text


def decimal_value(text: str) -> Decimal:
    """Read a decimal by value: `9.90` is `9.9`; no trailing zeros, no exponent for integers."""
    value = csharp_decimal(Decimal(text))
    return value.normalize(CSHARP_DECIMAL) if value else Decimal(0)


def csharp_decimal(value: Decimal) -> Decimal:
    """Round a number to what `System.Decimal` keeps of it: 28 digits, and as many behind the point."""
    kept = CSHARP_DECIMAL.plus(value)
    exponent = kept.as_tuple().exponent
    return (
        kept.quantize(SMALLEST_DECIMAL, context=CSHARP_DECIMAL)
        if isinstance(exponent, int) and exponent < -28
        else kept
    )


def double_value(text: str) -> object:
    """Read a double; NaN equals itself here, and -0 equals 0 as in C#."""
    value = float(text.replace("Infinity", "inf").replace("∞", "inf"))
    return "NaN" if math.isnan(value) else value + 0.0


def float_value(text: str) -> object:
    """Read a float as its 32 bits, whatever text each side prints."""
    value = float(text.replace("Infinity", "inf").replace("∞", "inf"))
    if math.isnan(value):
        return "NaN"
    return struct.unpack("f", struct.pack("f", value))[0] + 0.0 if not math.isinf(value) else value


@lru_cache(maxsize=65_536)
def datetime_value(text: str) -> int:
    """Read a date-time as milliseconds since 1970; an offset is applied, digits below the millisecond are cut."""
    stamp, offset = split_offset(text)
    day, _, clock = stamp.replace(" ", "T").partition("T")
    whole, _, fraction = (clock or "00:00:00").partition(".")
    parts = [*map(int, whole.split(":")), 0, 0]
    year, month, date = (int(n) for n in day.split("-"))
    base = datetime(year, month, date, tzinfo=UTC) - _EPOCH
    millis = int(fraction[:3].ljust(3, "0")) if fraction else 0
    seconds = parts[0] * 3600 + parts[1] * 60 + parts[2] - offset
    return base.days * 86_400_000 + seconds * 1000 + millis


def split_offset(text: str) -> tuple[str, int]:
    """Cut the zone off an ISO date-time; the second part is its offset in seconds, 0 where there is none."""
    if text.endswith(("Z", "z")):
        return text[:-1], 0
    head, sign, tail = text[:10], text[-6:-5], text[-5:]
    if sign in {"+", "-"} and len(text) > 16 and tail[2:3] == ":":
        seconds = int(tail[:2]) * 3600 + int(tail[3:]) * 60
        return head + text[10:-6], -seconds if sign == "-" else seconds
    return text, 0


def datetimeoffset_value(text: str) -> tuple[int, int]:
    """Read a date-time with offset as its instant and its offset."""
    return datetime_value(text), split_offset(text)[1]


def datetime_text(millis: int) -> str:
    """Write milliseconds since 1970 in the golden form, seven digits of fraction."""
    stamp = _EPOCH + timedelta(milliseconds=millis)
    return stamp.strftime("%Y-%m-%dT%H:%M:%S.").rjust(20, "0") + f"{stamp.microsecond // 1000:03d}0000"


def at_millisecond(cell: Cell) -> Cell:
    """Cut a date-time or time of day below the millisecond, the digits that documents do not keep.

    Both sides then see the same value: otherwise `>` tells ticks apart on one side only.
    """
    if cell.items:
        return replace(cell, items=tuple(map(at_millisecond, cell.items)))
    if cell.type not in _CUT or not cell.text:
        return cell
    return replace(cell, text=_BELOW_MILLISECOND.sub(lambda found: found[1] + "0" * len(found[2]), cell.text))


_CUT = frozenset({CellType.DATETIME, CellType.DATETIMEOFFSET, CellType.TIME})
_BELOW_MILLISECOND = re.compile(r"(\.\d{3})(\d+)")


def _clock(text: str) -> str:
    head, _, fraction = text.partition(".")
    parts = head.split(":")
    head = head if len(parts) > 2 else f"{head}:00"
    fraction = fraction.rstrip("0")
    return f"{head}.{fraction}" if fraction else head


def _json(text: str) -> str:
    return json.dumps(json.loads(text, parse_float=decimal_value), sort_keys=True, default=str)


_READ: Mapping[CellType, Callable[[str], object]] = {
    **dict.fromkeys(
        (
            CellType.BYTE,
            CellType.SBYTE,
            CellType.SHORT,
            CellType.USHORT,
            CellType.INT,
            CellType.UINT,
            CellType.LONG,
            CellType.ULONG,
        ),
        int,
    ),
    CellType.DECIMAL: decimal_value,
    CellType.DOUBLE: double_value,
    CellType.FLOAT: float_value,
    CellType.DATETIME: datetime_value,
    CellType.DATETIMEOFFSET: datetimeoffset_value,
    CellType.TIME: _clock,
    CellType.TIMESPAN: _clock,
    CellType.GUID: str.lower,
    CellType.BOOL: str.lower,
    CellType.JSON: _json,
}

"""Domains: the values a column is tried with, chosen so that close translations come apart on them.

Every value stays inside what both sides keep: date-times to the millisecond, decimals to 15 digits and the column's
scale, doubles that print short.
"""

import base64
import uuid
from collections.abc import Iterable, Iterator
from decimal import Decimal
from random import Random

from react_agent.model.mapping import EnumType
from react_agent.model.values import Cell, CellType, scalar
from react_agent.proof.canonical import datetime_text, datetime_value
from react_agent.proof.tables import Column

RANGES = {
    CellType.BYTE: (0, 255),
    CellType.SBYTE: (-128, 127),
    CellType.SHORT: (-32768, 32767),
    CellType.USHORT: (0, 65535),
    CellType.INT: (-(2**31), 2**31 - 1),
    CellType.UINT: (0, 2**32 - 1),
    CellType.LONG: (-(2**63), 2**63 - 1),
    CellType.ULONG: (0, 2**63 - 1),
}
"""What an integer column takes; ulong only as far as a signed 64-bit store keeps it."""

DAY = 86_400_000

_TEXTS = (
    "",
    " ",
    "a",
    "A",
    "b",
    "ab",
    "Ab",
    "B a",
    "a%b",
    "a_b",
    "a.b",
    "a*b",
    "a\\b",
    " a",
    "a ",
    "ä",
    "Ä",
    "10",
    "9",
)
_DECIMALS = ("9.90", "10.00", "100.10", "0.20", "-1.50", "0", "0.10", "-0.05", "2.5", "3.5", "1", "0.07", "1.10")
_NUMBERS = (0, 1, 2, 3, 7, -1, 10, 9, 100, -10)
_DOUBLES = ("0", "1.5", "-1.5", "9.9", "10", "0.25", "100.125", "-0.5")
_STAMPS = (
    "2020-12-31T23:30:00",
    "2021-01-01T00:30:00",
    "2021-01-01T00:00:00",
    "2024-02-29T12:00:00",
    "2024-03-31T02:30:00.123",
    "1999-12-31T00:00:00",
    "2024-06-15T22:00:00",
)
_DATES = ("2020-12-31", "2021-01-01", "2024-02-29", "2024-03-31", "1999-12-31")
_TIMES = ("00:00:00", "09:30:00", "10:00:00", "23:30:00", "00:30:00")
_SPANS = ("00:00:00", "01:30:00", "1.00:00:00", "10:00:00", "09:00:00")
_TYPED = {
    CellType.STRING: _TEXTS,
    CellType.DECIMAL: _DECIMALS,
    CellType.DOUBLE: _DOUBLES,
    CellType.FLOAT: _DOUBLES,
    CellType.BOOL: (True, False),
    CellType.DATE: _DATES,
    CellType.TIME: _TIMES,
    CellType.TIMESPAN: _SPANS,
    CellType.GUID: tuple(uuid.UUID(int=(n << 96) | n) for n in (0x80000001, 1, 0x10000000, 0xFFFFFFFE)),
    CellType.CHAR: ("a", "A", "b", "%", "."),
    CellType.BYTES: tuple(base64.b64encode(data).decode() for data in (b"", b"\x00", b"\x01\xff", b"ab")),
    CellType.URI: ("https://example.org/a", "https://example.org/B?x=1"),
}


def stamp(text: str) -> Cell:
    """Make a date-time cell from ISO text, in the golden form."""
    return Cell(type=CellType.DATETIME, text=datetime_text(datetime_value(text)), kind="Unspecified")


def enum_cell(kind: EnumType, at: int) -> Cell:
    """Make a cell of an enum's member by its place in the declaration."""
    member = kind.members[at % len(kind.members)]
    return Cell(type=CellType.ENUM, text=str(member.value), name=member.name, enum=kind.name)


def plain(column: Column) -> tuple[Cell, ...]:
    """The values any column of this type is filled with, the traps among them; never null."""
    found = tuple(cell for cell in _typed(column) if fits(cell, column))
    return found or (_last_resort(column),)


def _typed(column: Column) -> Iterator[Cell]:
    kind = column.type
    if kind in _TYPED:
        yield from (scalar(kind, value) for value in _TYPED[kind])
    elif kind in RANGES:
        yield from (scalar(kind, number) for number in _NUMBERS)
    elif kind == CellType.ENUM and column.enum is not None:
        yield from (enum_cell(column.enum, at) for at in range(len(column.enum.members)))
    elif kind == CellType.DATETIME:
        yield from (stamp(text) for text in _STAMPS)
    elif kind == CellType.DATETIMEOFFSET:
        yield from (scalar(kind, datetime_text(datetime_value(text)) + "+00:00") for text in _STAMPS)
    elif kind == CellType.LIST and column.element is not None:
        items = plain(column.element)
        yield from (Cell(type=kind, items=part) for part in ((), items[:1], items[1:3], items[2:0:-1]))


def _last_resort(column: Column) -> Cell:
    if column.type == CellType.ENUM:
        return Cell(type=CellType.ENUM, text="0", enum=column.clr)
    text = {CellType.JSON: "{}", CellType.STRING: ""}.get(column.type, "0")
    return Cell(type=column.type, text=text)


def fits(cell: Cell, column: Column) -> bool:
    """Whether a column takes a value: its type, null, length, range, precision, scale and enum."""
    if cell.is_null:
        return column.nullable
    if cell.type != column.type:
        return False
    if cell.type == CellType.LIST:
        return column.element is None or all(fits(item, column.element) for item in cell.items)
    text = cell.text or ""
    if cell.type in {CellType.STRING, CellType.BYTES} and column.max_length is not None:
        size = len(text.encode("utf-16-le")) // 2 if cell.type == CellType.STRING else len(base64.b64decode(text))
        return size <= column.max_length
    if cell.type in RANGES:
        low, high = RANGES[cell.type]
        return low <= int(text) <= high
    return _fits_decimal(Decimal(text), column) if cell.type == CellType.DECIMAL else True


def _fits_decimal(value: Decimal, column: Column) -> bool:
    precision, scale = column.precision or 15, 2 if column.scale is None else column.scale
    if column.precision is None and column.scale is None:
        scale = 6
    exponent = value.normalize().as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    whole = len(str(abs(int(value)))) if abs(value) >= 1 else 0
    return digits <= scale and whole <= precision - min(scale, precision) and whole + digits <= 15


def as_column(cell: Cell, column: Column) -> Cell | None:
    """Read a constant as a value of a column, None where it cannot be one."""
    if cell.is_null:
        return None
    made = cell if cell.type == column.type else _converted(cell, column)
    return made if made is not None and fits(made, column) else None


def _converted(cell: Cell, column: Column) -> Cell | None:
    text = cell.text or ""
    numeric = {*RANGES, CellType.DECIMAL, CellType.DOUBLE, CellType.FLOAT}
    if column.type == CellType.ENUM and column.enum is not None:
        member = next((m for m in column.enum.members if text in {m.name, str(m.value)}), None)
        return enum_cell(column.enum, column.enum.members.index(member)) if member else None
    if cell.type in numeric and column.type in numeric:
        value = Decimal(text) if text.lstrip("-")[:1].isdigit() else None
        if value is None or (column.type in RANGES and value != int(value)):
            return None
        return scalar(column.type, int(value) if column.type in RANGES else f"{value:f}")
    if cell.type == CellType.CHAR and column.type == CellType.STRING:
        return scalar(CellType.STRING, text)
    return None


def around(cell: Cell, column: Column) -> tuple[Cell, ...]:
    """A value with its neighbours: below, on, above; other case, wildcards, blanks; around midnight and year's end."""
    found = [as_column(cell, column), *(as_column(near, column) for near in _near(cell, column))]
    return distinct(c for c in found if c is not None)


class _Hashed:
    """A cell by its JSON form: cells hold mappings and do not hash."""

    __slots__ = ("cell", "key")

    def __init__(self, cell: Cell) -> None:
        self.cell, self.key = cell, str(cell.to_json())

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self.key == other.key


def distinct(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Drop repeated cells, keeping the order."""
    return tuple(h.cell for h in dict.fromkeys(_Hashed(c) for c in cells))


def _near(cell: Cell, column: Column) -> Iterator[Cell]:
    text = cell.text or ""
    kind = column.type
    if kind == CellType.STRING and cell.type in {CellType.STRING, CellType.CHAR}:
        yield from (scalar(kind, near) for near in texts_near(text))
    elif kind in RANGES and cell.type in RANGES:
        yield from (scalar(kind, int(text) + step) for step in (-1, 1))
    elif kind == CellType.DECIMAL and cell.type in {*RANGES, CellType.DECIMAL}:
        unit = Decimal(1).scaleb(-(2 if column.scale is None else column.scale))
        yield from (scalar(kind, f"{Decimal(text) + step:f}") for step in (-unit, unit))
    elif kind in {CellType.DOUBLE, CellType.FLOAT} and cell.type in {*RANGES, CellType.DOUBLE, CellType.FLOAT}:
        yield from (scalar(kind, repr(float(text) + step)) for step in (-0.5, 0.5))
    elif kind == CellType.DATETIME and cell.type == kind:
        base = datetime_value(text)
        for step in (-1, 1, -DAY, DAY):
            yield stamp(datetime_text(base + step))
    elif kind == CellType.ENUM and column.enum is not None:
        yield from (enum_cell(column.enum, at) for at in range(len(column.enum.members)))


def texts_near(text: str) -> Iterator[str]:
    """Texts that a wrong comparison takes for `text`: case, blanks, a wildcard's match, inside, longer, shorter."""
    yield text.swapcase()
    yield text.upper()
    yield text.lower()
    yield f" {text}"
    yield f"{text} "
    yield f"x{text}y"
    yield f"{text}y"
    yield text[:-1]
    for wildcard in "%_.*\\":
        if wildcard in text:
            yield text.replace(wildcard, "x")
            yield text.replace(wildcard, "")
    if len(text) > 1:
        yield text[0] + "%" + text[2:]
        yield text[0] + "." + text[2:]


def of_year(year: int) -> tuple[Cell, ...]:
    """Date-times on both sides of a year's first and last midnight, where a zone shift changes the year."""
    marks = (f"{year}-12-31T23:30:00", f"{year}-01-01T00:30:00", f"{year}-01-01T00:00:00", f"{year - 1}-12-31T23:30:00")
    return tuple(stamp(text) for text in marks) if 2 <= year <= 9998 else ()


def of_length(length: int, column: Column) -> tuple[Cell, ...]:
    """Texts of a length and its neighbours."""
    sizes = [n for n in (length - 1, length, length + 1) if 0 <= n <= min(column.max_length or 64, 64)]
    return tuple(scalar(CellType.STRING, "x" * n) for n in sizes)


def fresh(column: Column, at: int, rng: Random) -> Cell:
    """The `at`-th of a series of distinct values, for keys and unique columns."""
    kind = column.type
    if kind == CellType.STRING:
        series = ("k1", "K1", "k2", "k10", "k 1", "k_1", "k%1", "Kä")
        text = series[at] if at < len(series) else f"k{at}"
        return scalar(kind, text if len(text) <= (column.max_length or 99) else _short(at, column.max_length or 1))
    if kind == CellType.GUID:
        return scalar(kind, uuid.UUID(int=rng.getrandbits(128), version=4))
    if kind in RANGES:
        return scalar(kind, at + 1)
    if kind in {CellType.DATETIME, CellType.DATETIMEOFFSET}:
        cell = stamp(datetime_text(1_700_000_000_000 + at * 1_800_000))
        return cell if kind == CellType.DATETIME else scalar(kind, f"{cell.text}+00:00")
    if kind == CellType.DECIMAL:
        return scalar(kind, at + 1)
    if kind in {CellType.DOUBLE, CellType.FLOAT}:
        return scalar(kind, at + 1)
    if kind == CellType.CHAR:
        return scalar(kind, chr(ord("A") + at % 58))
    values = plain(column)
    return values[at % len(values)]


def _short(at: int, size: int) -> str:
    digits, text = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", ""
    for _ in range(size):
        text, at = digits[at % len(digits)] + text, at // len(digits)
    return text

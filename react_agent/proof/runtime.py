"""Runtime values of the interpreter: how cells are computed with, and how results become cells again."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from react_agent.model.mapping import ClrType, EntityType, MappingModel
from react_agent.model.values import NULL, Cell, CellType, Row, scalar
from react_agent.proof.canonical import csharp_decimal, datetime_text, datetime_value
from react_agent.proof.domain import RANGES
from react_agent.proof.tables import cell_type


class Unknown(Exception):
    """The interpreter does not cover this; whoever asked goes on without an answer."""


@dataclass(frozen=True, slots=True)
class EnumValue:
    """An enum's member. `as_text` says that the column holds its name: then its order is the name's."""

    name: str | None
    number: int
    as_text: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A row seen as an entity; two are equal when they are the same row."""

    entity: EntityType
    row: Row
    identity: tuple

    def __hash__(self) -> int:
        return hash((self.entity.name, self.identity))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.identity == other.identity


@dataclass(frozen=True, slots=True)
class Group:
    """A grouping: its key and its elements."""

    key: Any
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """An object made by a projection, members in order."""

    name: str
    members: tuple[tuple[str, Any], ...]

    def member(self, name: str) -> Any:
        """Read a member."""
        for mine, value in self.members:
            if mine == name:
                return value
        raise Unknown(f"{self.name} has no member {name}")


EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a DateTime of unspecified kind has no zone


def value_of(cell: Cell, *, as_text: bool = False) -> Any:
    """Read a cell as a Python value that computes the way C# does."""
    text = cell.text or ""
    if cell.is_null:
        return None
    if cell.type in RANGES:
        return int(text)
    if cell.type == CellType.ENUM:
        return EnumValue(cell.name, int(text), as_text)
    if cell.type == CellType.DATETIME:
        return EPOCH + timedelta(milliseconds=datetime_value(text))
    if cell.type == CellType.LIST:
        return tuple(value_of(item) for item in cell.items)
    simple = {
        CellType.BOOL: lambda: text == "true",
        CellType.DECIMAL: lambda: Decimal(text),
        CellType.DOUBLE: lambda: float(text),
        CellType.STRING: lambda: text,
        CellType.GUID: text.lower,
        CellType.DATE: lambda: date.fromisoformat(text),
    }
    if cell.type not in simple:
        raise Unknown(f"values of type {cell.type}")
    return simple[cell.type]()


def cell_of(value: Any, clr: ClrType, mapping: MappingModel) -> Cell:
    """Write a computed value as a cell of a C# type."""
    if value is None:
        return NULL
    if isinstance(value, EnumValue):
        return Cell(type=CellType.ENUM, text=str(value.number), name=value.name, enum=clr.name)
    if isinstance(value, datetime):
        millis = round((value - EPOCH) / timedelta(milliseconds=1))
        return Cell(type=CellType.DATETIME, text=datetime_text(millis), kind="Unspecified")
    if isinstance(value, tuple):
        inner = clr.element or ClrType(name="object")
        return Cell(type=CellType.LIST, items=tuple(cell_of(item, inner, mapping) for item in value))
    kind = cell_type(mapping, clr)
    if isinstance(value, bool):
        return scalar(CellType.BOOL, value)
    if kind is None:
        raise Unknown(f"results of type {clr}")
    if isinstance(value, Decimal):
        return scalar(kind, f"{csharp_decimal(value):f}")
    return scalar(kind, value)


def sort_value(value: Any) -> tuple:
    """A key that sorts as the source does: nulls first, text by code point, false before true."""
    if value is None:
        return (0,)
    if isinstance(value, EnumValue):
        return (1, value.name if value.as_text else value.number)
    if isinstance(value, Record | Made | Group | tuple):
        raise Unknown("sorting by an object")
    return (1, value)

"""Typed values: the one way a value travels between programs, recordings, files and reports.

The JSON form is `{"t": type, "v": text}`; ARCHITECTURE.md, "Values", has the whole of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class CellType(StrEnum):
    """What a cell holds, named as in C#."""

    BOOL = "bool"
    BYTE = "byte"
    SBYTE = "sbyte"
    SHORT = "short"
    USHORT = "ushort"
    INT = "int"
    UINT = "uint"
    LONG = "long"
    ULONG = "ulong"
    CHAR = "char"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    STRING = "string"
    GUID = "guid"
    URI = "uri"
    DATETIME = "datetime"
    DATETIMEOFFSET = "datetimeoffset"
    DATE = "date"
    TIME = "time"
    TIMESPAN = "timespan"
    BYTES = "bytes"
    ENUM = "enum"
    NULL = "null"
    LIST = "list"
    JSON = "json"
    OBJECT = "object"


class BadCell(ValueError):
    """A JSON value is not a cell; the message says where and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One typed value.

    `text` is set for every scalar type, in the invariant form of the golden files: decimals plain, dates ISO,
    bytes base64, Guids lower case. `items` is set for a list, `fields` for an object, `name` for an enum's member
    or an object's type, `enum` for an enum's type.
    """

    type: CellType
    text: str | None = None
    name: str | None = None
    enum: str | None = None
    kind: str | None = None
    stored: str | None = None
    items: "tuple[Cell, ...]" = ()
    fields: "Mapping[str, Cell]" = field(default_factory=dict)
    computed: "Mapping[str, Cell]" = field(default_factory=dict)

    @property
    def is_null(self) -> bool:
        """Whether this is the null value."""
        return self.type == CellType.NULL

    def to_json(self) -> dict[str, Any]:
        """Write the cell in its wire form."""
        out: dict[str, Any] = {"t": self.type.value}
        match self.type:
            case CellType.NULL:
                pass
            case CellType.LIST:
                out["v"] = [item.to_json() for item in self.items]
            case CellType.OBJECT:
                out["name"] = self.name
                out["f"] = {name: cell.to_json() for name, cell in self.fields.items()}
                if self.computed:
                    out["computed"] = {name: cell.to_json() for name, cell in self.computed.items()}
            case CellType.ENUM:
                out |= {"type": self.enum, "name": self.name, "v": self.text}
            case _:
                out["v"] = self.text
        if self.kind is not None:
            out["kind"] = self.kind
        if self.stored is not None:
            out["stored"] = self.stored
        return out

    @classmethod
    def from_json(cls, value: Any, where: str = "value") -> "Cell":
        """Read a cell from its wire form.

        Raises:
            BadCell: the value has no known `t`, or its `v` does not fit; `where` names the place.
        """
        if not isinstance(value, Mapping) or "t" not in value:
            raise BadCell(f'{where}: expected a cell {{"t": type, "v": text}}, got {value!r:.80}')
        try:
            kind = CellType(value["t"])
        except ValueError:
            known = ", ".join(CellType)
            raise BadCell(f"{where}: unknown cell type {value['t']!r}; known: {known}") from None
        match kind:
            case CellType.NULL:
                return NULL
            case CellType.LIST:
                return cls(type=kind, items=_items(value, where))
            case CellType.OBJECT:
                return cls(
                    type=kind,
                    name=value.get("name"),
                    fields=_fields(value.get("f"), f"{where}.f"),
                    computed=_fields(value.get("computed", {}), f"{where}.computed"),
                )
        text = value.get("v")
        if not isinstance(text, str):
            raise BadCell(f'{where}: "v" of a {kind} must be text, got {text!r:.80}')
        is_enum = kind == CellType.ENUM
        return cls(
            type=kind,
            text=text,
            name=value.get("name") if is_enum else None,
            enum=value.get("type") if is_enum else None,
            kind=value.get("kind"),
            stored=value.get("stored"),
        )


def _items(value: Mapping[str, Any], where: str) -> tuple[Cell, ...]:
    items = value.get("v")
    if not isinstance(items, list):
        raise BadCell(f'{where}: "v" of a list must be a list of cells')
    return tuple(Cell.from_json(item, f"{where}[{at}]") for at, item in enumerate(items))


def _fields(value: Any, where: str) -> dict[str, Cell]:
    if not isinstance(value, Mapping):
        raise BadCell(f"{where}: expected the members of an object")
    return {name: Cell.from_json(cell, f"{where}.{name}") for name, cell in value.items()}


NULL = Cell(type=CellType.NULL)
"""The null value, of any type."""

Row = Mapping[str, Cell]
"""One row of a table: column name to cell."""


def scalar(kind: CellType, text: object) -> Cell:
    """Make a scalar cell; a bool is written the way .NET writes it in JSON, `true` or `false`."""
    return Cell(type=kind, text=str(text).lower() if isinstance(text, bool) else str(text))

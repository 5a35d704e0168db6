"""Java literals: one cell as an expression of the type that the written method takes. Pure."""

import re
from collections.abc import Callable, Mapping

from react_agent.harness.csharp_names import CannotShow
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.names import java_type
from react_agent.model.values import Cell, CellType
from react_agent.spring.java import text as java_text
from react_agent.spring.mongodb.enums import JavaEnum, constant
from react_agent.spring.mongodb.types import value_type

__all__ = ["java_literal", "java_text"]


def java_literal(cell: Cell, clr: ClrType, mapping: MappingModel) -> str:
    """Write a cell for a parameter of the C# type `clr`, whose class is of the program's own package.

    Null carries its type, so that it chooses between overloads as a value would.

    Raises:
        CannotShow: there is no such literal.
    """
    match cell.type:
        case CellType.NULL:
            return f"({_type(clr)}) null"
        case CellType.LIST:
            return _list(cell, clr, mapping)
        case CellType.ENUM:
            return _enum(cell, clr, mapping)
    known = value_type(clr)
    write = _WRITERS.get(known.boxed if known is not None else "")
    if write is None:
        raise CannotShow(f"a {cell.type} for a parameter of type {clr} has no literal in Java")
    return write(cell.text or "")


def _type(clr: ClrType) -> str:
    known = value_type(clr)
    if known is not None:
        return known.boxed.removeprefix("java.lang.")
    if clr.element is not None:
        return f"java.util.List<{_type(clr.element)}>"
    return java_type(clr.name)


def _list(cell: Cell, clr: ClrType, mapping: MappingModel) -> str:
    """Lists of Java's own (`List.of`) hold no null, and look for none."""
    if clr.element is None:
        raise CannotShow(f"a list for a parameter of type {clr} has no literal in Java")
    element = clr.element
    items = ", ".join(java_literal(item, element, mapping) for item in cell.items)
    return f"java.util.Arrays.<{_type(element)}>asList({items})"


def _enum(cell: Cell, clr: ClrType, mapping: MappingModel) -> str:
    """Write the constant of the value; of two members with one value the first is the constant."""
    declared = mapping.find_enum(cell.enum or clr.name)
    if declared is None or declared.flags:
        raise CannotShow(f"{cell.enum or clr.name} is no enum in Java")
    values = {m.name: m.value for m in declared.members}
    number = cell.text or ""
    value = int(number) if number.removeprefix("-").isdigit() else values.get(cell.name or number)
    members = JavaEnum(type=declared, by_name=True).distinct()
    member = next((m for m in members if m.value == value), None)
    if member is None:
        raise CannotShow(f"{declared.name} has no member for {cell.name or number}")
    return f"{java_type(declared.name)}.{constant(member.name)}"


def _floating(boxed: str, suffix: str) -> Callable[[str], str]:
    limits = {"NaN": "NaN", "Infinity": "POSITIVE_INFINITY", "-Infinity": "NEGATIVE_INFINITY"}
    return lambda text: f"{boxed}.{limits[text]}" if text in limits else f"{text}{suffix}"


def _parsed(call: str) -> Callable[[str], str]:
    return lambda text: f"{call}({java_text(text)})"


def _instant(text: str) -> str:
    """A date-time without an offset stands in UTC."""
    written = text.replace(" ", "T") if len(text) > len("2024-02-29") else f"{text}T00:00:00"
    if written.endswith("Z") or _OFFSET.search(written) is None:
        return f"java.time.Instant.parse({java_text(written.removesuffix('Z') + 'Z')})"
    return f"java.time.OffsetDateTime.parse({java_text(written)}).toInstant()"


_OFFSET = re.compile(r"[+-]\d\d:\d\d$")

_WRITERS: Mapping[str, Callable[[str], str]] = {
    "java.lang.Boolean": str.lower,
    "java.lang.Integer": str,
    "java.lang.Long": lambda text: f"{text}L",
    "java.lang.Float": _floating("Float", "f"),
    "java.lang.Double": _floating("Double", "d"),
    "java.lang.String": java_text,
    "java.math.BigDecimal": _parsed("new java.math.BigDecimal"),
    "java.util.UUID": _parsed("java.util.UUID.fromString"),
    "java.time.Instant": _instant,
    "java.time.LocalDate": _parsed("java.time.LocalDate.parse"),
    "java.time.LocalTime": _parsed("java.time.LocalTime.parse"),
    "byte[]": _parsed("java.util.Base64.getDecoder().decode"),
}

"""C# literals: one cell as an expression that has its type wherever it stands. Pure."""

from collections.abc import Callable, Mapping

from react_agent.harness.csharp_names import CannotShow, CSharpNames, identifier
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.values import Cell, CellType

_FLOATING = {"NaN": "NaN", "Infinity": "PositiveInfinity", "-Infinity": "NegativeInfinity"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_CONCRETE = {"IList": "List", "ICollection": "List", "ISet": "HashSet", "IReadOnlySet": "HashSet"}
_ARRAYS = frozenset("IReadOnlyList IReadOnlyCollection IEnumerable Array T[] []".split())


def csharp_literal(cell: Cell, clr: ClrType | None, mapping: MappingModel, names: CSharpNames) -> str:
    """Write a cell; `clr` is the type of the place it goes to, where that is known.

    Null carries its type, so that it chooses between overloads as a value would.

    Raises:
        CannotShow: there is no such literal.
    """
    match cell.type:
        case CellType.NULL:
            return f"({_type(clr, mapping, names)}?)null" if clr is not None else "null"
        case CellType.LIST:
            return _list(cell, clr, mapping, names)
        case CellType.ENUM:
            return _enum(cell, clr, mapping, names)
        case CellType.DATETIME:
            return _datetime(cell)
    write = _WRITERS.get(cell.type)
    if write is None:
        raise CannotShow(f"a value of type {cell.type} has no literal in C#")
    return write(cell.text or "")


def csharp_text(text: str) -> str:
    """Write a string literal."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}" if ord(character) < 0x10000 else f"\\U{ord(character):08X}"


def _type(clr: ClrType, mapping: MappingModel, names: CSharpNames) -> str:
    """Name a type, without its own `?`."""
    if clr.element is None:
        return _FRAMEWORK.get(clr.name) or names.type(clr.name)
    element = _type(clr.element, mapping, names) + ("?" if clr.element.nullable else "")
    return f"{element}[]" if clr.name in {"T[]", "[]", "Array"} or clr.name.endswith("]") else f"{clr.name}<{element}>"


def _list(cell: Cell, clr: ClrType | None, mapping: MappingModel, names: CSharpNames) -> str:
    if clr is None or clr.element is None:
        raise CannotShow("a list of elements of unknown type has no literal in C#")
    items = ", ".join(csharp_literal(item, clr.element, mapping, names) for item in cell.items)
    element = _type(clr.element, mapping, names) + ("?" if clr.element.nullable else "")
    made = f"{element}[]" if clr.name in _ARRAYS or clr.name.endswith("]") else f"{_made(clr.name)}<{element}>"
    return f"new {made} {{ {items} }}" if items else f"new {made} {{ }}"


def _made(name: str) -> str:
    return _CONCRETE.get(name, name)


def _enum(cell: Cell, clr: ClrType | None, mapping: MappingModel, names: CSharpNames) -> str:
    """Write the member's name; a number that no member has is cast."""
    name = cell.enum or (clr.name if clr is not None else "")
    if not name:
        raise CannotShow(f"the enum of the value {cell.text!r} is not known")
    declared = mapping.find_enum(name)
    members = {m.name: m.value for m in declared.members} if declared else {}
    number = cell.text or ""
    is_number = number.removeprefix("-").isdigit()
    found = next((n for n, value in members.items() if is_number and value == int(number)), None)
    member = found or next((n for n in (cell.name, number) if n in members), None)
    if member is not None:
        return f"{names.type(name)}.{identifier(member)}"
    if not is_number:
        raise CannotShow(f"{name} has no member {cell.name or number}")
    return f"({names.type(name)})({number})"


def _datetime(cell: Cell) -> str:
    text = (cell.text or "") + ("Z" if cell.kind == "Utc" else "")
    parsed = f"DateTime.Parse({csharp_text(text)}, Invariant, DateTimeStyles.RoundtripKind)"
    return f"DateTime.SpecifyKind({parsed}, DateTimeKind.Local)" if cell.kind == "Local" else parsed


def _cast(keyword: str) -> Callable[[str], str]:
    return lambda text: f"({keyword})({text})" if text.startswith("-") else f"({keyword}){text}"


def _floating(keyword: str, suffix: str) -> Callable[[str], str]:
    return lambda text: f"{keyword}.{_FLOATING[text]}" if text in _FLOATING else f"{text}{suffix}"


def _parsed(name: str, more: str = ", Invariant") -> Callable[[str], str]:
    return lambda text: f"{name}({csharp_text(text)}{more})"


def _char(text: str) -> str:
    if len(text) != 1 or ord(text) > 0xFFFF:
        raise CannotShow(f"{text!r} is no char")
    return f"'\\u{ord(text):04X}'"


_WRITERS: Mapping[CellType, Callable[[str], str]] = {
    CellType.BOOL: str.lower,
    CellType.BYTE: _cast("byte"),
    CellType.SBYTE: _cast("sbyte"),
    CellType.SHORT: _cast("short"),
    CellType.USHORT: _cast("ushort"),
    CellType.INT: str,
    CellType.UINT: lambda text: f"{text}U",
    CellType.LONG: lambda text: f"{text}L",
    CellType.ULONG: lambda text: f"{text}UL",
    CellType.CHAR: _char,
    CellType.FLOAT: _floating("float", "f"),
    CellType.DOUBLE: _floating("double", "d"),
    CellType.DECIMAL: lambda text: f"{text}m",
    CellType.STRING: csharp_text,
    CellType.JSON: csharp_text,
    CellType.GUID: _parsed("Guid.Parse", ""),
    CellType.URI: _parsed("new Uri", ", UriKind.RelativeOrAbsolute"),
    CellType.DATETIMEOFFSET: _parsed("DateTimeOffset.Parse"),
    CellType.DATE: _parsed("DateOnly.Parse"),
    CellType.TIME: _parsed("TimeOnly.Parse"),
    CellType.TIMESPAN: _parsed("TimeSpan.Parse"),
    CellType.BYTES: _parsed("Convert.FromBase64String", ""),
}

_FRAMEWORK = {
    name: name
    for name in (
        "bool byte sbyte short ushort int uint long ulong char float double decimal string object byte[] "
        "Guid Uri DateTime DateTimeOffset DateOnly TimeOnly TimeSpan"
    ).split()
}

"""Constants: literals, enum members and `const` values as typed cells."""

import re
from decimal import Decimal, InvalidOperation

from react_agent.csharp import syntax as cs
from react_agent.csharp.types import NUMBERS, SCALARS, widens
from react_agent.model.mapping import ClrType, EnumMember, EnumType
from react_agent.model.query import Cast, Constant, Expression
from react_agent.model.values import NULL, Cell, CellType, scalar

NULL_TYPE = ClrType(name="null", nullable=True)
_LIMITS = {"sbyte": 7, "byte": 8, "short": 15, "ushort": 16, "int": 31, "uint": 32, "long": 63, "ulong": 64}
_SIGNED = frozenset({"sbyte", "short", "int", "long"})


def literal(node: cs.Literal) -> Constant:
    """Read a literal with its C# type.

    Raises:
        ValueError: a number that no C# type holds.
    """
    match node.kind:
        case "null":
            return Constant(cell=NULL, type=NULL_TYPE)
        case "bool":
            return Constant(cell=scalar(CellType.BOOL, node.text), type=ClrType(name="bool"))
        case "string" | "char":
            return Constant(cell=scalar(CellType(node.kind), node.text), type=ClrType(name=node.kind))
        case "integer":
            return _integer(node.text)
    return _real(node.text)


def null_of(type_: ClrType) -> Constant:
    """Make the null of a type."""
    return Constant(cell=NULL, type=type_)


def _integer(text: str) -> Constant:
    digits = text.replace("_", "").lower()
    suffix = re.search(r"[ul]+$", digits)
    body = digits[: suffix.start()] if suffix else digits
    value = int(body, 0) if body[:2] in {"0x", "0b"} else int(body)
    marks = set(suffix.group()) if suffix else set()
    names = [n for n in ("int", "uint", "long", "ulong") if _allowed(n, marks) and fits(value, n)]
    if not names:
        raise ValueError(f"{text} fits no integer type")
    return number(names[0], value)


def _allowed(name: str, marks: set[str]) -> bool:
    return ("u" not in marks or name.startswith("u")) and ("l" not in marks or name.endswith("long"))


def fits(value: int, name: str) -> bool:
    """Whether an integer type holds a value."""
    bits = _LIMITS[name]
    return -(1 << bits) <= value < 1 << bits if name in _SIGNED else 0 <= value < 1 << bits


def _real(text: str) -> Constant:
    digits = text.replace("_", "").lower()
    names = {"m": "decimal", "f": "float", "d": "double"}
    name = names.get(digits[-1], "double")
    body = digits.rstrip("mfd") if digits[-1] in names else digits
    try:
        return number(name, Decimal(body))
    except InvalidOperation:
        raise ValueError(f"{text} is no number") from None


def number(name: str, value: int | Decimal) -> Constant:
    """Make a constant of a numeric type, in the plain form of the golden files."""
    if name in {"float", "double"}:
        short = repr(float(value))
        text = short.removesuffix(".0")
    else:
        text = plain(Decimal(value)) if name == "decimal" else str(int(value))
    return Constant(cell=scalar(CellType(name), text), type=ClrType(name=name))


def plain(value: Decimal) -> str:
    """Write a decimal without exponent and trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def negated(value: Constant) -> Constant | None:
    """Fold a minus sign into a number, None where it is no number."""
    name, text = value.type.name, value.cell.text
    if name not in NUMBERS or text is None:
        return None
    if name == "uint" and text == str(1 << 31):
        return number("int", -(1 << 31))
    if name == "ulong" and text == str(1 << 63):
        return number("long", -(1 << 63))
    if name == "uint":
        name = "long"
    return None if name == "ulong" else number(name, -Decimal(text))


def converted(value: Expression, target: ClrType) -> Expression:
    """Convert implicitly: a constant changes its cell, a number widens by a `Cast`, nullability needs nothing."""
    source = value.type
    if isinstance(value, Constant) and value.cell.is_null:
        return null_of(ClrType(name=target.name, nullable=True, element=target.element))
    if source.name == target.name or target.name not in SCALARS:
        return value
    if isinstance(value, Constant) and source.name in NUMBERS and target.name in NUMBERS:
        return _constant_as(value, target)
    if widens(source.name, target.name):
        return Cast(operand=value, type=ClrType(name=target.name, nullable=source.nullable))
    return value


def _constant_as(value: Constant, target: ClrType) -> Expression:
    text = value.cell.text or "0"
    if target.name in _LIMITS and not ("." not in text and "e" not in text and fits(int(text), target.name)):
        return value
    return number(target.name, Decimal(text))


def assignable(value: Expression, target: ClrType) -> bool:
    """Whether C# takes a value where a type is wanted, by widening or as a constant that fits."""
    if isinstance(value, Constant) and value.cell.is_null:
        return True
    if value.type.name == target.name or target.name in {"object", ""}:
        return True
    return converted(value, target).type.name == target.name


def enum_type(declared: cs.EnumDeclaration) -> EnumType:
    """Read an enum with the value of each member.

    Raises:
        ValueError: a member's value is no constant over the enum's own members.
    """
    members: list[EnumMember] = []
    following = 0
    for name, value in declared.members:
        number_ = following if value is None else _member_value(value, {m.name: m.value for m in members})
        members.append(EnumMember(name=name, value=number_))
        following = number_ + 1
    flags = any(a.name == "Flags" for a in declared.attributes)
    return EnumType(name=declared.name, members=tuple(members), underlying=declared.underlying, flags=flags)


def _member_value(node: cs.Expression, known: dict[str, int]) -> int:
    match node:
        case cs.Literal(kind="integer"):
            return int(literal(node).cell.text or "0")
        case cs.Literal(kind="char", text=text):
            return ord(text)
        case cs.Prefix(operator="-", operand=operand):
            return -_member_value(operand, known)
        case cs.Prefix(operator="~", operand=operand):
            return ~_member_value(operand, known)
        case cs.Name(name=name) | cs.Access(name=name) if name in known:
            return known[name]
        case cs.Infix(operator=operator, left=left, right=right) if operator in {"|", "&", "<<", "+", "-"}:
            a, b = _member_value(left, known), _member_value(right, known)
            return {"|": a | b, "&": a & b, "<<": a << (b & 63), "+": a + b, "-": a - b}[operator]
    raise ValueError("the value of an enum member is not a simple constant")


def enum_constant(enum: EnumType, name: str) -> Constant | None:
    """Make the constant of an enum's member."""
    found = next((m for m in enum.members if m.name == name), None)
    if found is None:
        return None
    cell = Cell(type=CellType.ENUM, text=str(found.value), name=name, enum=enum.name)
    return Constant(cell=cell, type=ClrType(name=enum.name))

"""Names: what a simple name or a static member of a class means inside an entry."""

from react_agent.csharp import syntax as cs
from react_agent.csharp.calls import static_member
from react_agent.csharp.constants import enum_constant, enum_type, number
from react_agent.csharp.scope import Context, Reader, Refused, Token, TypeName, Value
from react_agent.csharp.types import KEYWORDS, SCALARS
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import Constant
from react_agent.model.values import CellType, scalar

_FRAMEWORK = frozenset(
    "Math MathF EF Convert Enumerable Queryable EntityFrameworkQueryableExtensions StringComparison DateTimeKind Guid "
    "DateTime DateTimeOffset TimeSpan DateOnly TimeOnly Enum Regex DayOfWeek CancellationToken object".split()
)
_LIMITS = {"int": 31, "long": 63, "short": 15}
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

Stored = cs.FieldDeclaration | cs.PropertyDeclaration


def instance_member(reader: Reader, name: str, span: Span) -> Stored | Value | None:
    """Find a member of the entry's class: the context, a constant, or a computed property; None where there is none.

    Raises:
        Refused: the member holds state.
    """
    for declared in reversed(reader.known.lineage(reader.class_name)):
        parameter = next((p for p in declared.primary or () if p.name == name), None)
        if parameter is not None:
            return _state(reader, parameter.type, name, span)
        for found in declared.members:
            if isinstance(found, cs.FieldDeclaration | cs.PropertyDeclaration) and found.name == name:
                return _member(reader, found, span)
    return None


def _member(reader: Reader, found: Stored, span: Span) -> Stored | Value:
    if found.type.name in reader.contexts:
        return Context()
    if isinstance(found, cs.FieldDeclaration):
        fixed = "const" in found.modifiers or {"static", "readonly"} <= found.modifiers
        return found if fixed else _state(reader, found.type, found.name, span)
    return found if found.body is not None else _state(reader, found.type, found.name, span)


def _state(reader: Reader, type_: cs.TypeRef, name: str, span: Span) -> Value:
    if type_.name in reader.contexts:
        return Context()
    raise Refused(name, "the class holds this as state; its value is not known", span)


def static_name(reader: Reader, name: str, span: Span) -> Value:
    """Find the type that a name stands for.

    Raises:
        Refused: no such type is known.
    """
    short = KEYWORDS.get(name, name)
    if name in reader.known.types or name in reader.known.enums or short in SCALARS or name in _FRAMEWORK:
        return TypeName(short)
    raise Refused(name, "this name is not declared in the sources", span)


def static_member_of(reader: Reader, owner: str, name: str, span: Span) -> Value | cs.FieldDeclaration:
    """Find a static member: an enum's, a constant of a class of the sources, a few of the framework's.

    Raises:
        Refused: it is not known.
    """
    declared = reader.known.enums.get(owner)
    if declared is not None:
        return _enum_member(reader, declared, name, span)
    if owner == "CancellationToken" and name == "None":
        return Token()
    if owner == "string" and name == "Empty":
        return Constant(cell=scalar(CellType.STRING, ""), type=ClrType(name="string"))
    if owner in _LIMITS and name in {"MaxValue", "MinValue"}:
        limit = 1 << _LIMITS[owner]
        return number(owner, limit - 1 if name == "MaxValue" else -limit)
    if owner == "Guid" and name == "Empty":
        zero = "00000000-0000-0000-0000-000000000000"
        return Constant(cell=scalar(CellType.GUID, zero), type=ClrType(name="Guid"))
    for type_ in reversed(reader.known.lineage(owner)):
        for found in type_.members:
            if isinstance(found, cs.FieldDeclaration) and found.name == name:
                if "const" in found.modifiers or {"static", "readonly"} <= found.modifiers:
                    return found
                raise Refused(f"{owner}.{name}", "this field can change; its value is not known", span)
    raise static_member(owner, name, span)


def _enum_member(reader: Reader, declared: cs.EnumDeclaration, name: str, span: Span) -> Constant:
    try:
        found = enum_constant(reader.mapping.find_enum(declared.name) or enum_type(declared), name)
    except ValueError as error:
        raise Refused(f"{declared.name}.{name}", str(error), span) from None
    if found is None:
        raise Refused(f"{declared.name}.{name}", "the enum has no such member", span)
    return found

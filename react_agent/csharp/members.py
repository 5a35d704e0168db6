"""Members: what `target.Name` is on a row, a group, a value or an object made in the query."""

from dataclasses import replace

from react_agent.csharp.constants import NULL_TYPE, null_of
from react_agent.csharp.operators import LIST_COUNT, cast, equality
from react_agent.csharp.scope import Reader, Refused
from react_agent.csharp.sequences import finished, over, unfiltered
from react_agent.csharp.types import DOUBLE, INT, LONG, SCALARS, bare
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType, EntityType
from react_agent.model.query import Call, Constant, Expression, Member, New, Outcome, Parameter, Subquery, Var

_DATE_PARTS = dict.fromkeys(("Year", "Month", "Day", "DayOfYear"), INT)
_TIME_PARTS = dict.fromkeys(("Hour", "Minute", "Second", "Millisecond"), INT)
_PARTS: dict[str, dict[str, ClrType]] = {
    "string": {"Length": INT},
    "DateTime": {
        **_DATE_PARTS,
        **_TIME_PARTS,
        "Date": ClrType(name="DateTime"),
        "DayOfWeek": ClrType(name="DayOfWeek"),
        "TimeOfDay": ClrType(name="TimeSpan"),
        "Ticks": LONG,
    },
    "DateTimeOffset": {**_DATE_PARTS, **_TIME_PARTS, "Date": ClrType(name="DateTime")},
    "DateOnly": {**_DATE_PARTS, "DayOfWeek": ClrType(name="DayOfWeek"), "DayNumber": INT},
    "TimeOnly": {**_TIME_PARTS, "Ticks": LONG},
    "TimeSpan": {
        **dict.fromkeys(("Days", "Hours", "Minutes", "Seconds", "Milliseconds"), INT),
        **dict.fromkeys(("TotalDays", "TotalHours", "TotalMinutes", "TotalSeconds", "TotalMilliseconds"), DOUBLE),
        "Ticks": LONG,
    },
    "byte[]": {"Length": INT},
}


def member(reader: Reader, target: Expression, name: str, span: Span) -> Expression:
    """Find a member.

    Raises:
        Refused: it is not mapped, or not known.
    """
    if isinstance(target, New):
        return _made(target, name, span)
    if isinstance(target, Var) and target.name in reader.groups:
        return _of_group(reader, target, name, span)
    made = made_of(reader, target)
    if made is not None:
        return Member(target=target, name=name, type=_made(made, name, span).type)
    if target.type.nullable and name in {"Value", "HasValue"} and target.type.name not in _entities(reader):
        return _of_nullable(target, name, span)
    if target.type.element is not None and name in {"Count", "Length"}:
        return _count(reader, target, span)
    entity = reader.mapping.find(target.type.name)
    if entity is not None:
        return _mapped(reader, target, entity, name, span)
    part = _PARTS.get(target.type.name, {}).get(name)
    if part is not None:
        lifted = replace(part, nullable=target.type.nullable and target.type.name not in {"string", "byte[]"})
        return Call(method=f"{target.type.name}.{name}", arguments=(target,), type=lifted)
    if isinstance(target, Parameter) and target.type.name in reader.known.types:
        raise Refused(name, "an argument that is an object is not read; pass its members", span)
    raise Refused(name, f"`{target.type}` has no member of this name that can be read", span)


def made_of(reader: Reader, target: Expression) -> New | None:
    """Find the object that a distinct row or a group's key is made of."""
    if isinstance(target, Var):
        made = reader.distinct.get(target.name)
        return made if isinstance(made, New) else None
    if isinstance(target, Member) and isinstance(target.target, Var) and target.name == "Key":
        group = reader.groups.get(target.target.name)
        return group.key if group is not None and isinstance(group.key, New) else None
    return None


def _entities(reader: Reader) -> set[str]:
    return {e.name for e in reader.mapping.entities}


def _made(target: New, name: str, span: Span) -> Expression:
    found = next((value for member_name, value in target.members if member_name == name), None)
    if found is None:
        raise Refused(name, "the object made here has no such member", span)
    return found


def _of_group(reader: Reader, target: Var, name: str, span: Span) -> Expression:
    if name != "Key":
        raise Refused(name, "a group has a Key and its rows only", span, "Q28")
    return Member(target=target, name="Key", type=reader.groups[target.name].key.type)


def _of_nullable(target: Expression, name: str, span: Span) -> Expression:
    if name == "HasValue":
        return equality("!=", target, null_of(NULL_TYPE), span)
    return cast(target, bare(target.type))


def _count(reader: Reader, target: Expression, span: Span) -> Expression:
    if isinstance(target, Parameter | Constant):
        return Call(method=LIST_COUNT, arguments=(target,), type=INT)
    query = finished(over(reader, target, span), Outcome.COUNT, INT)
    return Subquery(query=query, type=INT)


def _mapped(reader: Reader, target: Expression, entity: EntityType, name: str, span: Span) -> Expression:
    line = _line(reader, entity)
    prop = next((p for e in line if (p := e.find_property(name)) is not None), None)
    if prop is not None:
        return Member(target=target, name=name, type=prop.type)
    navigation = next((n for e in line if (n := e.find_navigation(name)) is not None), None)
    if navigation is None:
        reason = f"`{entity.clr_name}.{name}` is not mapped; EF Core computes it in memory"
        raise Refused(name, reason, span, "Q57")
    filtered = reader.mapping.find(navigation.target)
    if filtered is not None:
        unfiltered(filtered, span)
    if not navigation.collection:
        return Member(target=target, name=name, type=ClrType(name=navigation.target, nullable=not navigation.required))
    declared = next((p for _, p in reader.known.properties(entity.clr_name) if p.name == name), None)
    kind = declared.type.name if declared is not None else "ICollection"
    return Member(target=target, name=name, type=ClrType(name=kind, element=ClrType(name=navigation.target)))


def _line(reader: Reader, entity: EntityType) -> list[EntityType]:
    """List an entity type and its bases, whose members it has too."""
    out = [entity]
    while out[-1].base is not None:
        base = reader.mapping.find(out[-1].base)
        if base is None or base in out:
            break
        out.append(base)
    return out


def is_scalar(type_: ClrType, reader: Reader) -> bool:
    """Whether a type is one value."""
    return type_.name in SCALARS or type_.name in reader.known.enums


def is_collection(value: Expression) -> bool:
    """Whether an expression is a collection of a row, or a group."""
    return value.type.element is not None

"""Faults: where the mapping read from text differs from the one that EF Core printed."""

from collections.abc import Iterator
from dataclasses import fields

from react_agent.model.mapping import EntityType, ForeignKey, Index, MappingModel

_ENTITY = (
    "clr_name", "table", "schema", "key", "alternate_keys", "namespace", "db_set", "owned_by", "owner_navigation",
    "complex", "json_column", "base", "abstract", "inheritance", "discriminator", "discriminator_value",
)  # fmt: skip
_UNCOMPARED = frozenset({"span", "backing_field", "default", "converter"})


def mapping_faults(text: MappingModel, ef: MappingModel) -> tuple[str, ...]:
    """List where the text's mapping differs from EF Core's; each is a fault of our reading.

    Fields that EF Core reads by, texts of SQL defaults and the order of members are not compared.
    """
    out: list[str] = []
    ours, theirs = {e.name: e for e in text.entities}, {e.name: e for e in ef.entities}
    out.extend(f"{name}: EF Core has this entity type, the text does not" for name in theirs if name not in ours)
    out.extend(f"{name}: the text has this entity type, EF Core does not" for name in ours if name not in theirs)
    for name in (n for n in ours if n in theirs):
        out.extend(_entity(ours[name], theirs[name]))
    enums = {e.name: e for e in ef.enums}
    changed = (e.name for e in text.enums if e.name in enums and e != enums[e.name])
    out.extend(f"{name}: the enum's members differ" for name in changed)
    return tuple(out)


def _entity(ours: EntityType, theirs: EntityType) -> Iterator[str]:
    for name in _ENTITY:
        yield from _differs(f"{ours.name}.{name}", getattr(ours, name), getattr(theirs, name))
    yield from _members(ours, theirs, "properties")
    yield from _members(ours, theirs, "navigations")
    for name, key in (("foreign_keys", _relation), ("indexes", _index)):
        a = {key(item) for item in getattr(ours, name)}
        b = {key(item) for item in getattr(theirs, name)}
        yield from _differs(f"{ours.name}.{name}", sorted(a - b), sorted(b - a))


def _members(ours: EntityType, theirs: EntityType, kind: str) -> Iterator[str]:
    a = {m.name: m for m in getattr(ours, kind)}
    b = {m.name: m for m in getattr(theirs, kind)}
    yield from _differs(f"{ours.name}.{kind}", sorted(set(a) - set(b)), sorted(set(b) - set(a)))
    for name in (n for n in a if n in b):
        for part in fields(a[name]):
            if part.name not in _UNCOMPARED:
                one, other = getattr(a[name], part.name), getattr(b[name], part.name)
                yield from _differs(f"{ours.name}.{name}.{part.name}", one, other)


def _differs(where: str, ours: object, theirs: object) -> Iterator[str]:
    if ours != theirs:
        yield f"{where}: the text says {_shown(ours)}, EF Core {_shown(theirs)}"


def _shown(value: object) -> str:
    return str(value) if value not in ([], (), None) else "nothing"


def _relation(key: ForeignKey | Index) -> str:
    return str(key)


def _index(index: Index) -> str:
    return f"{'unique ' if index.unique else ''}{', '.join(index.properties)}"

"""Hazards of the mapping: what the entities and members that a query touches bring with them."""

from collections.abc import Iterator

from react_agent.csharp.types import bare
from react_agent.model.mapping import EntityType, MappingModel, Navigation, Property
from react_agent.model.query import Expression, From, Member, New, Query, walk

_TYPES = {
    "decimal": "S27",
    "float": "S28",
    "uint": "S29",
    "ulong": "S29",
    "byte": "S29",
    "ushort": "S29",
    "sbyte": "S29",
    "char": "S29",
    "DateTime": "S30",
    "DateTimeOffset": "S31",
    "DateOnly": "S32",
    "TimeOnly": "S33",
    "TimeSpan": "S34",
    "byte[]": "S35",
}
_KEYS = {"string": "S02", "Guid": "S03"}


def mapping_hazards(query: Query, mapping: MappingModel) -> Iterator[str]:
    """Name the hazards of the entities that a query ranges over and of the members that it reads."""
    for node in walk(query):
        if isinstance(node, From):
            entity = mapping.find(node.entity)
            if entity is not None:
                yield from _of_entity(entity)
        elif isinstance(node, Member):
            yield from _of_member(node, mapping)
    whole = [query.element] if not isinstance(query.element, New) else [v for _, v in query.element.members]
    for value in whole:
        yield from _of_whole(value, mapping)


def _of_entity(entity: EntityType) -> Iterator[str]:
    if len(entity.key) > 1:
        yield "S04"
    elif entity.key:
        key = entity.find_property(entity.key[0])
        yield _KEYS.get(key.type.name, "S01") if key is not None else "S01"
    if entity.alternate_keys:
        yield "S05"
    if entity.inheritance is not None:
        yield "S19"
    if not entity.key and not entity.complex and entity.owned_by is None:
        yield "S50"


def _of_member(node: Member, mapping: MappingModel) -> Iterator[str]:
    owner = mapping.find(node.target.type.name)
    if owner is None:
        return
    prop = owner.find_property(node.name)
    if prop is not None:
        yield from _of_property(prop, owner, mapping)
    navigation = owner.find_navigation(node.name)
    if navigation is not None:
        yield from _of_navigation(navigation, owner, mapping)


def _of_whole(value: Expression, mapping: MappingModel) -> Iterator[str]:
    """An entity that is returned brings all of its members."""
    entity = mapping.find(value.type.name)
    for prop in entity.properties if entity is not None else ():
        yield from _of_property(prop, entity, mapping)


def _of_property(prop: Property, owner: EntityType | None, mapping: MappingModel) -> Iterator[str]:
    name = bare(prop.type).name
    if name in _TYPES:
        yield _TYPES[name]
    enum = mapping.find_enum(name)
    if enum is not None:
        yield "S23" if prop.provider_type == "string" else "S22"
        if enum.flags:
            yield "S24"
    if prop.converter is not None or (prop.provider_type is not None and enum is None):
        yield "S25"
    if prop.shadow and owner is not None and prop.name not in owner.key:
        yield "S37"
    if prop.concurrency_token:
        yield "S36"
    if prop.backing_field is not None:
        yield "S38"
    if prop.nullable:
        yield "S55"
    if prop.column != prop.name:
        yield "S54"


def _of_navigation(navigation: Navigation, owner: EntityType, mapping: MappingModel) -> Iterator[str]:
    target = mapping.find(navigation.target)
    if navigation.backing_field is not None:
        yield "S38"
    if target is not None and target.complex:
        yield "S16"
    elif target is not None and target.owned_by is not None:
        yield "S15" if navigation.collection else "S14"
        if target.json_column is not None:
            yield "S17"
    elif navigation.many_to_many is not None:
        join = mapping.find(navigation.many_to_many)
        payload = join is not None and len(join.properties) > len(join.key)
        yield "S11" if payload else "S10"
    else:
        yield from _of_relation(navigation, owner, target)


def _of_relation(navigation: Navigation, owner: EntityType, target: EntityType | None) -> Iterator[str]:
    holder = owner if navigation.on_dependent else target
    key = next((k for k in holder.foreign_keys if k.properties == navigation.foreign_key), None) if holder else None
    if key is not None and key.unique:
        yield "S08"
    else:
        yield "S09"
    if navigation.on_dependent:
        yield "S06"
        if not navigation.required:
            yield "S07"
    if target is owner:
        yield "S12"
    if sum(n.target == navigation.target for n in owner.navigations) > 1:
        yield "S13"
    shadow = holder.find_property(navigation.foreign_key[0]) if holder and navigation.foreign_key else None
    if shadow is not None and shadow.shadow:
        yield "S37"

"""What MongoDB does not keep of a relational mapping; the verdict names it."""

from collections.abc import Iterator

from react_agent.model.documents import Loss
from react_agent.model.mapping import EntityType, MappingModel, Property, ValueGenerated

_TYPES = {
    "DateTime": ("ticks below a millisecond and DateTime.Kind", "S30"),
    "DateTimeOffset": ("the offset and ticks below a millisecond; the moment stays", "S31"),
    "TimeOnly": ("ticks below a millisecond", "S33"),
    "float": ("single precision in comparisons; stored as a double", "S28"),
    "ulong": ("integer arithmetic; stored as Decimal128", "S29"),
}


def losses_of(entity: EntityType, mapping: MappingModel) -> Iterator[Loss]:
    """Yield what is lost of one entity."""
    for prop in stored_properties(entity):
        for what, hazard in _of_property(prop):
            yield Loss(what=what, where=f"{entity.name}.{prop.name}", hazard=hazard)
    for check in entity.check_constraints:
        yield Loss(what=f"check constraint {check.name}", where=entity.name, hazard="S42")
    for key in entity.foreign_keys:
        if not key.ownership and mapping.find(key.principal) is not None:
            where = f"{entity.name}.{', '.join(key.properties)}"
            yield Loss(what=f"foreign key to {key.principal}, with its delete rule", where=where, hazard="S52")
    for index in entity.indexes:
        if index.unique and not unique_is_kept(entity, index.properties):
            where = f"{entity.name}.{', '.join(index.properties)}"
            yield Loss(what="unique index over nullable columns", where=where, hazard="S44")


def _of_property(prop: Property) -> Iterator[tuple[str, str]]:
    if prop.type.name in _TYPES:
        yield _TYPES[prop.type.name]
    if prop.max_length is not None:
        yield f"maximum length {prop.max_length} is not enforced", "S42"
    if prop.precision is not None:
        yield f"precision {prop.precision}, scale {prop.scale or 0} are not enforced", "S27"
    if prop.concurrency_token:
        yield "the concurrency check", "S36"
    if prop.default is not None:
        yield "the database's default value", "S40"
    if prop.value_generated != ValueGenerated.NEVER and prop.type.name in {"int", "long", "short"}:
        yield "values made by the database; they are assigned", "S01"


def is_part(entity: EntityType) -> bool:
    """Whether an entity is stored inside its owner."""
    return entity.owned_by is not None or entity.complex


def stored_properties(entity: EntityType) -> Iterator[Property]:
    """Yield the properties that a document holds; the row keys EF gives an owned part stay with the table."""
    owner_keys = {name for key in entity.foreign_keys if key.ownership for name in key.properties}
    for prop in entity.properties:
        row_key = is_part(entity) and (prop.name in owner_keys or (prop.shadow and prop.name in entity.key))
        if not row_key:
            yield prop


def unique_is_kept(entity: EntityType, properties: tuple[str, ...]) -> bool:
    """A sparse index keeps one nullable column unique; several need a partial index per combination."""
    nullable = [name for name in properties if (p := entity.find_property(name)) is None or p.nullable]
    return not nullable or len(properties) == 1

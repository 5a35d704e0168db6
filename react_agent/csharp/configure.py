"""Configure: one call on a builder, carried out on the draft. See https://learn.microsoft.com/ef/core/modeling/."""

from collections.abc import Callable

from react_agent.csharp.builders import (
    NO_CONSTANT,
    UNKNOWN,
    Builder,
    Call,
    DiscriminatorBuilder,
    EntityBuilder,
    Follow,
    IndexBuilder,
    KeyBuilder,
    ModelBuilder,
    NavigationBuilder,
    PropertyBuilder,
    RelationBuilder,
    TableBuilder,
)
from react_agent.csharp.builders_entity import on_entity
from react_agent.csharp.builders_property import on_property
from react_agent.csharp.builders_relation import on_relation
from react_agent.csharp.builders_table import on_discriminator, on_index, on_navigation, on_table


def configure(receiver: Builder, call: Call, follow: Follow) -> Builder:
    """Carry out one call on a builder."""
    match receiver:
        case ModelBuilder():
            carry = _MODEL.get(call.name)
            return call.refuse(*_MODEL_REFUSED.get(call.name, (UNKNOWN, ""))) if carry is None else carry(call, follow)
        case EntityBuilder(entity=entity):
            return on_entity(entity, call, follow)
        case PropertyBuilder(entity=entity, property=prop):
            return on_property(entity, prop, call)
        case RelationBuilder(relation=relation):
            return on_relation(relation, call, follow)
        case NavigationBuilder(entity=entity, name=name):
            return on_navigation(entity, name, call)
    return _on_part(receiver, call)


def _on_part(receiver: Builder, call: Call) -> Builder:
    match receiver:
        case IndexBuilder(index=index):
            return on_index(index, call)
        case TableBuilder(entity=entity):
            return on_table(entity, call)
        case DiscriminatorBuilder(entity=entity):
            return on_discriminator(entity, call)
        case KeyBuilder() if call.name in {"HasName", "IsClustered", "HasAnnotation"}:
            return receiver
    return call.refuse(UNKNOWN)


def _entity(call: Call, follow: Follow) -> Builder:
    name = call.type_name()
    if name is None:
        return call.refuse("entity types are read by their class only (`Entity<T>()`)")
    call.draft.ignored.discard(name)
    builder = EntityBuilder(call.draft.entity(name, call.node.span))
    nested = call.argument(0 if call.types else 1)
    follow(nested, builder)
    return ModelBuilder() if nested is not None else builder


def _ignore(call: Call, _follow: Follow) -> Builder:
    name = call.type_name()
    if name is None:
        return call.refuse(NO_CONSTANT)
    call.draft.ignored.add(name)
    return ModelBuilder()


def _schema(call: Call, _follow: Follow) -> Builder:
    call.draft.schema = call.text(0)
    return ModelBuilder() if call.draft.schema is not None else call.refuse(NO_CONSTANT)


def _nothing(_call: Call, _follow: Follow) -> Builder:
    return ModelBuilder()


_MODEL: dict[str, Callable[[Call, Follow], Builder]] = {
    "Entity": _entity,
    "Ignore": _ignore,
    "HasDefaultSchema": _schema,
    "HasAnnotation": _nothing,
    "UseIdentityColumns": _nothing,
}
_MODEL_REFUSED = {
    "UseCollation": ("a collation for the whole database is not carried over", "S46"),
    "HasSequence": ("sequences are not carried over", "S41"),
    "UseHiLo": ("sequences are not carried over", "S41"),
    "Owned": ("owned types are read from OwnsOne, OwnsMany and [Owned]", "S14"),
}

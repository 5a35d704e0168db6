"""Builders: calls on `EntityTypeBuilder<T>` and the builders of owned types."""

from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.arguments import member_list, text_of
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
    NavigationBuilder,
    PropertyBuilder,
    RelationBuilder,
    TableBuilder,
)
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import EntityDraft, IndexDraft, PropertyDraft, RelationDraft
from react_agent.model.mapping import CheckConstraint


def on_entity(entity: EntityDraft, call: Call, follow: Follow) -> Builder:
    """Carry out one call on an entity's builder."""
    reader = _ENTITY.get(call.name)
    if reader is not None:
        return reader(entity, call, follow)
    reason, hazard = _ENTITY_REFUSED.get(call.name, (UNKNOWN, ""))
    return call.refuse(reason, hazard)


def _key(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    members = call.members()
    if members is None:
        return call.refuse(NO_CONSTANT)
    if call.name == "HasKey":
        entity.key = members
    else:
        entity.alternate_keys.append(members)
    return KeyBuilder()


def _keyless(entity: EntityDraft, _call: Call, _follow: Follow) -> Builder:
    entity.keyless = True
    return EntityBuilder(entity)


def _property(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    name = call.member(1 if not call.types and isinstance(call.argument(0), cs.TypeOf) else 0)
    if name is None:
        return call.refuse(NO_CONSTANT)
    prop = entity.property(name, call.node.span)
    prop.explicit = True
    entity.ignored.discard(name)
    if call.types and text_of(call.argument(0), call.declarations) is not None:
        prop.type = call.declarations.type_of(call.types[0])
    return PropertyBuilder(entity, prop)


def _ignore(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    name = call.member()
    if name is None:
        return call.refuse(NO_CONSTANT)
    entity.ignored.add(name)
    return EntityBuilder(entity)


def _table(entity: EntityDraft, call: Call, follow: Follow) -> Builder:
    texts = [a.value for a in call.node.arguments if not isinstance(a.value, cs.Lambda)]
    names = [text_of(t, call.declarations) for t in texts]
    if any(n is None and not _is_null(t) for n, t in zip(names, texts, strict=True)):
        return call.refuse(NO_CONSTANT)
    entity.table = names[0] if names else entity.table
    entity.no_table = bool(names) and names[0] is None
    entity.schema = names[1] if len(names) > 1 else entity.schema
    nested = next((a.value for a in call.node.arguments if isinstance(a.value, cs.Lambda)), None)
    follow(nested, TableBuilder(entity))
    return EntityBuilder(entity)


def _is_null(node: cs.Expression) -> bool:
    return isinstance(node, cs.Literal) and node.kind == "null"


def _json(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    entity.is_json = True
    if call.node.arguments:
        entity.json_column = call.text(0)
        if entity.json_column is None:
            return call.refuse(NO_CONSTANT)
    return EntityBuilder(entity)


def _relate(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    many = call.name == "HasMany"
    name = call.member() if call.node.arguments else None
    if call.node.arguments and name is None:
        return call.refuse(NO_CONSTANT)
    target = call.types[0].name if call.types else _target(entity.clr_name, name, call.declarations)
    if target is None:
        return call.refuse("the type on the other side is not known")
    relation = RelationDraft(left=entity.name, left_nav=name, left_many=many, right=target, span=call.node.span)
    call.draft.relations.append(relation)
    return RelationBuilder(relation)


def _target(clr_name: str, member: str | None, declarations: Declarations) -> str | None:
    found = next((p for _, p in declarations.properties(clr_name) if p.name == member), None)
    if found is None:
        return None
    type_ = declarations.type_of(found.type)
    return type_.element.name if type_.element else type_.name


def _own(entity: EntityDraft, call: Call, follow: Follow) -> Builder:
    name = call.member()
    target = call.types[0].name if call.types else _target(entity.clr_name, name, call.declarations)
    if name is None or target is None:
        return call.refuse("the owned navigation is not named by a lambda or text")
    owned = call.draft.owned(entity, name, target, many=call.name == "OwnsMany", span=call.node.span)
    owned.complex = call.name == "ComplexProperty"
    nested = call.argument(1)
    follow(nested, EntityBuilder(owned))
    return EntityBuilder(entity) if nested is not None else EntityBuilder(owned)


def _index(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    arguments = call.node.arguments
    name = text_of(arguments[1].value, call.declarations) if len(arguments) > 1 else None
    lambda_first = bool(arguments) and isinstance(arguments[0].value, cs.Lambda | cs.Collection)
    members = member_list(arguments[:1] if lambda_first else arguments, call.declarations)
    if members is None:
        return call.refuse(NO_CONSTANT, "S43")
    known = next((i for i in entity.indexes if i.properties == members and i.name is None), None)
    index = known or IndexDraft(properties=members)
    index.name = name if lambda_first else None
    if known is None:
        entity.indexes.append(index)
    return IndexBuilder(index)


def _navigation(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    name = call.member()
    return call.refuse(NO_CONSTANT) if name is None else NavigationBuilder(entity, name)


def _required(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    """Say of an owned or complex part that its owner always has one."""
    owner = call.draft.entities.get(entity.owner or "")
    required = call.flag()
    if owner is None or entity.owner_navigation is None or required is None:
        return call.refuse(NO_CONSTANT)
    owner.required_navigations[entity.owner_navigation] = required
    return EntityBuilder(entity)


def _filter(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    """Keep a global filter's text; the entries that it holds for are refused."""
    given = call.argument(len(call.node.arguments) - 1)
    entity.query_filter = given.source if isinstance(given, cs.Lambda) else "not a lambda"
    return EntityBuilder(entity)


def _discriminator(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    name = call.member() if call.node.arguments else "Discriminator"
    if name is None:
        return call.refuse(NO_CONSTANT, "S19")
    type_ = call.declarations.type_of(call.types[-1]) if call.types else None
    entity.discriminator = PropertyDraft(name=name, type=type_, span=call.node.span)
    return DiscriminatorBuilder(entity)


def _check(entity: EntityDraft, call: Call, _follow: Follow) -> Builder:
    name, sql = call.text(0), call.text(1)
    if name is None or sql is None:
        return call.refuse(NO_CONSTANT, "S42")
    entity.checks.append(CheckConstraint(name=name, sql=sql))
    return EntityBuilder(entity)


def _nothing(entity: EntityDraft, _call: Call, _follow: Follow) -> Builder:
    return EntityBuilder(entity)


_ENTITY: dict[str, Callable[[EntityDraft, Call, Follow], Builder]] = {
    "HasKey": _key,
    "HasAlternateKey": _key,
    "HasNoKey": _keyless,
    "Property": _property,
    "Ignore": _ignore,
    "ToTable": _table,
    "ToJson": _json,
    "HasOne": _relate,
    "HasMany": _relate,
    "OwnsOne": _own,
    "OwnsMany": _own,
    "ComplexProperty": _own,
    "HasIndex": _index,
    "Navigation": _navigation,
    "HasQueryFilter": _filter,
    "HasDiscriminator": _discriminator,
    "IsRequired": _required,
    "HasCheckConstraint": _check,
    "HasComment": _nothing,
    "HasAnnotation": _nothing,
    "HasChangeTrackingStrategy": _nothing,
    "UsePropertyAccessMode": _nothing,
    "UseTphMappingStrategy": _nothing,
}
_ENTITY_REFUSED = {
    "HasBaseType": ("an explicit base type is not read", "S19"),
    "UseTptMappingStrategy": ("a table per type is not read", "S20"),
    "UseTpcMappingStrategy": ("a table per concrete type is not read", "S20"),
    "ToView": ("a view's definition is in the database", "S50"),
    "ToSqlQuery": ("the query behind this entity is SQL", "S50"),
    "ToFunction": ("the function behind this entity is in the database", "S50"),
    "SplitToTable": ("an entity over two tables is not read", "S49"),
    "HasData": ("seed rows in the model are not carried over", ""),
    "PrimitiveCollection": ("a collection of scalars is not read", "S18"),
    "WithOwner": ("the owner's side of an owned type is not read", "S14"),
    "ComplexCollection": ("a collection of complex values is not read", "S16"),
}

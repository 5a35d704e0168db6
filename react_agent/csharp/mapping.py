"""Mapping: from declarations to the `MappingModel` of one context."""

from react_agent.csharp import syntax as cs
from react_agent.csharp.annotations import has
from react_agent.csharp.constants import enum_type
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import EntityDraft, ModelDraft
from react_agent.csharp.fluent import Follower
from react_agent.csharp.joins import Joins, join
from react_agent.csharp.keys import Relation, primary_key, resolve
from react_agent.csharp.owned import json_column, own, owned_names
from react_agent.csharp.properties import field_of, properties_of
from react_agent.csharp.relations import pair
from react_agent.csharp.shapes import Shape, discover
from react_agent.model.gap import Gap
from react_agent.model.mapping import (
    EntityType,
    EnumType,
    ForeignKey,
    Index,
    Inheritance,
    MappingModel,
    Navigation,
)


def contexts_of(known: Declarations) -> tuple[str, ...]:
    """Name the classes that are a `DbContext`."""
    found = [n for n in known.types if "DbContext" in known.bases(n) and known.types[n].kind == "class"]
    return tuple(n for n in found if "abstract" not in known.types[n].modifiers)


def read_mapping(context: str, known: Declarations) -> tuple[MappingModel, tuple[Gap, ...]]:
    """Read what EF Core would make of a context."""
    draft = ModelDraft(context=context)
    sets = _sets(context, known)
    _side_effects(draft, context, known)
    Follower(draft, known).context(context)
    roots = [e for e in sets if not has(known.types[e].attributes, "NotMapped")] if sets else []
    shapes = discover(draft, roots, known)
    pairing = pair(draft, shapes, known)
    owned = [own(draft, s, shapes) for s in shapes.values() if s.entity.owner is not None and not s.entity.complex]
    plain = [r for r in pairing.relations if not _is_owned(shapes, r.left) and not _is_owned(shapes, r.right)]
    resolved = [resolve(draft, r, shapes, known) for r in plain]
    relations = [r for r in [*owned, *resolved] if r is not None]
    joins = join(draft, pairing.many, shapes, relations, known)
    relations.extend(joins.relations)
    names = owned_names(shapes)
    entities = [_entity(draft, s, shapes, relations, joins, sets, names, known) for s in shapes.values()]
    entities.extend(joins.entities)
    enums = _enums(draft, entities, known)
    model = MappingModel(
        context=context,
        namespace=known.types[context].namespace,
        entities=tuple(sorted(entities, key=lambda e: e.name)),
        enums=enums,
    )
    return model, tuple(draft.gaps)


def _is_owned(shapes: dict[str, Shape], name: str) -> bool:
    return shapes[name].entity.owner is not None


def _sets(context: str, known: Declarations) -> dict[str, str]:
    """Find the context's sets: entity class to property."""
    out: dict[str, str] = {}
    for _, member in known.properties(context):
        if member.type.name == "DbSet" and member.type.arguments:
            entity = member.type.arguments[0].name
            if entity in known.types:
                out.setdefault(entity, member.name)
    return out


def _side_effects(draft: ModelDraft, context: str, known: Declarations) -> None:
    """Refuse what changes the model outside of `OnModelCreating`."""
    for declared in known.lineage(context):
        for member in declared.members:
            if isinstance(member, cs.MethodDeclaration) and member.name == "ConfigureConventions":
                draft.refuse("ConfigureConventions", "conventions of your own are not read", member.span, "S25")
            if isinstance(member, cs.MethodDeclaration) and member.name == "OnConfiguring":
                _options(draft, member)
    missing = {b.name for d in known.lineage(context) for b in d.bases} - set(known.types) - {"DbContext"}
    for name in sorted(n for n in missing if n.endswith("Context")):
        draft.refuse(name, "a base context that is not in the sources", known.types[context].span)


def _options(draft: ModelDraft, member: cs.MethodDeclaration) -> None:
    for node in cs.nodes(member.body):
        if isinstance(node, cs.Access) and node.name.endswith("NamingConvention"):
            draft.refuse(node.name, "a naming convention changes tables and columns", node.span, "S54")
        if isinstance(node, cs.Access) and node.name == "UseLazyLoadingProxies":
            draft.refuse(node.name, "lazy loading is not carried over", node.span, "S53")


def _entity(
    draft: ModelDraft,
    shape: Shape,
    shapes: dict[str, Shape],
    relations: list[Relation],
    joins: Joins,
    sets: dict[str, str],
    names: dict[str, str],
    known: Declarations,
) -> EntityType:
    entity = shape.entity
    column = json_column(shape, shapes)
    part = entity.complex or column is not None
    key = () if part else primary_key(shape, shapes)
    if not key and not entity.keyless and not part:
        draft.refuse("key", f"`{entity.name}` has no primary key that can be read", shape.declared.span, "S50")
    held = [r for r in relations if r.dependent == entity.name]
    alternate = _alternate(shape, shapes, relations)
    properties = properties_of(draft, shape, shapes, key, alternate, held, known)
    root = shapes[_line(shape, shapes)[-1]]
    hierarchy = shape.base is not None or any(s.base == entity.name for s in shapes.values())
    indexes = [i.index() for i in entity.indexes]
    return EntityType(
        name=names[entity.name],
        clr_name=entity.clr_name,
        table=_table(draft, root, shapes, sets),
        schema=_schema(draft, root, shapes),
        key=key,
        properties=properties,
        navigations=_navigations(shape, shapes, relations, joins, names),
        foreign_keys=() if part else tuple(_foreign_key(r, names) for r in held),
        alternate_keys=alternate,
        indexes=() if part else _indexes(indexes, key, held),
        check_constraints=tuple(entity.checks),
        namespace=shape.declared.namespace,
        db_set=sets.get(entity.clr_name) if entity.owner is None else None,
        owned_by=names[entity.owner] if entity.owner is not None else None,
        owner_navigation=entity.owner_navigation,
        complex=entity.complex,
        json_column=column,
        query_filter=entity.query_filter,
        base=shape.base,
        abstract="abstract" in shape.declared.modifiers,
        inheritance=Inheritance.TPH if hierarchy else None,
        discriminator=_discriminator_name(root) if hierarchy else None,
        discriminator_value=_discriminator_value(shape) if hierarchy else None,
        unmapped_members=tuple(shape.unmapped),
        span=shape.declared.span,
    )


def _line(shape: Shape, shapes: dict[str, Shape]) -> list[str]:
    """List an entity and its mapped bases, root last."""
    out = [shape.entity.name]
    while shapes[out[-1]].base is not None:
        out.append(shapes[out[-1]].base or "")
    return out


def _discriminator_name(root: Shape) -> str:
    return root.entity.discriminator.name if root.entity.discriminator else "Discriminator"


def _discriminator_value(shape: Shape) -> str | None:
    if "abstract" in shape.declared.modifiers:
        return None
    return shape.entity.discriminator_value or shape.declared.name


def _owner(entity: EntityDraft, shapes: dict[str, Shape]) -> EntityDraft | None:
    return shapes[entity.owner].entity if entity.owner is not None else None


def _table(draft: ModelDraft, shape: Shape, shapes: dict[str, Shape], sets: dict[str, str]) -> str | None:
    entity, owner = shape.entity, _owner(shape.entity, shapes)
    if entity.is_json or entity.no_table or (owner is not None and owner.is_json):
        return None
    if entity.table is not None:
        return entity.table
    if owner is not None and not entity.owned_many:
        return _table(draft, shapes[owner.name], shapes, sets)
    return sets.get(entity.clr_name, shape.declared.name)


def _schema(draft: ModelDraft, shape: Shape, shapes: dict[str, Shape]) -> str | None:
    entity, owner = shape.entity, _owner(shape.entity, shapes)
    if entity.is_json or entity.no_table:
        return None
    if owner is not None and entity.schema is None:
        return _schema(draft, shapes[owner.name], shapes)
    return entity.schema or draft.schema


def _foreign_key(relation: Relation, names: dict[str, str]) -> ForeignKey:
    return ForeignKey(
        properties=relation.foreign_key,
        principal=names[relation.principal],
        principal_key=relation.principal_key,
        required=relation.required,
        unique=not relation.many,
        ownership=relation.ownership,
        delete_behavior=relation.delete,
    )


def _alternate(shape: Shape, shapes: dict[str, Shape], relations: list[Relation]) -> tuple[tuple[str, ...], ...]:
    key = primary_key(shape, shapes)
    pointed = [r.principal_key for r in relations if r.principal == shape.entity.name and r.principal_key != key]
    return tuple(dict.fromkeys([*shape.entity.alternate_keys, *pointed]))


def _indexes(declared: list[Index], key: tuple[str, ...], held: list[Relation]) -> tuple[Index, ...]:
    """Add EF Core's index on each foreign key that no key or index starts with."""
    out = list(declared)
    for relation in held:
        names = relation.foreign_key
        covers = [key, *(i.properties for i in out)]
        exact = [key, *(i.properties for i in out if i.unique)]
        if relation.many and any(c[: len(names)] == names for c in covers):
            continue
        if not relation.many and names in exact:
            continue
        out = [i for i in out if i.properties != names]
        out.append(Index(properties=names, unique=not relation.many))
    return tuple(out)


def _navigations(
    shape: Shape,
    shapes: dict[str, Shape],
    relations: list[Relation],
    joins: Joins,
    names: dict[str, str],
) -> tuple[Navigation, ...]:
    out: dict[str, Navigation] = {}
    for relation in relations:
        out.update({n.name: n for n in _of_relation(shape, relation, names)})
    out.update({n.name: n for owner, n in joins.skips if owner == shape.entity.name})
    for member in shape.navigations.values():
        if shapes.get(member.target) and shapes[member.target].entity.complex:
            out[member.name] = Navigation(
                name=member.name,
                target=names[member.target],
                collection=False,
                on_dependent=False,
                foreign_key=(),
                required=shape.entity.required_navigations.get(member.name, not member.nullable),
                span=member.declared.span,
            )
    order = {n: at for at, n in enumerate(shape.navigations)}
    return tuple(sorted(out.values(), key=lambda n: order.get(n.name, len(order))))


def _of_relation(shape: Shape, relation: Relation, names: dict[str, str]) -> list[Navigation]:
    out: list[Navigation] = []
    sides = (
        (relation.dependent, relation.dependent_navigation, relation.principal, relation.principal_navigation, True),
        (relation.principal, relation.principal_navigation, relation.dependent, relation.dependent_navigation, False),
    )
    for entity, name, target, inverse, on_dependent in sides:
        if entity != shape.entity.name or name is None:
            continue
        member = shape.navigations.get(name)
        collection = relation.many and not on_dependent
        stated = shape.entity.required_navigations.get(name)
        required = relation.required if on_dependent else (member is not None and member.nullable is False)
        out.append(
            Navigation(
                name=name,
                target=names[target],
                collection=collection,
                on_dependent=on_dependent,
                foreign_key=relation.foreign_key,
                required=not collection and (stated if stated is not None else required),
                inverse=inverse,
                backing_field=_backing_field(shape, name),
                span=member.declared.span if member else None,
            )
        )
    return out


def _backing_field(shape: Shape, name: str) -> str | None:
    """Find the field that EF Core reads a navigation from: a named one, or one that follows its naming convention."""
    stated = shape.entity.navigation_fields.get(name)
    if stated is not None:
        return stated
    member = shape.navigations.get(name)
    return None if member is None or member.declared.auto else field_of(shape, name)


def _enums(draft: ModelDraft, entities: list[EntityType], known: Declarations) -> tuple[EnumType, ...]:
    used = {p.type.name for e in entities for p in e.properties if p.type.name in known.enums}
    out: list[EnumType] = []
    for name in sorted(used):
        try:
            out.append(enum_type(known.enums[name]))
        except ValueError as error:
            draft.refuse(name, str(error), known.enums[name].span, "S22")
    return tuple(out)

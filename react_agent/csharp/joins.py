"""Joins: many-to-many relations, over a class of the sources or over EF Core's own join entity."""

from dataclasses import dataclass

from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import ModelDraft, RelationDraft
from react_agent.csharp.keys import Relation, primary_key, resolve, shadow_name, type_of
from react_agent.csharp.shapes import Shape
from react_agent.model.mapping import ClrType, DeleteBehavior, EntityType, ForeignKey, Index, Navigation, Property


@dataclass(frozen=True, slots=True, kw_only=True)
class Joins:
    """What many-to-many relations add: relations of join classes, skip navigations by entity, implicit entities."""

    relations: tuple[Relation, ...]
    skips: tuple[tuple[str, Navigation], ...]
    entities: tuple[EntityType, ...]


def join(
    draft: ModelDraft,
    many: tuple[RelationDraft, ...],
    shapes: dict[str, Shape],
    relations: list[Relation],
    known: Declarations,
) -> Joins:
    """Resolve the many-to-many relations."""
    added: list[Relation] = []
    skips: list[tuple[str, Navigation]] = []
    entities: list[EntityType] = []
    for relation in many:
        if relation.join is not None and relation.join in shapes:
            pair = _over_class(draft, relation, shapes, relations, added, known)
        else:
            entity = _implicit(relation, shapes)
            entities.append(entity)
            pair = entity.foreign_keys[0].properties, entity.foreign_keys[1].properties
            relation.join = entity.name
        if pair is not None:
            skips.extend(_skips(relation, pair, shapes))
    return Joins(relations=tuple(added), skips=tuple(skips), entities=tuple(entities))


def _over_class(
    draft: ModelDraft,
    relation: RelationDraft,
    shapes: dict[str, Shape],
    relations: list[Relation],
    added: list[Relation],
    known: Declarations,
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Find the join class's foreign keys to the left and the right, adding those without a navigation."""
    joined = shapes[relation.join or ""]
    out: list[tuple[str, ...]] = []
    for side in (relation.left, relation.right):
        held = next((r for r in relations if r.dependent == joined.entity.name and r.principal == side), None)
        if held is None:
            plain = RelationDraft(
                left=joined.entity.name,
                left_nav=None,
                left_many=False,
                right=side,
                right_many=True,
                required=True,
                span=relation.span,
            )
            held = resolve(draft, plain, shapes, known)
            if held is None:
                return None
            added.append(held)
        out.append(held.foreign_key)
    if not primary_key(joined, shapes):
        joined.entity.key = (*out[0], *out[1])
    return out[0], out[1]


def _skips(
    relation: RelationDraft, pair: tuple[tuple[str, ...], tuple[str, ...]], shapes: dict[str, Shape]
) -> list[tuple[str, Navigation]]:
    out: list[tuple[str, Navigation]] = []
    sides = (
        (relation.left, relation.left_nav, relation.right, relation.right_nav, pair[0]),
        (relation.right, relation.right_nav, relation.left, relation.left_nav, pair[1]),
    )
    for entity, name, target, inverse, foreign_key in sides:
        if name is None:
            continue
        member = shapes[entity].navigations.get(name)
        navigation = Navigation(
            name=name,
            target=target,
            collection=True,
            on_dependent=False,
            foreign_key=foreign_key,
            inverse=inverse,
            many_to_many=relation.join,
            span=member.declared.span if member else None,
        )
        out.append((entity, navigation))
    return out


def _implicit(relation: RelationDraft, shapes: dict[str, Shape]) -> EntityType:
    """Make EF Core's own join entity: `PostTag` with `PostsId` and `TagsId`; its first key points to the left side."""
    ends = [(relation.left, relation.right_nav), (relation.right, relation.left_nav)]
    keys: list[ForeignKey] = []
    columns: dict[str, ClrType] = {}
    for entity, navigation in ends:
        principal = shapes[entity]
        key = primary_key(principal, shapes)
        names = tuple(shadow_name(navigation or principal.declared.name, k) for k in key)
        columns |= {n: type_of(principal, k) or ClrType(name="int") for n, k in zip(names, key, strict=True)}
        keys.append(
            ForeignKey(
                properties=names,
                principal=entity,
                principal_key=key,
                required=True,
                delete_behavior=DeleteBehavior.CASCADE,
            )
        )
    ordered = sorted(keys, key=lambda k: k.principal)
    name = "".join(k.principal for k in ordered)
    properties = tuple(n for k in ordered for n in k.properties)
    return EntityType(
        name=name,
        clr_name=name,
        table=name,
        key=properties,
        properties=tuple(Property(name=n, type=columns[n], column=n) for n in properties),
        foreign_keys=tuple(keys),
        indexes=(Index(properties=ordered[1].properties),),
    )

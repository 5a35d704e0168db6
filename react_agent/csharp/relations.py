"""Relations: which navigations belong together, by configuration, attributes and EF Core's conventions."""

from collections.abc import Iterator
from dataclasses import dataclass

from react_agent.csharp.annotations import find
from react_agent.csharp.arguments import positional, text_of
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import ModelDraft, RelationDraft
from react_agent.csharp.shapes import NavigationMember, Shape

Side = tuple[str, str]
"""A navigation: its entity's name and its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """All relations of a model; `many` are the many-to-many ones."""

    relations: tuple[RelationDraft, ...]
    many: tuple[RelationDraft, ...]


def pair(draft: ModelDraft, shapes: dict[str, Shape], known: Declarations) -> Pairing:
    """Pair the navigations of all entities."""
    found: list[RelationDraft] = []
    used: set[Side] = set()
    for relation in draft.relations:
        _configured(draft, relation, shapes, found, used)
    for shape in shapes.values():
        for navigation in shape.navigations.values():
            _by_attribute(shape, navigation, shapes, known, found, used)
    for one, other in _neighbours(shapes):
        _by_convention(draft, shapes[one], shapes[other], found, used)
    single = tuple(r for r in found if not (r.left_many and r.right_many))
    return Pairing(relations=single, many=tuple(r for r in found if r.left_many and r.right_many))


def _configured(
    draft: ModelDraft, relation: RelationDraft, shapes: dict[str, Shape], found: list[RelationDraft], used: set[Side]
) -> None:
    if relation.left not in shapes or relation.right not in shapes:
        return
    if relation.right_many is None:
        draft.refuse("HasOne/HasMany", "the other side (WithOne, WithMany) is not given", relation.span, "S09")
        return
    sides = _sides(relation)
    known = next((r for r in found if sides and set(sides) <= set(_sides(r))), None)
    if known is not None:
        _merge(known, relation)
        return
    used.update(sides)
    found.append(relation)


def _sides(relation: RelationDraft) -> list[Side]:
    pairs = ((relation.left, relation.left_nav), (relation.right, relation.right_nav))
    return [(entity, name) for entity, name in pairs if name is not None]


def _merge(known: RelationDraft, more: RelationDraft) -> None:
    """Add what a relation's second configuration says."""
    known.foreign_key = more.foreign_key or known.foreign_key
    known.principal_key = more.principal_key or known.principal_key
    known.dependent = more.dependent or known.dependent
    known.required = more.required if more.required is not None else known.required
    known.delete = more.delete or known.delete


def _by_attribute(
    shape: Shape,
    navigation: NavigationMember,
    shapes: dict[str, Shape],
    known: Declarations,
    found: list[RelationDraft],
    used: set[Side],
) -> None:
    """Pair a navigation whose `[InverseProperty]` names the other."""
    attribute = find(navigation.declared.attributes, "InverseProperty")
    side = (shape.entity.name, navigation.name)
    if attribute is None or side in used or navigation.target not in shapes:
        return
    name = text_of(positional(attribute.arguments, 0), known)
    inverse = shapes[navigation.target].navigations.get(name or "")
    if inverse is not None:
        found.append(_relation(shape, navigation, inverse))
        used.update({side, (navigation.target, inverse.name)})


def _relation(shape: Shape, navigation: NavigationMember, inverse: NavigationMember | None) -> RelationDraft:
    return RelationDraft(
        left=shape.entity.name,
        left_nav=navigation.name,
        left_many=navigation.collection,
        right=navigation.target,
        right_nav=inverse.name if inverse else None,
        right_many=inverse.collection if inverse else not navigation.collection,
        span=navigation.declared.span,
    )


def _neighbours(shapes: dict[str, Shape]) -> Iterator[tuple[str, str]]:
    """Yield each pair of entities once where one has a navigation to the other."""
    seen: set[frozenset[str]] = set()
    for name, shape in shapes.items():
        for navigation in shape.navigations.values():
            both = frozenset({name, navigation.target})
            if navigation.target in shapes and both not in seen:
                seen.add(both)
                yield name, navigation.target


def _by_convention(draft: ModelDraft, one: Shape, other: Shape, found: list[RelationDraft], used: set[Side]) -> None:
    forth = _open(one, other, used)
    back = _open(other, one, used) if other is not one else []
    if other is one and len(forth) == 2:
        forth, back = forth[:1], forth[1:]
    if len(forth) == 1 and len(back) == 1:
        found.append(_relation(one, forth[0], back[0]))
    elif not forth or not back:
        found.extend(_relation(one, n, None) for n in forth)
        found.extend(_relation(other, n, None) for n in back)
    else:
        for navigation in forth + back:
            reason = "several navigations lead to the same type; which belong together is not configured"
            draft.refuse(navigation.name, reason, navigation.declared.span, "S13")
    used.update((one.entity.name, n.name) for n in forth)
    used.update((other.entity.name, n.name) for n in back)


def _open(one: Shape, other: Shape, used: set[Side]) -> list[NavigationMember]:
    """List the navigations from one entity to another that no relation has yet; a base's belong to the base."""
    target = other.entity
    if target.owner == one.entity.name:
        return [n for n in one.navigations.values() if n.name == target.owner_navigation]
    return [n for n in one.navigations.values() if n.target == target.name and (one.entity.name, n.name) not in used]

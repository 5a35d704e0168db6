"""Shapes: which members of a class EF Core takes as scalars and navigations, and which types that brings in."""

from dataclasses import dataclass, field

from react_agent.csharp import syntax as cs
from react_agent.csharp.annotations import annotate_entity, annotate_property, has
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import EntityDraft, ModelDraft
from react_agent.csharp.types import QUERYABLES, SCALARS
from react_agent.model.mapping import ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationMember:
    """A member that leads to another entity; `nullable` is the reference's own, None where `#nullable` is off."""

    name: str
    target: str
    collection: bool
    nullable: bool | None
    declared: cs.PropertyDeclaration


@dataclass(slots=True, kw_only=True)
class Shape:
    """An entity's class as EF Core sees it. `own` are the members that a mapped base class does not have."""

    entity: EntityDraft
    declared: cs.TypeDeclaration
    base: str | None = None
    scalars: dict[str, tuple[cs.PropertyDeclaration, ClrType]] = field(default_factory=dict)
    navigations: dict[str, NavigationMember] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)


def discover(draft: ModelDraft, roots: list[str], known: Declarations) -> dict[str, Shape]:
    """Find every entity type that the roots and the configuration reach, by its name in the draft."""
    for root in roots:
        draft.entity(root)
    for relation in draft.relations:
        for name in (relation.left, relation.right):
            if name not in draft.entities:
                draft.entity(name)
    shapes: dict[str, Shape] = {}
    waiting = list(draft.entities)
    while waiting:
        name = waiting.pop(0)
        if name in shapes or draft.entities[name].clr_name in draft.ignored:
            continue
        entity = draft.entities[name]
        declared = known.types.get(entity.clr_name)
        if declared is None:
            _undeclared(draft, entity, known)
            continue
        shapes[name] = _shape(draft, entity, declared, known)
        waiting.extend(n for n in draft.entities if n not in shapes and n not in waiting)
    for shape in shapes.values():
        shape.base = _mapped_base(shape, shapes, known)
    for shape in shapes.values():
        _own_only(shape, known)
    return shapes


def _own_only(shape: Shape, known: Declarations) -> None:
    """Leave to a mapped base class what it declares."""
    if shape.base is None:
        return
    inherited = {m.name for _, m in known.properties(shape.base)}
    shape.scalars = {n: s for n, s in shape.scalars.items() if n not in inherited}
    shape.navigations = {n: v for n, v in shape.navigations.items() if n not in inherited}
    shape.unmapped = [n for n in shape.unmapped if n not in inherited]
    shape.entity.properties = {n: p for n, p in shape.entity.properties.items() if n not in inherited}


def _undeclared(draft: ModelDraft, entity: EntityDraft, known: Declarations) -> None:
    context = known.types[draft.context].span
    draft.refuse("entity type", f"the class `{entity.clr_name}` is not in the sources", entity.span or context)


def _mapped_base(shape: Shape, shapes: dict[str, Shape], known: Declarations) -> str | None:
    lineage = [d.name for d in known.lineage(shape.declared.name)][:-1]
    return next((name for name in reversed(lineage) if name in shapes and shape.entity.owner is None), None)


def _shape(draft: ModelDraft, entity: EntityDraft, declared: cs.TypeDeclaration, known: Declarations) -> Shape:
    shape = Shape(entity=entity, declared=declared)
    entity.span = entity.span or declared.span
    for level in known.lineage(declared.name):
        annotate_entity(draft, entity, level, known)
    for _, member in known.properties(declared.name):
        _place(draft, shape, member, known)
    for level in known.lineage(declared.name):
        for member in level.members:
            if isinstance(member, cs.Opaque) and member.construct not in {"indexer declaration", "event declaration"}:
                draft.refuse(member.construct, f"a member of `{level.name}` could not be read", member.span)
    return shape


def _place(draft: ModelDraft, shape: Shape, member: cs.PropertyDeclaration, known: Declarations) -> None:
    """Decide what one property of a class is to EF Core."""
    entity = shape.entity
    hidden = "public" not in member.modifiers and member.name not in entity.properties
    if hidden or "static" in member.modifiers:
        return
    if member.name in entity.ignored or has(member.attributes, "NotMapped"):
        entity.ignored.add(member.name)
        shape.unmapped.append(member.name)
        return
    type_ = known.type_of(member.type)
    explicit = member.name in entity.properties and entity.properties[member.name].explicit
    if _is_scalar(type_, known) or (explicit and entity.properties[member.name].provider_type):
        _scalar(draft, shape, member, type_, known)
    else:
        _navigation(draft, shape, member, type_, known)


def _is_scalar(type_: ClrType, known: Declarations) -> bool:
    return type_.name in SCALARS or type_.name in known.enums


def _scalar(
    draft: ModelDraft, shape: Shape, member: cs.PropertyDeclaration, type_: ClrType, known: Declarations
) -> None:
    configured = shape.entity.properties.get(member.name)
    if not member.setter and not (configured is not None and configured.explicit):
        shape.unmapped.append(member.name)
        return
    annotate_property(draft, shape.entity, member, known)
    shape.scalars[member.name] = (member, type_)


def _navigation(
    draft: ModelDraft, shape: Shape, member: cs.PropertyDeclaration, type_: ClrType, known: Declarations
) -> None:
    entity, target = shape.entity, type_.element or type_
    declared = known.types.get(target.name)
    collection = type_.element is not None
    if declared is None or declared.kind == "interface" or type_.name in QUERYABLES or target.name in draft.ignored:
        _not_mapped(draft, shape, member, type_)
        return
    if has(declared.attributes, "NotMapped"):
        shape.unmapped.append(member.name)
        return
    if entity.complex and member.name not in entity.owned:
        draft.refuse(member.name, "a complex type inside a complex type is not read", member.span, "S16")
        return
    owned = member.name in entity.owned or has(declared.attributes, "Owned")
    if owned and member.name not in entity.owned:
        draft.owned(entity, member.name, target.name, many=collection, span=member.span)
    if "struct" in declared.kind and not owned:
        draft.refuse(member.name, f"`{target.name}` is a struct without a mapping", member.span, "S26")
        return
    if not owned:
        draft.entity(target.name)
    shape.navigations[member.name] = NavigationMember(
        name=member.name,
        target=entity.owned.get(member.name, target.name),
        collection=collection,
        nullable=None if member.type.oblivious else member.type.nullable,
        declared=member,
    )


def _not_mapped(draft: ModelDraft, shape: Shape, member: cs.PropertyDeclaration, type_: ClrType) -> None:
    """Leave out a getter that EF Core cannot map; one that can be set has to be named."""
    if not member.setter:
        shape.unmapped.append(member.name)
        return
    element = type_.element
    if element is not None and element.name in SCALARS:
        draft.refuse(member.name, f"a collection of scalars (`{type_}`) is not read", member.span, "S18")
    else:
        draft.refuse(member.name, f"the type `{type_}` has no mapping that can be read", member.span)

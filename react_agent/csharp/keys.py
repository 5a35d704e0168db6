"""Keys: primary keys, foreign keys and the shadow properties that EF Core's conventions add."""

from dataclasses import dataclass, replace

from react_agent.csharp.annotations import find, has
from react_agent.csharp.arguments import positional, text_of
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import ModelDraft, PropertyDraft, RelationDraft
from react_agent.csharp.shapes import NavigationMember, Shape
from react_agent.csharp.types import bare
from react_agent.model.mapping import ClrType, DeleteBehavior


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A resolved relation; the navigations may be absent on either side."""

    principal: str
    dependent: str
    principal_navigation: str | None
    dependent_navigation: str | None
    many: bool
    foreign_key: tuple[str, ...]
    principal_key: tuple[str, ...]
    required: bool
    delete: DeleteBehavior
    ownership: bool = False


def primary_key(shape: Shape, shapes: dict[str, Shape]) -> tuple[str, ...]:
    """Find the primary key: configured, `[Key]`, `Id` or the type's name with `Id`."""
    if shape.base is not None:
        return primary_key(shapes[shape.base], shapes)
    if shape.entity.keyless:
        return ()
    if shape.entity.key is not None:
        return shape.entity.key
    marked = tuple(name for name, (member, _) in shape.scalars.items() if has(member.attributes, "Key"))
    if marked:
        return marked
    for wanted in ("id", shape.declared.name.lower() + "id"):
        found = next((name for name in shape.scalars if name.lower() == wanted), None)
        if found is not None:
            return (found,)
    return ()


def type_of(shape: Shape, name: str) -> ClrType | None:
    """Look up the type of a scalar, a declared shadow property included."""
    if name in shape.scalars:
        return shape.scalars[name][1]
    configured = shape.entity.properties.get(name)
    return configured.type if configured else None


def resolve(
    draft: ModelDraft, relation: RelationDraft, shapes: dict[str, Shape], known: Declarations
) -> Relation | None:
    """Find the foreign key of a relation, adding a shadow property where there is none; None after a gap."""
    dependent_is_left = _dependent_is_left(draft, relation, shapes, known)
    if dependent_is_left is None:
        return None
    left, right = shapes[relation.left], shapes[relation.right]
    dependent, principal = (left, right) if dependent_is_left else (right, left)
    to_principal = relation.left_nav if dependent_is_left else relation.right_nav
    to_dependent = relation.right_nav if dependent_is_left else relation.left_nav
    key = relation.principal_key or primary_key(principal, shapes)
    if not key:
        reason = f"`{principal.entity.name}` has no key for the relation to point to"
        draft.refuse("relation", reason, relation.span, "S06")
        return None
    forward = dependent.navigations.get(to_principal or "")
    backward = principal.navigations.get(to_dependent or "")
    names = relation.foreign_key or _marked(dependent, forward, backward, known)
    if names is None:
        names = _by_name(dependent, principal, to_principal, key)
    required = _required(relation, forward, names)
    names = names or _shadow_names(dependent, to_principal or principal.declared.name, key)
    _shadows(dependent, principal, names, key, required=bool(required))
    if required is None:
        required = all(_is_required(dependent, n) for n in names)
    return Relation(
        principal=principal.entity.name,
        dependent=dependent.entity.name,
        principal_navigation=to_dependent,
        dependent_navigation=to_principal,
        many=relation.right_many is True if dependent_is_left else relation.left_many,
        foreign_key=names,
        principal_key=key,
        required=required,
        delete=relation.delete or (DeleteBehavior.CASCADE if required else DeleteBehavior.CLIENT_SET_NULL),
    )


def _dependent_is_left(
    draft: ModelDraft, relation: RelationDraft, shapes: dict[str, Shape], known: Declarations
) -> bool | None:
    if relation.left_many:
        return False
    if relation.right_many:
        return True
    if relation.dependent is not None:
        return relation.dependent == relation.left
    left, right = shapes[relation.left], shapes[relation.right]
    there = left.navigations.get(relation.left_nav or "")
    back = right.navigations.get(relation.right_nav or "")
    on_left = _marked(left, there, back, known) or _by_name(left, right, relation.left_nav, primary_key(right, shapes))
    on_right = _marked(right, back, there, known) or _by_name(
        right, left, relation.right_nav, primary_key(left, shapes)
    )
    if bool(on_left) != bool(on_right):
        return bool(on_left)
    reason = "which side of this one-to-one relation holds the foreign key is not configured"
    draft.refuse("one-to-one", reason, relation.span, "S08")
    return None


def _marked(
    dependent: Shape, forward: NavigationMember | None, backward: NavigationMember | None, known: Declarations
) -> tuple[str, ...] | None:
    """Read `[ForeignKey]` on either navigation, or on the scalar that names the navigation."""
    for navigation in (forward, backward):
        attribute = find(navigation.declared.attributes, "ForeignKey") if navigation else None
        text = text_of(positional(attribute.arguments, 0), known) if attribute else None
        if text is not None:
            return tuple(part.strip() for part in text.split(","))
    if forward is None:
        return None
    named = [
        name
        for name, (member, _) in dependent.scalars.items()
        if (mark := find(member.attributes, "ForeignKey")) is not None
        and text_of(positional(mark.arguments, 0), known) == forward.name
    ]
    return tuple(named) or None


def _by_name(
    dependent: Shape, principal: Shape, navigation: str | None, key: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Find foreign key properties by EF Core's naming convention."""
    bases = [b for b in (navigation, principal.declared.name) if b]
    for base in bases:
        found = tuple(_match(dependent, principal, base, k, single=len(key) == 1) for k in key)
        if found and all(found):
            return tuple(n for n in found if n)
    return None


def _match(dependent: Shape, principal: Shape, base: str, key: str, *, single: bool) -> str | None:
    wanted = [f"{base}{key}".lower(), shadow_name(base, key).lower()] + ([f"{base}Id".lower()] if single else [])
    wanted_type = type_of(principal, key)
    own_key = {k.lower() for k in (dependent.entity.key or ())} or {"id", dependent.declared.name.lower() + "id"}
    for name in [*dependent.scalars, *(n for n, p in dependent.entity.properties.items() if p.type)]:
        declared = type_of(dependent, name)
        fits = declared is not None and wanted_type is not None and bare(declared).name == bare(wanted_type).name
        itself = dependent is principal and name.lower() in own_key
        if name.lower() in wanted and fits and not itself:
            return name
    return None


def _shadow_names(dependent: Shape, base: str, key: tuple[str, ...]) -> tuple[str, ...]:
    """Name shadow foreign keys; a number keeps them apart from members of another type."""
    out: list[str] = []
    for name in (shadow_name(base, k) for k in key):
        free, count = name, 0
        while free in dependent.scalars or free in out:
            count += 1
            free = f"{name}{count}"
        out.append(free)
    return tuple(out)


def shadow_name(base: str, key: str) -> str:
    """Name a shadow foreign key property: `Blog` and `BlogId` give `BlogId`, `Owner` and `Id` give `OwnerId`."""
    return key if key.lower().startswith(base.lower()) else base + key


def _required(relation: RelationDraft, forward: NavigationMember | None, names: tuple[str, ...] | None) -> bool | None:
    """Say whether a dependent needs a principal, None where the foreign key's own types decide."""
    if relation.required is not None:
        return relation.required
    if forward is not None and (forward.nullable is False or has(forward.declared.attributes, "Required")):
        return True
    return None if names else False


def _is_required(shape: Shape, name: str) -> bool:
    configured = shape.entity.properties.get(name)
    if configured is not None and configured.required is not None:
        return configured.required
    declared = type_of(shape, name)
    return declared is not None and not declared.nullable


def _shadows(
    dependent: Shape, principal: Shape, names: tuple[str, ...], key: tuple[str, ...], *, required: bool
) -> None:
    """Add shadow properties for a foreign key, and make its columns as nullable as the relation."""
    for name, pointed in zip(names, key, strict=False):
        prop = dependent.entity.properties.setdefault(name, PropertyDraft(name=name))
        if name not in dependent.scalars and prop.type is None:
            pointed_type = type_of(principal, pointed) or ClrType(name="int")
            prop.type = replace(pointed_type, nullable=not required)
        elif required:
            prop.required = True

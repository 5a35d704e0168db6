"""Properties: the scalars of an entity type, shadow ones included, with every facet."""

from dataclasses import replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import ModelDraft, PropertyDraft
from react_agent.csharp.keys import Relation
from react_agent.csharp.owned import column_prefix
from react_agent.csharp.shapes import Shape
from react_agent.csharp.types import STRING
from react_agent.model.mapping import ClrType, Property, ValueGenerated

_GENERATED_KEYS = frozenset({"short", "int", "long", "ushort", "uint", "ulong", "sbyte", "Guid"})


def properties_of(
    draft: ModelDraft,
    shape: Shape,
    shapes: dict[str, Shape],
    key: tuple[str, ...],
    alternate: tuple[tuple[str, ...], ...],
    held: list[Relation],
    known: Declarations,
) -> tuple[Property, ...]:
    """List an entity's properties: the key, the class's members in order, then the shadow ones."""
    drafts = _drafts(shape, shapes)
    keyed = [n for n in key if n in drafts]
    order = [*keyed, *(n for n in drafts if n not in keyed)]
    foreign = {n for r in held for n in r.foreign_key}
    prefix = column_prefix(shape, shapes)
    keys = {*key, *(n for k in alternate for n in k)}
    return tuple(
        _property(shape, drafts[n], prefix, _generates(shape, drafts[n], key, foreign), known, pointed=n in keys)
        for n in order
        if _type(shape, drafts[n], known) is not None or _undeclared(draft, shape, drafts[n])
    )


def _drafts(shape: Shape, shapes: dict[str, Shape]) -> dict[str, PropertyDraft]:
    """Gather what was said of each property the type itself declares; scalars first, then shadows."""
    found = {n: PropertyDraft(name=n, span=m.span) for n, (m, _) in shape.scalars.items()}
    found |= {n: p for n, p in shape.entity.properties.items() if n not in shape.entity.ignored}
    if shape.base is None and any(s.base == shape.entity.name for s in shapes.values()):
        marker = shape.entity.discriminator or PropertyDraft(name="Discriminator")
        made = replace(marker, type=marker.type or STRING)
        if made.type == STRING and made.max_length is None:
            made.max_length = _rounded(max(len(v) for v in _discriminators(shape, shapes)))
        found.setdefault(marker.name, made)
    return found


def _discriminators(root: Shape, shapes: dict[str, Shape]) -> list[str]:
    """List the values that tell the types of a hierarchy apart."""
    below = {root.entity.name}
    for _ in shapes:
        below |= {n for n, s in shapes.items() if s.base in below}
    return [shapes[n].entity.discriminator_value or shapes[n].declared.name for n in below]


def _rounded(length: int) -> int:
    """Round a discriminator's length up to a Fibonacci number, as EF Core does to keep migrations rare."""
    one, next_ = 1, 2
    while one < length:
        one, next_ = next_, one + next_
    return one


def _undeclared(draft: ModelDraft, shape: Shape, prop: PropertyDraft) -> bool:
    """Refuse a property that configuration names and no class or type argument declares."""
    reason = f"`{shape.entity.name}` has no property of this name and the call gives no type"
    draft.refuse(prop.name, reason, prop.span or shape.declared.span, "S37")
    return False


def _type(shape: Shape, prop: PropertyDraft, known: Declarations) -> ClrType | None:
    if prop.name in shape.scalars:
        return shape.scalars[prop.name][1]
    if prop.type is not None:
        return prop.type
    member = next((m for _, m in known.properties(shape.declared.name) if m.name == prop.name), None)
    return known.type_of(member.type) if member is not None and prop.provider_type else None


def _generates(shape: Shape, prop: PropertyDraft, key: tuple[str, ...], foreign: set[str]) -> ValueGenerated:
    """Say when the database makes a value: as configured, or for a key's one number or Guid that points nowhere."""
    if prop.generated is not None:
        return prop.generated
    free = [n for n in key if n not in foreign]
    declared = shape.scalars[prop.name][1] if prop.name in shape.scalars else prop.type
    made = free == [prop.name] and declared is not None and declared.name in _GENERATED_KEYS
    alone = len(key) == 1 or shape.entity.owned_many
    return ValueGenerated.ON_ADD if made and alone and prop.provider_type is None else ValueGenerated.NEVER


def _property(
    shape: Shape,
    prop: PropertyDraft,
    prefix: str,
    generated: ValueGenerated,
    known: Declarations,
    *,
    pointed: bool,
) -> Property:
    declared = _type(shape, prop, known)
    assert declared is not None
    member = shape.scalars[prop.name][0] if prop.name in shape.scalars else None
    if prop.required is not None or pointed:
        declared = replace(declared, nullable=not (prop.required or pointed))
    owner_key = shape.entity.owner is not None and member is None
    return Property(
        name=prop.name,
        type=declared,
        column=prop.column or (prop.name if owner_key else prefix + prop.name),
        provider_type=prop.provider_type,
        converter=prop.converter,
        shadow=member is None,
        backing_field=prop.backing_field or _backing_field(shape, member),
        max_length=prop.max_length,
        precision=prop.precision,
        scale=prop.scale,
        concurrency_token=prop.concurrency,
        value_generated=generated,
        default=prop.default,
        span=member.span if member else prop.span,
    )


def _backing_field(shape: Shape, member: cs.PropertyDeclaration | None) -> str | None:
    """Find the field that EF Core reads by its naming convention; an automatic property's has no name of its own."""
    if member is None or member.auto:
        return None
    return field_of(shape, member.name)


def field_of(shape: Shape, name: str) -> str | None:
    """Find a field that follows EF Core's naming convention for a member."""
    low = name[:1].lower() + name[1:]
    fields = {m.name for m in shape.declared.members if isinstance(m, cs.FieldDeclaration)}
    return next((c for c in (low, f"_{low}", f"_{name}", f"m_{low}", f"m_{name}") if c in fields), None)

"""Owned types: their key, their tie to the owner, their columns' prefix, their name in the model."""

from collections import Counter

from react_agent.csharp.drafts import ModelDraft, PropertyDraft
from react_agent.csharp.keys import Relation, primary_key, shadow_name, type_of
from react_agent.csharp.shapes import Shape
from react_agent.model.mapping import ClrType, DeleteBehavior, ValueGenerated


def own(draft: ModelDraft, shape: Shape, shapes: dict[str, Shape]) -> Relation | None:
    """Give an owned type its key and its foreign key to the owner; None after a gap."""
    entity = shape.entity
    owner = shapes[entity.owner or ""]
    if owner.entity.owner is not None and owner.entity.name not in owned_order(shapes, shape):
        return None
    if owner.entity.owned_many or (entity.key is not None and not entity.owned_many):
        draft.refuse("OwnsOne", "this nesting of owned types is not read", entity.span or shape.declared.span, "S14")
        return None
    owner_key = primary_key(owner, shapes)
    names = tuple(shadow_name(owner.declared.name, k) for k in owner_key)
    in_json = json_column(shape, shapes) is not None
    for name, key in zip(names, owner_key, strict=True) if not in_json else ():
        prop = entity.properties.setdefault(name, PropertyDraft(name=name))
        prop.type = prop.type or type_of(owner, key)
        prop.column = prop.column or (None if entity.owned_many else _column(owner, key))
    if entity.owned_many and entity.key is None:
        own_key = primary_key(shape, shapes) or ("Id",)
        if own_key == ("Id",) and "Id" not in shape.scalars and not in_json:
            prop = PropertyDraft(name="Id", type=ClrType(name="int"), generated=ValueGenerated.ON_ADD)
            entity.properties.setdefault("Id", prop)
        entity.key = (*names, *own_key)
    elif entity.key is None:
        entity.key = names
    return Relation(
        principal=owner.entity.name,
        dependent=entity.name,
        principal_navigation=entity.owner_navigation,
        dependent_navigation=None,
        many=entity.owned_many,
        foreign_key=names,
        principal_key=owner_key,
        required=True,
        delete=DeleteBehavior.CASCADE,
        ownership=True,
    )


def owned_order(shapes: dict[str, Shape], shape: Shape) -> list[str]:
    """List the owners of an owned type, the nearest first."""
    out: list[str] = []
    entity = shape.entity
    while entity.owner is not None and entity.owner not in out:
        out.append(entity.owner)
        entity = shapes[entity.owner].entity
    return out


def json_column(shape: Shape, shapes: dict[str, Shape]) -> str | None:
    """Find the JSON column that holds a part, its owner's where it is nested; None for columns of its own."""
    entity = shape.entity
    if entity.is_json:
        return entity.json_column or entity.owner_navigation
    return json_column(shapes[entity.owner], shapes) if entity.owner is not None else None


def _column(owner: Shape, key: str) -> str:
    configured = owner.entity.properties.get(key)
    return configured.column if configured is not None and configured.column is not None else key


def owned_names(shapes: dict[str, Shape]) -> dict[str, str]:
    """Name each entity as the model does: an owned type by its class alone where that is used once."""
    uses = Counter(s.entity.clr_name for s in shapes.values())
    return {n: s.entity.clr_name if uses[s.entity.clr_name] == 1 else n for n, s in shapes.items()}


def column_prefix(shape: Shape, shapes: dict[str, Shape]) -> str:
    """Write the navigations that lead to a part stored in its owner's row: `Target_`; empty for a table of its own."""
    entity = shape.entity
    if entity.owner is None or entity.owned_many or entity.table is not None or json_column(shape, shapes) is not None:
        return ""
    return f"{column_prefix(shapes[entity.owner], shapes)}{entity.owner_navigation}_"

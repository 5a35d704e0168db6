"""Annotations: what attributes on classes and properties say. Fluent configuration wins over them."""

from react_agent.csharp import syntax as cs
from react_agent.csharp.arguments import flag_of, member_list, number_of, positional, text_of
from react_agent.csharp.builders_property import odd_column
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import EntityDraft, IndexDraft, ModelDraft, PropertyDraft
from react_agent.model.mapping import ValueGenerated

_REFUSED = {
    "DeleteBehavior": "S52",
    "ComplexType": "S16",
    "EntityTypeConfiguration": "",
    "Comment": None,
}
_GENERATED = {
    "None": ValueGenerated.NEVER,
    "Identity": ValueGenerated.ON_ADD,
    "Computed": ValueGenerated.ON_ADD_OR_UPDATE,
}


def has(attributes: tuple[cs.Attribute, ...], name: str) -> bool:
    """Whether an attribute is there."""
    return any(a.name == name for a in attributes)


def find(attributes: tuple[cs.Attribute, ...], name: str) -> cs.Attribute | None:
    """Look up an attribute."""
    return next((a for a in attributes if a.name == name), None)


def annotate_entity(draft: ModelDraft, entity: EntityDraft, declared: cs.TypeDeclaration, known: Declarations) -> None:
    """Take over the attributes of a class."""
    for attribute in declared.attributes:
        match attribute.name:
            case "Table" if entity.table is None:
                entity.table = text_of(positional(attribute.arguments, 0), known)
                schema = positional(attribute.arguments, 9, "Schema")
                entity.schema = entity.schema or text_of(schema, known)
            case "Keyless":
                entity.keyless = True
            case "PrimaryKey" if entity.key is None:
                entity.key = member_list(attribute.arguments, known)
            case "Index":
                _index(entity, attribute, known)
            case name if _REFUSED.get(name) is not None:
                draft.refuse(f"[{name}]", "this attribute is not read", attribute.span, _REFUSED[name] or "")


def _index(entity: EntityDraft, attribute: cs.Attribute, known: Declarations) -> None:
    members = member_list(attribute.arguments, known)
    if members is None or any(i.properties == members for i in entity.indexes):
        return
    unique = positional(attribute.arguments, 99, "IsUnique")
    name = text_of(positional(attribute.arguments, 99, "Name"), known)
    index = IndexDraft(properties=members, unique=unique is not None and bool(flag_of(unique)), name=name)
    entity.indexes.append(index)


def _generated(prop: PropertyDraft, attribute: cs.Attribute) -> None:
    """Take over who makes a value, and whether it guards against concurrent writes."""
    prop.concurrency = prop.concurrency or attribute.name != "DatabaseGenerated"
    first = positional(attribute.arguments, 0)
    made = _GENERATED.get(first.name) if isinstance(first, cs.Access) else None
    if attribute.name == "Timestamp":
        made = ValueGenerated.ON_ADD_OR_UPDATE
    prop.generated = prop.generated or made


def _column_type(draft: ModelDraft, attribute: cs.Attribute, known: Declarations) -> None:
    text = text_of(positional(attribute.arguments, 99, "TypeName"), known)
    problem = odd_column(text) if text is not None else ""
    if problem:
        draft.refuse("[Column]", problem, attribute.span)


def annotate_property(
    draft: ModelDraft, entity: EntityDraft, member: cs.PropertyDeclaration, known: Declarations
) -> None:
    """Take over the attributes of a scalar property."""
    prop = entity.property(member.name, member.span)
    prop.span = member.span
    for attribute in member.attributes:
        first = positional(attribute.arguments, 0)
        match attribute.name:
            case "Required" if prop.required is None:
                prop.required = True
            case "MaxLength" | "StringLength" if prop.max_length is None:
                prop.max_length = number_of(first, known)
            case "Precision" if prop.precision is None:
                prop.precision = number_of(first, known)
                prop.scale = number_of(positional(attribute.arguments, 1), known)
            case "Column":
                prop.column = prop.column or text_of(first, known)
                _column_type(draft, attribute, known)
            case "BackingField":
                prop.backing_field = prop.backing_field or text_of(first, known)
            case "ConcurrencyCheck" | "Timestamp" | "DatabaseGenerated":
                _generated(prop, attribute)
            case name if _REFUSED.get(name) is not None:
                draft.refuse(f"[{name}]", "this attribute is not read", attribute.span, _REFUSED[name] or "")

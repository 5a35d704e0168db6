"""Places: where the text declares what EF Core mapped. EF knows types and members, the text knows their lines."""

from dataclasses import replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.declarations import Declarations
from react_agent.model.gap import Span
from react_agent.model.mapping import EntityType, MappingModel


def with_places(mapping: MappingModel, known: Declarations) -> MappingModel:
    """Give each part of a mapping that has no place the one of its declaration, or of the nearest thing around it."""
    context = known.types.get(mapping.context)
    around = context.span if context is not None else None
    return replace(mapping, entities=tuple(_placed(entity, known, around) for entity in mapping.entities))


def _placed(entity: EntityType, known: Declarations, around: Span | None) -> EntityType:
    lineage = known.lineage(entity.clr_name)
    own = entity.span or (lineage[-1].span if lineage else around)
    members = {name: span for declared in lineage for name, span in _members(declared).items()}
    return replace(
        entity,
        span=own,
        properties=tuple(replace(p, span=p.span or members.get(p.name, own)) for p in entity.properties),
        navigations=tuple(replace(n, span=n.span or members.get(n.name, own)) for n in entity.navigations),
    )


def _members(declared: cs.TypeDeclaration) -> dict[str, Span]:
    """List a type's own members; a record's primary parameters are properties too."""
    found = {parameter.name: parameter.span for parameter in declared.primary or ()}
    for member in declared.members:
        if isinstance(member, cs.PropertyDeclaration | cs.FieldDeclaration):
            found[member.name] = member.span
    return found

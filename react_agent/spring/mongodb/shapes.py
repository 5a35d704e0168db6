"""How the judge reads a Java result back under C# names."""

from collections.abc import Mapping

from react_agent.model.documents import DocumentModel
from react_agent.model.mapping import ClrType, EntityType, MappingModel
from react_agent.model.query import ProjectionType
from react_agent.model.shape import FieldShape, ListShape, ObjectShape, ScalarShape, Shape
from react_agent.model.values import CellType
from react_agent.spring.mongodb.enums import constant
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.types import component, is_sequence, value_type


def shape_of(
    clr: ClrType, mapping: MappingModel, documents: DocumentModel, projections: Mapping[str, ProjectionType]
) -> Shape:
    """Give the shape of a C# type.

    Raises:
        Untranslatable: the type is neither a value, an entity, a result class nor a list of those.
    """
    if is_sequence(clr):
        assert clr.element is not None
        return ListShape(element=shape_of(clr.element, mapping, documents, projections))
    known = value_type(clr)
    if known is not None:
        return ScalarShape(type=known.cell)
    enum = mapping.find_enum(clr.name)
    if enum is not None:
        names: dict[str, tuple[str, int]] = {}
        taken: set[int] = set()
        for member in enum.members:
            if member.value not in taken:
                names[constant(member.name)] = (member.name, member.value)
                taken.add(member.value)
        return ScalarShape(type=CellType.ENUM, enum=enum.name, names=names)
    projection = projections.get(clr.name)
    if projection is not None:
        members = tuple(
            FieldShape(
                name=m.name,
                accessor=component(m.name),
                shape=shape_of(m.type, mapping, documents, projections),
            )
            for m in projection.members
        )
        return ObjectShape(name=projection.name, fields=members)
    entity = mapping.find(clr.name)
    if entity is not None:
        return entity_shape(entity, mapping, documents)
    raise Untranslatable(str(clr), "a result of this type cannot be read back", "Q08")


def entity_shape(entity: EntityType, mapping: MappingModel, documents: DocumentModel) -> Shape:
    """Give an entity's shape: its mapped scalars and owned parts; shadow properties are not in the C# object."""
    document = documents.find(entity.name)
    if document is None:
        raise Untranslatable(entity.clr_name, f"{entity.name} has no document, see its own gap", "S19")
    fields: list[FieldShape] = []
    for prop in entity.properties:
        stored = document.find(prop.name)
        if stored is not None and not prop.shadow:
            shape = shape_of(prop.type, mapping, documents, {})
            fields.append(FieldShape(name=prop.name, accessor=stored.java_name, shape=shape))
    for part in document.embedded:
        target = mapping.find(part.entity)
        assert target is not None
        shape = entity_shape(target, mapping, documents)
        whole: Shape = ListShape(element=shape) if part.many else shape
        fields.append(FieldShape(name=part.navigation, accessor=part.java_name, shape=whole))
    return ObjectShape(name=entity.clr_name, fields=tuple(fields))

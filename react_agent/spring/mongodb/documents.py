"""MappingModel -> DocumentModel: which entity becomes a collection, which a part, how each value is stored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from react_agent.model.documents import BsonType, Decision, Document, DocumentModel, Embedded, Field
from react_agent.model.gap import Gap, Span
from react_agent.model.mapping import EntityType, MappingModel, Property
from react_agent.model.names import camel, java_package, java_type
from react_agent.spring.mongodb.losses import is_part, losses_of, stored_properties
from react_agent.spring.mongodb.types import component, value_type

NOWHERE = Span(file="", line=1, column=1, end_line=1, end_column=1)

TEXT_CASE = "text-case"
LIKE_CASE = "ignore-ascii-case"
ANY_CASE = "ignore-case"
EXACT_CASE = "exact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The documents of a mapping and the entities that could not become one."""

    model: DocumentModel
    gaps: tuple[Gap, ...]


class Unmappable(Exception):
    """An entity has a part that no document can hold; becomes a Gap."""

    def __init__(self, construct: str, reason: str, hazard: str, span: Span | None) -> None:
        super().__init__(reason)
        self.construct, self.reason, self.hazard, self.span = construct, reason, hazard, span


def store(mapping: MappingModel, chosen: Mapping[str, str]) -> Storage:
    """Decide how every entity is stored.

    An entity with a table of its own gets a collection, what is owned or complex lives inside its owner; key values and
    foreign keys stay as they are, so relations keep working without ObjectIds.
    """
    documents: list[Document] = []
    gaps: list[Gap] = []
    decisions: list[Decision] = [_text_case(chosen)]
    for entity in mapping.entities:
        try:
            document = _document(entity, mapping, chosen, decisions)
            _same_forms(document, entity, mapping, documents)
            documents.append(document)
        except Unmappable as fault:
            gaps.append(_gap(fault, entity))
    kept = _without_orphans(documents, mapping, gaps)
    model = DocumentModel(
        package=java_package(mapping.namespace),
        documents=tuple(kept),
        losses=tuple(loss for e in mapping.entities for loss in losses_of(e, mapping)),
        decisions=tuple(decisions),
    )
    return Storage(model=model, gaps=tuple(gaps))


def _same_forms(document: Document, entity: EntityType, mapping: MappingModel, before: list[Document]) -> None:
    """Refuse an entity that stores an enum in another form than one before it: one converter serves the whole type."""
    enums = {java_type(e.name): e.name for e in mapping.enums}
    known = [(f, d) for d in (*before, document) for f in d.fields if f.java_type in enums]
    for field in (f for f in document.fields if f.java_type in enums):
        other = next(((f, d) for f, d in known if f.java_type == field.java_type and f.bson != field.bson), None)
        if other is not None:
            form = {True: "by name", False: "by number"}
            name = enums[field.java_type]
            reason = (
                f"{field.property} stores {name} {form[field.bson == BsonType.STRING]}, "
                f"{other[1].entity}.{other[0].property} {form[other[0].bson == BsonType.STRING]}; "
                f"decide on one form (enum-form:{document.entity}.{field.property})"
            )
            prop = entity.find_property(field.property)
            raise Unmappable("HasConversion", reason, "S22", prop.span if prop is not None else None)


def _gap(fault: Unmappable, entity: EntityType) -> Gap:
    reason = f"{entity.name}: {fault.reason}"
    span = fault.span or entity.span or NOWHERE
    return Gap(construct=fault.construct, reason=reason, span=span, hazard=fault.hazard)


def _without_orphans(documents: list[Document], mapping: MappingModel, gaps: list[Gap]) -> list[Document]:
    """Drop owners whose part has no document, and parts whose owner has none."""
    kept = documents
    while True:
        names = {d.entity for d in kept}
        lost = {e.name for e in mapping.entities} - names
        next_kept = []
        for document in kept:
            entity = mapping.find(document.entity)
            owner = entity.owned_by if entity else None
            part = next((p.entity for p in document.embedded if p.entity in lost), None)
            if part is None and (owner is None or owner in names):
                next_kept.append(document)
                continue
            reason = f"{document.entity}: {part or owner} is not stored, see its own gap"
            gaps.append(Gap(construct="OwnsOne", reason=reason, span=_place(entity), hazard="S14"))
        if len(next_kept) == len(kept):
            return kept
        kept = next_kept


def _place(entity: EntityType | None) -> Span:
    return entity.span if entity is not None and entity.span is not None else NOWHERE


def collection_of(entity: EntityType) -> str:
    """Name the collection: the `DbSet`'s name, else the table's, in camel case."""
    return camel(entity.db_set or entity.table or entity.clr_name)


def _document(
    entity: EntityType, mapping: MappingModel, chosen: Mapping[str, str], decisions: list[Decision]
) -> Document:
    _check(entity)
    part = is_part(entity)
    composite = len(entity.key) > 1 and not part
    fields = []
    for prop in stored_properties(entity):
        if prop.name in entity.key and not part:
            name = f"_id.{component(prop.name)}" if composite else "_id"
        else:
            name = component(prop.name)
        fields.append(_field(prop, name, mapping, chosen, decisions, entity))
    return Document(
        entity=entity.name,
        java_class=java_type(entity.clr_name),
        collection=None if part else collection_of(entity),
        fields=tuple(fields),
        embedded=tuple(_parts(entity, mapping)),
        key_fields=tuple(component(name) for name in entity.key) if composite else (),
        key_class=f"{java_type(entity.clr_name)}Id" if composite else None,
    )


def _check(entity: EntityType) -> None:
    if entity.base is not None or entity.inheritance is not None or entity.discriminator is not None:
        raise Unmappable("inheritance", "a mapped class hierarchy is not carried over", "S19", entity.span)
    if entity.query_filter is not None:
        raise Unmappable("HasQueryFilter", "a global filter would have to be in every query", "S47", entity.span)
    if not is_part(entity) and not entity.key:
        raise Unmappable(
            "HasNoKey", "a keyless type (view or SQL query) has no document of its own", "S50", entity.span
        )


def _parts(entity: EntityType, mapping: MappingModel) -> Iterator[Embedded]:
    for part in mapping.entities:
        if part.owned_by != entity.name or part.owner_navigation is None:
            continue
        navigation = entity.find_navigation(part.owner_navigation)
        many = navigation is not None and navigation.collection
        yield Embedded(
            navigation=part.owner_navigation,
            field=component(part.owner_navigation),
            java_name=component(part.owner_navigation),
            java_type=java_type(part.clr_name),
            entity=part.name,
            many=many,
            nullable=not many and not part.complex and not (navigation is not None and navigation.required),
        )


def _field(
    prop: Property,
    name: str,
    mapping: MappingModel,
    chosen: Mapping[str, str],
    decisions: list[Decision],
    entity: EntityType,
) -> Field:
    enum = mapping.find_enum(prop.type.name)
    if enum is not None:
        decision = _enum_form(entity, prop, chosen)
        decisions.append(decision)
        if enum.flags:
            raise Unmappable("[Flags]", f"{prop.name} may hold several members of {enum.name}", "S24", prop.span)
        bson = BsonType.STRING if decision.chosen == "name" else BsonType.INT32
        java = java_type(enum.name)
    else:
        java, bson = _plain(prop)
    return Field(
        property=prop.name,
        field=name,
        java_name=component(prop.name),
        java_type=java,
        bson=bson,
        nullable=prop.nullable,
    )


def _plain(prop: Property) -> tuple[str, BsonType]:
    known = value_type(prop.type)
    if known is None:
        construct, hazard = ("TimeSpan", "S34") if prop.type.name == "TimeSpan" else (str(prop.type), "S18")
        raise Unmappable(construct, f"{prop.name} of type {prop.type} has no stored form", hazard, prop.span)
    if prop.converter is not None and not _same_value(prop):
        raise Unmappable("HasConversion", f"{prop.name} goes through {prop.converter}", "S25", prop.span)
    simple = known.boxed.rpartition(".")[2]
    return (known.primitive if known.primitive and not prop.nullable else simple), known.bson


def _same_value(prop: Property) -> bool:
    """EF's built-in converters change only the column's type; the model's value stays what it is."""
    return (
        prop.provider_type is not None
        and (prop.converter or "").split("<")[0].endswith("Converter")
        and ("Custom" not in (prop.converter or ""))
    )


def _enum_form(entity: EntityType, prop: Property, chosen: Mapping[str, str]) -> Decision:
    identity = f"enum-form:{entity.name}.{prop.name}"
    kept = "name" if prop.provider_type == "string" else "number"
    return Decision(
        id=identity,
        question=f"Store {entity.name}.{prop.name} by name or by number?",
        chosen=chosen.get(identity, kept),
        options=("name", "number"),
        reason="the form the source stores, so that order and stored data stay the same",
        by="person" if identity in chosen else "default",
    )


def _text_case(chosen: Mapping[str, str]) -> Decision:
    return Decision(
        id=TEXT_CASE,
        question="May StartsWith, EndsWith and texts compared in lower case match letters of the other case?",
        chosen=chosen.get(TEXT_CASE, LIKE_CASE),
        options=(LIKE_CASE, ANY_CASE, EXACT_CASE),
        reason="EF Core sends LIKE and lower(), which know ASCII letters on SQLite; SQL Server's default knows all",
        by="person" if TEXT_CASE in chosen else "default",
    )

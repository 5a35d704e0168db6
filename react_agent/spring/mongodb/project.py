"""A whole Java project from the two models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from react_agent.model.documents import DocumentModel
from react_agent.model.gap import Gap
from react_agent.model.mapping import MappingModel
from react_agent.model.names import java_type
from react_agent.model.query import Call, QueryMethod, QueryModel, walk
from react_agent.model.translation import EntryPair, SourceFile, Translation
from react_agent.spring.java import Imports, path_of
from react_agent.spring.maven import pom
from react_agent.spring.mongodb.configuration import CLASS, database_name, write_configuration
from react_agent.spring.mongodb.details import write_details
from react_agent.spring.mongodb.documents import NOWHERE, TEXT_CASE, Storage, store
from react_agent.spring.mongodb.entities import write_document, write_key
from react_agent.spring.mongodb.enums import JavaEnum, stored_by_name, write_converters, write_enum
from react_agent.spring.mongodb.projections import write_projection
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.services import Project, WrittenService, write_service
from react_agent.spring.mongodb.values import Values


def write(
    mapping: MappingModel,
    queries: QueryModel,
    *,
    decisions: Mapping[str, str] | None = None,
    release: int = 21,
    gaps: Sequence[Gap] = (),
) -> Translation:
    """Write the Java project of a data layer.

    The same models give the same bytes. `decisions` are a person's choices by decision id; `gaps` are those of the
    reader, kept in front of the writer's own.
    """
    storage = store(mapping, decisions or {})
    documents = storage.model
    package = documents.package
    enums = _enums(mapping, storage)
    projections = {p.name: p for p in queries.projections}
    reserved = _names(storage, mapping, queries)
    project = Project(mapping=mapping, documents=documents, projections=projections, reserved=reserved)
    services = _services(queries, project)
    texts: dict[str, str] = {CLASS: write_configuration(documents, database_name(mapping.context), enums)}
    for document in documents.documents:
        texts[document.java_class] = write_document(document, documents, mapping)
        if document.key_class is not None:
            texts[document.key_class] = write_key(document, documents)
    for enum in enums:
        texts[enum.java_class] = write_enum(enum, package)
        texts[f"{enum.java_class}Converters"] = write_converters(enum, package)
    values = Values(mapping=mapping, documents=documents, imports=Imports(package=package))
    own: list[Gap] = [*storage.gaps]
    for projection in queries.projections:
        try:
            texts[java_type(projection.name)] = write_projection(projection, values, package, reserved)
        except Untranslatable as refusal:
            own.append(refusal.gap("", projection.span))
    for service in services:
        texts[service.java_class] = service.text
        own += service.gaps
        for details in (d for written in service.methods for d in written.details):
            texts[details.java_class] = write_details(details, documents, mapping)
    return Translation(
        files=tuple(_files(texts, package, release)),
        entries=tuple(_entries(services, package)),
        documents=_met(documents, services),
        configuration=f"{package}.{CLASS}",
        gaps=(*gaps, *_new(own, gaps)),
    )


_CASED = frozenset({"string.StartsWith", "string.EndsWith", "string.ToLower", "string.ToUpper"})


def _met(documents: DocumentModel, services: Iterable[WrittenService]) -> DocumentModel:
    """Keep the decision about the case of texts where a query meets it, or a person has decided."""
    queries = tuple(written.method.asked for service in services for written in service.methods)
    asked = any(isinstance(n, Call) and n.method in _CASED for n in walk(queries))
    kept = (d for d in documents.decisions if d.id != TEXT_CASE or asked or d.by == "person")
    return replace(documents, decisions=tuple(kept))


def _enums(mapping: MappingModel, storage: Storage) -> list[JavaEnum]:
    return [JavaEnum(type=e, by_name=bool(stored_by_name(e.name, storage.model))) for e in mapping.enums if not e.flags]


def _names(storage: Storage, mapping: MappingModel, queries: QueryModel) -> frozenset[str]:
    names = {d.java_class for d in storage.model.documents} | {java_type(e.name) for e in mapping.enums}
    names |= {d.key_class for d in storage.model.documents if d.key_class}
    names |= {java_type(p.name) for p in queries.projections}
    names |= {f"{java_type(e.name)}Converters" for e in mapping.enums}
    return frozenset(names | {CLASS})


def _services(queries: QueryModel, project: Project) -> list[WrittenService]:
    classes: dict[str, list[QueryMethod]] = {}
    for method in queries.methods:
        if method.is_read:  # else its gap came with the models
            classes.setdefault(method.class_name, []).append(method)
    return [write_service(name, tuple(methods), project) for name, methods in classes.items()]


def _files(texts: Mapping[str, str], package: str, release: int) -> Iterable[SourceFile]:
    yield pom(package, release)
    info = f"@NullMarked\npackage {package};\n\nimport org.jspecify.annotations.NullMarked;\n"
    yield SourceFile(path=path_of(package, "package-info"), text=info)
    for name in sorted(texts):
        yield SourceFile(path=path_of(package, name), text=texts[name])


def _entries(services: Iterable[WrittenService], package: str) -> Iterable[EntryPair]:
    for service in services:
        for written in service.methods:
            yield EntryPair(
                class_name=written.method.class_name,
                method=written.method.method,
                java_class=f"{package}.{service.java_class}",
                java_method=written.java_method,
                shape=written.shape,
            )


def _new(own: Iterable[Gap], given: Sequence[Gap]) -> list[Gap]:
    """Leave out a gap that the reader has already named for the same place."""
    known = {(g.construct, g.span) for g in given}
    return [gap for gap in own if (gap.construct, gap.span) not in known or gap.span == NOWHERE]

"""Details: an entity together with what it refers to, as a record of its own, and the `$lookup`s that fill it."""

from collections.abc import Iterator
from dataclasses import dataclass

from react_agent.model.documents import Document, DocumentModel
from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.query import Include, OrderBy, Where
from react_agent.model.shape import FieldShape, ListShape, ObjectShape, Shape
from react_agent.spring.java import Imports, source
from react_agent.spring.mongodb.entities import imports_of, members_of, record
from react_agent.spring.mongodb.expressions import Expressions
from react_agent.spring.mongodb.predicates import criterion
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Many, Place, Scalar
from react_agent.spring.mongodb.shapes import entity_shape
from react_agent.spring.mongodb.stages import Match, SortStage, Stage
from react_agent.spring.mongodb.types import component


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one included navigation became: the record's component and the class of its value."""

    name: str
    java_class: str
    many: bool
    nullable: bool
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A record class that holds an entity's fields and the parts that are loaded with it."""

    java_class: str
    document: Document
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """An entity with its includes: the class to read, the stages that fill it, its shape, the records to write."""

    java_class: str
    stages: tuple[Stage, ...]
    shape: Shape
    details: tuple[Details, ...]


def load(includes: tuple[Include, ...], place: Place, compiler: Expressions) -> Loaded:
    """Bring what is included to each entity.

    Raises:
        Untranslatable: a navigation leads to where no document of its own is, or its rows are chosen in other ways.
    """
    scope = compiler.scope
    mark = len(scope.steps)
    details: list[Details] = []
    java_class, shape = _load(includes, place, compiler, details)
    added = tuple(step for step in scope.steps[mark:] if isinstance(step, Stage))
    if len(added) != len(scope.steps) - mark:
        raise Untranslatable("Include", "of what a choice between branches brings", "Q17")
    del scope.steps[mark:]
    return Loaded(java_class=java_class, stages=added, shape=shape, details=tuple(details))


def _load(
    includes: tuple[Include, ...], place: Place, compiler: Expressions, details: list[Details]
) -> tuple[str, ObjectShape]:
    own = entity_shape(place.entity, compiler.scope.mapping, compiler.scope.documents)
    assert isinstance(own, ObjectShape)
    parts = [part for one in includes if (part := _part(one, place, compiler, details)) is not None]
    if not parts:
        return place.document.java_class, own
    fields = (FieldShape(name=i.navigation, accessor=p.name, shape=p.shape) for i, p in _paired(includes, parts))
    name = f"{place.document.java_class}With{'And'.join(p.name[:1].upper() + p.name[1:] for p in parts)}"
    details.append(Details(java_class=name, document=place.document, parts=tuple(parts)))
    return name, ObjectShape(name=own.name, fields=(*own.fields, *fields))


def _paired(includes: tuple[Include, ...], parts: list[Part]) -> Iterator[tuple[Include, Part]]:
    by_name = {part.name: part for part in parts}
    for one in includes:
        if component(one.navigation) in by_name:
            yield one, by_name[component(one.navigation)]


def _part(one: Include, place: Place, compiler: Expressions, details: list[Details]) -> Part | None:
    navigation = place.entity.find_navigation(one.navigation)
    if navigation is None:
        raise Untranslatable(one.navigation, f"{place.entity.clr_name} has no such navigation", "Q17", one.span)
    if any(part.navigation == one.navigation for part in place.document.embedded):
        if one.below or one.clauses:
            raise Untranslatable(one.navigation, "what an embedded part refers to", "Q17", one.span)
        return None  # an embedded part is always there
    name = component(one.navigation)
    try:
        found = _brought(one, place, compiler)
    except Untranslatable as refusal:
        refusal.span = refusal.span or one.span
        raise
    path = found.prefix if isinstance(found, Place) else found.path
    if path.rpartition(".")[2] != name:
        raise Untranslatable(one.navigation, f"its name is taken by {path} in the same document", "Q17", one.span)
    # What the part refers to is looked up with it, so that it stands inside of it.
    many = isinstance(found, Many)
    whole = Many(path=path, entity=found.entity, document=found.document, level=(*place.level, name))
    inner = compiler.scope.inner("", whole, f"${name}").bindings[""]
    assert isinstance(inner, Place)
    java_class, shape = _load(one.below, inner, compiler, details)
    return Part(
        name=name,
        java_class=java_class,
        many=many,
        nullable=isinstance(found, Place) and found.nullable,
        shape=ListShape(element=shape) if many else shape,
    )


def _brought(one: Include, place: Place, compiler: Expressions) -> Place | Many:
    scope = compiler.scope
    if not one.clauses:
        found = scope.follow(place, one.navigation)
        assert isinstance(found, Place | Many)
        return found
    navigation = place.entity.find_navigation(one.navigation)
    assert navigation is not None
    entity, document = scope.document_of(navigation.target)
    inner = compiler.inside(scope.inner(one.variable, Many(path="", entity=entity, document=document), ""))
    stages: list[Stage] = []
    for clause in one.clauses:
        if isinstance(clause, Where):
            stages.append(Match(criterion=criterion(clause.predicate, inner)))
        elif isinstance(clause, OrderBy):
            stages.append(SortStage(keys=tuple(_keys(clause, inner))))
    return scope.chosen(place, navigation, tuple(stages))


def _keys(order: OrderBy, inner: Expressions) -> Iterator[tuple[str, bool]]:
    for key in order.keys:
        found = inner.scope.resolve(key.expression)
        if not isinstance(found, Scalar):
            raise Untranslatable("OrderBy", "a computed key inside an Include", "Q18", order.span)
        yield found.path, key.descending


def write_details(details: Details, model: DocumentModel, mapping: MappingModel) -> str:
    """Write the record."""
    entity = mapping.find(details.document.entity)
    assert isinstance(entity, EntityType)
    imports: Imports = imports_of(model)
    components, body = members_of(entity, details.document, imports)
    for part in details.parts:
        nullable = f"@{imports.use('org.jspecify.annotations.Nullable')} " if part.nullable else ""
        kind = f"{imports.use('java.util.List')}<{part.java_class}>" if part.many else part.java_class
        components.append(f"{nullable}{kind} {part.name}")
    return source(model.package, imports, record(details.java_class, components, body))

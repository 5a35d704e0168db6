"""Result classes as records, and the `$project` that fills one."""

from dataclasses import dataclass

from react_agent.model.mapping import ClrType
from react_agent.model.names import java_type
from react_agent.model.query import Expression, Include, New, ProjectionType, Subquery
from react_agent.spring.java import Imports, source
from react_agent.spring.mongodb.details import Loaded, load
from react_agent.spring.mongodb.entities import record
from react_agent.spring.mongodb.expressions import Expressions
from react_agent.spring.mongodb.operators import Fields, Node, Path, Value
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Place
from react_agent.spring.mongodb.stages import ProjectStage, ReplaceRoot, Stage
from react_agent.spring.mongodb.types import component, field_of, is_value, value_type
from react_agent.spring.mongodb.values import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one row of the pipeline is read as. `value` is set where the row wraps a single value."""

    java_class: str
    stages: tuple[Stage, ...]
    value: Node | None = None
    nullable: bool = False
    loaded: Loaded | None = None
    """What is loaded with an entity; `java_class` then is a class that holds both."""


def row_of(
    element: Expression,
    compiler: Expressions,
    projections: dict[str, ProjectionType],
    includes: tuple[Include, ...] = (),
) -> Row:
    """Compile the element: an entity as it is, an object by `$project`, a single value by itself.

    Raises:
        Untranslatable: the element has no class, or may be a missing entity.
    """
    if isinstance(element, New):
        kind = projections.get(element.type.name)
        if kind is None:
            raise Untranslatable("new { … }", "an anonymous object leaves the method", "Q08")
        members = tuple(_members(element, kind, compiler, projections))
        return Row(java_class=java_type(kind.name), stages=(ProjectStage(members=members),))
    found = compiler.scope.resolve(element)
    if isinstance(found, Place):
        if found.nullable:
            raise Untranslatable(str(element.type), "rows that may be a missing entity", "Q22")
        if includes:
            loaded = load(includes, found, compiler)
            return Row(java_class=loaded.java_class, stages=loaded.stages, loaded=loaded)
        stages: tuple[Stage, ...] = (ReplaceRoot(path=found.prefix),) if found.prefix else ()
        return Row(java_class=found.document.java_class, stages=stages)
    value = compiler.value(element)
    return Row(java_class="", stages=(), value=value.node, nullable=value.nullable)


def _members(
    new: New, kind: ProjectionType, compiler: Expressions, projections: dict[str, ProjectionType]
) -> list[tuple[str, Node]]:
    given = dict(new.members)
    members: list[tuple[str, Node]] = []
    for member in kind.members:
        expression = given.pop(member.name, None)
        if expression is None:
            if is_value(member.type, compiler.values.mapping):
                members.append((field_of(member.name), _default(member.type)))
            continue
        members.append((field_of(member.name), _member(expression, compiler, projections)))
    if given:
        raise Untranslatable("new", f"{kind.name} has no member {', '.join(given)}", "Q08")
    return members


def _member(expression: Expression, compiler: Expressions, projections: dict[str, ProjectionType]) -> Node:
    if isinstance(expression, New):
        kind = projections.get(expression.type.name)
        if kind is None:
            raise Untranslatable("new { … }", "an anonymous object leaves the method", "Q08")
        return Fields(members=tuple(_members(expression, kind, compiler, projections)))
    found = None if isinstance(expression, Subquery) else compiler.scope.resolve(expression)
    if isinstance(found, Place):
        return Path(path=f"${found.prefix}" if found.prefix else "$$ROOT")
    return compiler.value(expression).node


def _default(clr: ClrType) -> Node:
    known = value_type(clr)
    if known is None or known.zero == "null":
        raise Untranslatable(str(clr), "a member without a value", "Q08")
    return Value(code=known.zero, safe=True)


def write_projection(projection: ProjectionType, values: Values, package: str, reserved: frozenset[str]) -> str:
    """Write a result class as a record."""
    imports = Imports(package=package, reserved=reserved)
    own = Values(mapping=values.mapping, documents=values.documents, imports=imports)
    components = [f"{own.annotated(m.type)} {component(m.name)}" for m in projection.members]
    return source(package, imports, record(java_type(projection.name), components))

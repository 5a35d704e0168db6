"""Query classes: one Java method for each entry, over `MongoOperations`."""

from dataclasses import dataclass, replace

from react_agent.model.documents import DocumentModel
from react_agent.model.gap import Gap
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.names import camel, java_method, java_type
from react_agent.model.query import (
    SCALAR_OUTCOMES,
    Binary,
    BinaryOperator,
    Change,
    Constant,
    Expression,
    Local,
    New,
    Parameter,
    Part,
    ProjectionType,
    Query,
    QueryMethod,
    walk,
)
from react_agent.model.shape import ListShape, ScalarShape, Shape
from react_agent.model.values import CellType
from react_agent.spring.java import STEP, Code, Imports, Prefixed, call, javadoc, lay_out, source, statement
from react_agent.spring.mongodb.aggregates import aggregate, finish
from react_agent.spring.mongodb.commands import write_changes
from react_agent.spring.mongodb.details import Details
from react_agent.spring.mongodb.finds import find_body
from react_agent.spring.mongodb.nullness import known_not_null
from react_agent.spring.mongodb.own_methods import OWN_METHODS
from react_agent.spring.mongodb.pipelines import open_pipeline
from react_agent.spring.mongodb.projections import row_of
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.results import Reading, RowRecords, read_outcome, throws_nothing, zero_of
from react_agent.spring.mongodb.scope import Scope
from react_agent.spring.mongodb.shapes import shape_of
from react_agent.spring.mongodb.statements import bare
from react_agent.spring.mongodb.types import OBJECT_METHODS
from react_agent.spring.mongodb.values import Values, parameter_name

_INNER = STEP * 2
_OPERATIONS = "org.springframework.data.mongodb.core.MongoOperations"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMethod:
    """One method's lines and how its result is read back."""

    lines: tuple[str, ...]
    java_method: str
    shape: Shape
    method: QueryMethod
    details: tuple[Details, ...] = ()
    """The records that the method returns beside the documents themselves."""
    returns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenService:
    """One class: its text, the methods in it, the entries that are not."""

    java_class: str
    text: str
    methods: tuple[WrittenMethod, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What every class of the project knows."""

    mapping: MappingModel
    documents: DocumentModel
    projections: dict[str, ProjectionType]
    reserved: frozenset[str]
    """Every class of the package but the services."""

    def service_class(self, class_name: str) -> str:
        """Name a query class; C# namespaces may hold an entity of the same name."""
        plain = java_type(class_name)
        return f"{plain}Queries" if plain in self.reserved else plain


def write_service(class_name: str, methods: tuple[QueryMethod, ...], project: Project) -> WrittenService:
    """Write a query class; an entry that cannot be exact is left out and becomes a gap."""
    imports = Imports(package=project.documents.package, reserved=project.reserved)
    values = Values(mapping=project.mapping, documents=project.documents, imports=imports)
    records = RowRecords(values=values, reserved=project.reserved)
    names = _method_names(methods)
    written: list[WrittenMethod] = []
    gaps: list[Gap] = []
    for method, name in zip(methods, names, strict=True):
        try:
            write = _write_commands if method.changes else _write_method if method.made is None else _write_parts
            written.append(write(method, name, project, values, records))
        except Untranslatable as refusal:
            gaps.append(refusal.gap(method.entry, method.span))
    java_class = project.service_class(class_name)
    body = _class(java_class, imports, written, records)
    text = source(project.documents.package, imports, body)
    return WrittenService(java_class=java_class, text=text, methods=tuple(written), gaps=tuple(gaps))


def _class(java_class: str, imports: Imports, written: list[WrittenMethod], records: RowRecords) -> list[str]:
    repository = imports.use("org.springframework.stereotype.Repository")
    operations = imports.use(_OPERATIONS)
    lines = [
        f"@{repository}",
        f"public class {java_class} {{",
        "",
        f"{STEP}private final {operations} mongo;",
        "",
        f"{STEP}public {java_class}({operations} mongo) {{",
        f"{_INNER}this.mongo = mongo;",
        f"{STEP}}}",
    ]
    for method in written:
        lines += ["", *method.lines]
    text = "\n".join(lines)
    own = [line for name, helper in OWN_METHODS.items() if f"{name}(" in text for line in helper.split("\n")]
    return [*lines, *own, *records.lines(text), "}"]


def _method_names(methods: tuple[QueryMethod, ...]) -> list[str]:
    """Name each method; `GetAsync` beside `Get` keeps its suffix where the parameters are the same."""
    taken: set[tuple[str, tuple[str, ...]]] = set()
    names: list[str] = []
    for method in methods:
        types = tuple(str(p.type) for p in method.parameters)
        plain = java_method(method.method)
        options = [plain, camel(method.method), *(f"{plain}{at}" for at in range(2, 100))]
        name = next(o for o in options if (o, types) not in taken and not (o in OBJECT_METHODS and not types))
        taken.add((name, types))
        names.append(name)
    return names


def _write_method(
    method: QueryMethod,
    name: str,
    project: Project,
    values: Values,
    records: RowRecords,
    first: tuple[str, ...] = (),
) -> WrittenMethod:
    query = method.query
    if query is None:
        raise Untranslatable(method.method, "the query was not read, see its own gap")
    known = frozenset(name for guard in method.guards for name in known_not_null(guard, wanted=False))
    values = replace(values, locals=method.locals).knowing(known)
    shape = shape_of(method.returns, project.mapping, project.documents, project.projections)
    scope = Scope(mapping=project.mapping, documents=project.documents)
    pipeline = open_pipeline(query, scope, values)
    row = None
    if query.outcome not in SCALAR_OUTCOMES:
        row = row_of(query.element, pipeline.compiler, project.projections, query.includes)
    loaded = row.loaded if row is not None else None
    if loaded is not None:
        shape = ListShape(element=loaded.shape) if isinstance(shape, ListShape) else loaded.shape
    reading = read_outcome(query, pipeline, row, records, method.returns)
    assert pipeline.root is not None
    body = [*first, *_guards(pipeline.guards, reading, values)]
    steps = [*pipeline.steps(), *reading.steps]
    found = find_body(query, steps, row, pipeline.root, values)
    if found is not None:
        body += finish(found, reading, values)
    else:
        body += aggregate(steps, reading, pipeline.root.java_class, values)
    return WrittenMethod(
        lines=tuple(_method(method, name, reading, body, values)),
        java_method=name,
        shape=shape,
        method=method,
        details=loaded.details if loaded is not None else (),
        returns=reading.returns,
    )


def _write_commands(
    method: QueryMethod, name: str, project: Project, values: Values, records: RowRecords
) -> WrittenMethod:
    """Write a method that sends commands first; each has a private method of its own where something follows."""
    known = frozenset(n for guard in method.guards for n in known_not_null(guard, wanted=False))
    writer = replace(values, locals=method.locals).knowing(known)
    if method.query is None and len(method.changes) == 1:
        body = write_changes(method.changes[0], method.answer, writer, records)
        return _commanded(method, name, body, (), project, writer)
    body, helpers = [], []
    wanted = {n.name for n in walk(method.answer) if isinstance(n, Parameter)}
    for at, change in enumerate(method.changes, 1):
        count = Parameter(name=change.result, type=ClrType(name="int")) if change.result in wanted else None
        returns = ClrType(name="int" if count is not None else "void")
        one = replace(_alone(method, None, Part(name="", query=None, type=returns), change), answer=count)
        helper = f"{name}Change{at}"
        made = _commanded(one, helper, write_changes(change, count, writer, records), (), project, writer)
        helpers += ["", *(line.replace(f"{STEP}public ", f"{STEP}private ", 1) for line in made.lines)]
        asked = call(helper, *(parameter_name(p.name) for p in one.parameters))
        prefix = f"int {parameter_name(change.result)} = " if count is not None else ""
        body.append(statement(Prefixed(prefix=prefix, body=asked), _INNER))
    if method.query is not None:
        written = _write_method(replace(method, changes=()), name, project, values, records, first=tuple(body))
        return replace(written, lines=(*written.lines, *helpers), method=method)
    if method.answer is not None:
        body.append(f"{_INNER}return {bare(writer.write(method.answer))};")
    return _commanded(method, name, body, tuple(helpers), project, writer)


def _commanded(
    method: QueryMethod, name: str, body: list[str], helpers: tuple[str, ...], project: Project, values: Values
) -> WrittenMethod:
    is_void = method.answer is None
    shape: Shape = ScalarShape(type=CellType.NULL)
    if not is_void:
        shape = shape_of(method.returns, project.mapping, project.documents, project.projections)
    returns = "void" if is_void else values.annotated(method.returns)
    reading = Reading(steps=(), row_class="", statements=(), empty=None, returns=returns)
    used = {n.name for n in walk(method.asked) if isinstance(n, Parameter)}
    shown = replace(method, locals=_needed(method, used, guarded=True))
    lines = _method(shown, name, reading, body, values)
    return WrittenMethod(lines=(*lines, *helpers), java_method=name, shape=shape, method=method, returns=returns)


def _write_parts(
    method: QueryMethod, name: str, project: Project, values: Values, records: RowRecords
) -> WrittenMethod:
    """Write a method that makes one object of several queries, each in a private method of its own."""
    assert method.made is not None
    shape = shape_of(method.returns, project.mapping, project.documents, project.projections)
    body: list[str] = []
    helpers: list[str] = []
    details: list[Details] = []
    for part in method.parts:
        one = _alone(method, part.query or method.query, part)
        helper = f"{name}{part.name[:1].upper()}{part.name[1:]}"
        written = _write_method(one, helper, project, values, records)
        helpers += ["", *(line.replace(f"{STEP}public ", f"{STEP}private ", 1) for line in written.lines)]
        details += written.details
        asked = call(helper, *(parameter_name(p.name) for p in one.parameters))
        body.append(statement(Prefixed(prefix=f"{written.returns} {parameter_name(part.name)} = ", body=asked), _INNER))
    known = frozenset(n for guard in method.guards for n in known_not_null(guard, wanted=False))
    writer = replace(values, locals=method.locals).knowing(known)
    body.append(statement(Prefixed(prefix="return ", body=_made(method.made, project, writer)), _INNER))
    used = {n.name for n in walk(method.made) if isinstance(n, Parameter)}
    shown = replace(method, locals=_needed(method, used, guarded=True))
    reading = Reading(steps=(), row_class="", statements=(), empty=None, returns=values.annotated(method.returns))
    lines = _method(shown, name, reading, body, writer)
    return WrittenMethod(lines=(*lines, *helpers), java_method=name, shape=shape, method=method, details=tuple(details))


def _alone(method: QueryMethod, query: Query | None, part: Part, *changes: Change) -> QueryMethod:
    """One part as a method of its own, with just what it needs."""
    used = {n.name for n in walk((query, changes)) if isinstance(n, Parameter)}
    locals_ = _needed(method, used)
    used |= {n.name for local in locals_ for n in walk(local.value) if isinstance(n, Parameter)}
    parameters = tuple(p for p in method.parameters if p.name in used)
    returns = ClrType(name="List", element=part.type.element) if part.type.element is not None else part.type
    return replace(
        method,
        query=query,
        parameters=parameters,
        locals=locals_,
        returns=returns,
        summary="",
        guards=(),
        parts=(),
        made=None,
        changes=changes,
        answer=None,
    )


def _needed(method: QueryMethod, used: set[str], *, guarded: bool = False) -> tuple[Local, ...]:
    wanted = set(used)
    if guarded:
        wanted |= {n.name for n in walk(method.guards) if isinstance(n, Parameter)}
    for local in reversed(method.locals):
        if local.name in wanted:
            wanted |= {n.name for n in walk(local.value) if isinstance(n, Parameter)}
    return tuple(local for local in method.locals if local.name in wanted)


def _made(new: New, project: Project, values: Values) -> Code:
    """Write an object that Java makes, its members in the order of the record's components."""
    kind = project.projections.get(new.type.name)
    if kind is None:
        raise Untranslatable("new { … }", "an anonymous object leaves the method", "Q08")
    given = dict(new.members)
    codes: list[Code] = []
    for member in kind.members:
        part = given.get(member.name)
        if part is None:
            codes.append(zero_of(member.type, values))
        else:
            codes.append(_made(part, project, values) if isinstance(part, New) else values.write(part))
    return call(f"new {java_type(kind.name)}", *codes)


def _method(method: QueryMethod, name: str, reading: Reading, body: list[str], values: Values) -> list[str]:
    parameters = [f"{values.annotated(p.type)} {parameter_name(p.name)}" for p in method.parameters]
    head = Prefixed(prefix=f"public {reading.returns} ", body=call(name, *parameters))
    locals_ = [_local(local, values) for local in method.locals]
    early, late = _refusals(method, values)
    opening = f"{STEP}{lay_out(head, STEP, after=2)} {{"
    return [*javadoc(method.summary, STEP), opening, *early, *locals_, *late, *body, f"{STEP}}}"]


def _local(local: Local, values: Values) -> str:
    kind, name = values.type_name(local.value.type), parameter_name(local.name)
    return f"{_INNER}{kind} {name} = {bare(values.write(local.value))};"


def _refusals(method: QueryMethod, values: Values) -> tuple[list[str], list[str]]:
    """Write what the method refuses of its arguments, and of what it has computed from them."""
    computed = {local.name for local in method.locals}
    early: list[str] = []
    late: list[str] = []
    for guard in method.guards:
        names = {n.name for n in walk(guard) if isinstance(n, Parameter)}
        (late if names & computed else early).extend(_refusal(guard, values))
        values = values.knowing(known_not_null(guard, wanted=False))
    return early, late


def _refusal(guard: Expression, values: Values) -> list[str]:
    match guard:
        case Binary(operator=BinaryOperator.EQUAL, left=Parameter(name=name), right=Constant(cell=cell)) if (
            cell.is_null
        ):
            objects, plain = values.imports.use("java.util.Objects"), parameter_name(name)
            return [f'{_INNER}{objects}.requireNonNull({plain}, "{plain}");']
    test = bare(values.write(guard))
    return [f"{_INNER}if ({test}) {{", f"{_INNER}{STEP}throw new IllegalArgumentException();", f"{_INNER}}}"]


def _guards(guards: list[str], reading: Reading, values: Values) -> list[str]:
    lines: list[str] = []
    for guard in dict.fromkeys(guards):
        answer = throws_nothing(values) if reading.empty is None else f"return {reading.empty};"
        lines += [f"{_INNER}if ({guard}) {{", f"{_INNER}{STEP}{answer}", f"{_INNER}}}"]
    return lines

"""Query classes: one Java method for each entry, over `MongoOperations`."""

from dataclasses import dataclass, replace

from react_agent.model.documents import DocumentModel
from react_agent.model.gap import Gap
from react_agent.model.mapping import MappingModel
from react_agent.model.names import camel, java_method, java_type
from react_agent.model.query import (
    SCALAR_OUTCOMES,
    Binary,
    BinaryOperator,
    Constant,
    Expression,
    Parameter,
    ProjectionType,
    QueryMethod,
    walk,
)
from react_agent.model.shape import ListShape, Shape
from react_agent.spring.java import STEP, Code, Imports, Prefixed, call, chain, javadoc, lay_out, source, statement
from react_agent.spring.mongodb.details import Details
from react_agent.spring.mongodb.finds import find_body
from react_agent.spring.mongodb.fluent import write_stage
from react_agent.spring.mongodb.functions import CHECKED_YEAR
from react_agent.spring.mongodb.nullness import known_not_null
from react_agent.spring.mongodb.pipelines import open_pipeline
from react_agent.spring.mongodb.predicates import IGNORING_CASE
from react_agent.spring.mongodb.projections import row_of
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.results import Reading, RowRecords, is_static, read_outcome, throws_nothing
from react_agent.spring.mongodb.scope import Scope
from react_agent.spring.mongodb.shapes import shape_of
from react_agent.spring.mongodb.stages import Stage, Step, When
from react_agent.spring.mongodb.types import OBJECT_METHODS
from react_agent.spring.mongodb.values import Values, parameter_name

_INNER = STEP * 2
_OPERATIONS = "org.springframework.data.mongodb.core.MongoOperations"
_AGGREGATION = "org.springframework.data.mongodb.core.aggregation"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMethod:
    """One method's lines and how its result is read back."""

    lines: tuple[str, ...]
    java_method: str
    shape: Shape
    method: QueryMethod
    details: tuple[Details, ...] = ()
    """The records that the method returns beside the documents themselves."""


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
            written.append(_write_method(method, name, project, values, records))
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
    own = [line for name, helper in _OWN.items() if f"{name}(" in text for line in helper.split("\n")]
    return [*lines, *own, *records.lines(text), "}"]


_OWN = {
    IGNORING_CASE: f"""
    /** Writes a text as a pattern in which ASCII letters match in either case, as LIKE takes them. */
    private static String {IGNORING_CASE}(String text) {{
        return text.codePoints()
                .mapToObj(c -> c < 128 && Character.isLetter(c)
                        ? "[" + Character.toString(Character.toLowerCase(c))
                                + Character.toString(Character.toUpperCase(c)) + "]"
                        : Pattern.quote(Character.toString(c)))
                .collect(Collectors.joining());
    }}""",
    CHECKED_YEAR: f"""
    /** Refuses what is no year of a C# date. */
    private static int {CHECKED_YEAR}(int year) {{
        if (year < 1 || year > 9999) {{
            throw new IllegalArgumentException("not a year from 1 to 9999: " + year);
        }}
        return year;
    }}""",
}
"""What a class has of its own where its methods need it."""


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
    method: QueryMethod, name: str, project: Project, values: Values, records: RowRecords
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
    body = _guards(pipeline.guards, reading, values)
    steps = [*pipeline.steps(), *reading.steps]
    found = find_body(query, steps, row, pipeline.root, values)
    if found is not None:
        body += _finish(found, reading, values)
    else:
        body += _aggregate(steps, reading, pipeline.root.java_class, values)
    return WrittenMethod(
        lines=tuple(_method(method, name, reading, body, values)),
        java_method=name,
        shape=shape,
        method=method,
        details=loaded.details if loaded is not None else (),
    )


def _method(method: QueryMethod, name: str, reading: Reading, body: list[str], values: Values) -> list[str]:
    parameters = [f"{values.annotated(p.type)} {parameter_name(p.name)}" for p in method.parameters]
    head = Prefixed(prefix=f"public {reading.returns} ", body=call(name, *parameters))
    locals_ = [
        f"{_INNER}{values.type_name(local.value.type)} {parameter_name(local.name)} = {values.write(local.value)};"
        for local in method.locals
    ]
    early, late = _refusals(method, values)
    opening = f"{STEP}{lay_out(head, STEP, after=2)} {{"
    return [*javadoc(method.summary, STEP), opening, *early, *locals_, *late, *body, f"{STEP}}}"]


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
    test = _bare(values.write(guard))
    return [f"{_INNER}if ({test}) {{", f"{_INNER}{STEP}throw new IllegalArgumentException();", f"{_INNER}}}"]


def _guards(guards: list[str], reading: Reading, values: Values) -> list[str]:
    lines: list[str] = []
    for guard in dict.fromkeys(guards):
        answer = throws_nothing(values) if reading.empty is None else f"return {reading.empty};"
        lines += [f"{_INNER}if ({guard}) {{", f"{_INNER}{STEP}{answer}", f"{_INNER}}}"]
    return lines


def _aggregate(steps: list[Step], reading: Reading, root: str, values: Values) -> list[str]:
    imports = values.imports
    new = imports.static(f"{_AGGREGATION}.Aggregation.newAggregation")
    lists = imports.use("java.util.List")
    if is_static(steps):
        aggregation = imports.use(f"{_AGGREGATION}.Aggregation")
        stages = [write_stage(s, imports) for s in steps if not isinstance(s, When)]
        lines = [statement(Prefixed(prefix=f"{aggregation} aggregation = ", body=call(new, *stages)), _INNER)]
        source_of: Code = "aggregation"
        if not stages:
            lines, source_of = [], call(new, f"{lists}.of()")
    else:
        operation = imports.use(f"{_AGGREGATION}.AggregationOperation")
        arrays = imports.use("java.util.ArrayList")
        lines = [f"{_INNER}{lists}<{operation}> stages = new {arrays}<>();"]
        for step in steps:
            lines += _added(step, values, _INNER)
        source_of = call(new, "stages")
    results = chain(
        call("mongo.aggregate", source_of, f"{root}.class", f"{reading.row_class}.class"), call("getMappedResults")
    )
    return [*lines, *_finish(results, reading, values)]


def _finish(rows: Code, reading: Reading, values: Values) -> list[str]:
    """Read the rows; an expression that returns by itself ends the method."""
    if isinstance(rows, Prefixed):
        return [statement(rows, _INNER)]
    if reading.statements == ("return found",):
        return [statement(Prefixed(prefix="return ", body=rows), _INNER)]
    lists = values.imports.use("java.util.List")
    found = statement(Prefixed(prefix=f"{lists}<{reading.row_class}> found = ", body=rows), _INNER)
    return [found, *_statements(reading.statements)]


def _statements(statements: tuple[Code, ...]) -> list[str]:
    """Indent statements; a block ends by itself."""
    lines: list[str] = []
    for code in statements:
        if isinstance(code, str) and code.endswith("}"):
            lines += [_INNER + line for line in code.split("\n")]
        else:
            lines.append(statement(code, _INNER))
    return lines


def _added(step: Step, values: Values, indent: str) -> list[str]:
    if not isinstance(step, When):
        return [statement(call("stages.add", write_stage(step, values.imports)), indent)]
    ways = [*(steps for _, steps in step.branches), step.otherwise]
    if step.subject and all(len(steps) == 1 and not isinstance(steps[0], When) for steps in ways):
        return _switched(step, values, indent)
    lines: list[str] = []
    keyword = "if"
    for condition, steps in step.branches:
        lines.append(f"{indent}{keyword} ({_bare(condition)}) {{")
        for inner in steps:
            lines += _added(inner, values, indent + STEP)
        keyword = "} else if"
    if step.otherwise:
        lines.append(f"{indent}}} else {{")
        for inner in step.otherwise:
            lines += _added(inner, values, indent + STEP)
    return _negated_when_empty([*lines, f"{indent}}}"], step, values, indent)


def _negated_when_empty(lines: list[str], step: When, values: Values, indent: str) -> list[str]:
    """`if (empty) {} else { … }` reads better as `if (!empty) { … }`."""
    if len(step.branches) != 1 or step.branches[0][1] or not step.otherwise:
        return lines
    condition = step.branches[0][0]
    out = [f"{indent}if ({_opposite(condition)}) {{"]
    for inner in step.otherwise:
        out += _added(inner, values, indent + STEP)
    return [*out, f"{indent}}}"]


def _opposite(condition: str) -> str:
    bare = _bare(condition)
    if bare.endswith(".isEmpty()") and " == null || " in bare:
        return bare.replace(" == null || ", " != null && !", 1)
    return f"!({bare})"


def _bare(condition: str) -> str:
    """Take off parentheses that go around the whole condition."""
    if not (condition.startswith("(") and condition.endswith(")")):
        return condition
    depth = 0
    for at, character in enumerate(condition):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and at < len(condition) - 1:
            return condition
    return condition[1:-1]


def _switched(step: When, values: Values, indent: str) -> list[str]:
    lines = [f"{indent}stages.add(switch ({step.subject}) {{"]
    for case, (_, steps) in zip(step.cases, step.branches, strict=True):
        lines.append(_case(f"case {case}", steps[0], values, indent))
    lines.append(_case("case null, default", step.otherwise[0], values, indent))
    return [*lines, f"{indent}}});"]


def _case(label: str, step: Step, values: Values, indent: str) -> str:
    assert not isinstance(step, When)
    stage: Stage = step
    inner = indent + STEP
    return (
        inner + lay_out(Prefixed(prefix=f"{label} -> ", body=write_stage(stage, values.imports)), inner, after=1) + ";"
    )

"""Stages and criteria in Spring Data's fluent API."""

from react_agent.spring.java import Code, Imports, Invocation, Prefixed, call, chain, text
from react_agent.spring.mongodb.operators import Node, Path, expression, render
from react_agent.spring.mongodb.stages import (
    AddFields,
    Both,
    CountStage,
    Criterion,
    Either,
    ElementMatch,
    ExpressionMatch,
    GroupStage,
    JavaTest,
    Leaf,
    LimitStage,
    Lookup,
    LookupPipeline,
    Match,
    ProjectStage,
    ReplaceRoot,
    SkipStage,
    SortStage,
    Stage,
    Unwind,
)

_QUERY = "org.springframework.data.mongodb.core.query"
_AGGREGATION = "org.springframework.data.mongodb.core.aggregation.Aggregation"
_PACKAGE = "org.springframework.data.mongodb.core.aggregation"
_FIELDS = f"{_PACKAGE}.Fields"
_RANGES = frozenset({"lt", "lte", "gt", "gte"})


def write_criterion(criterion: Criterion, imports: Imports) -> Code:
    """Write a criterion with `where(…)`."""
    match criterion:
        case Leaf():
            return chain(_where(criterion.path, imports), *_operation(criterion))
        case ElementMatch():
            links = [call("not")] if criterion.negated else []
            inner = write_criterion(criterion.criterion, imports)
            return chain(_where(criterion.path, imports), *links, call("elemMatch", inner))
        case ExpressionMatch():
            return _expr(render(criterion.node, imports), imports)
        case JavaTest():
            return _expr(call(f"new {imports.use('org.bson.Document')}", text("$literal"), criterion.code), imports)
        case Both():
            return _both(criterion.parts, imports)
        case Either():
            new = f"new {imports.use(f'{_QUERY}.Criteria')}()"
            return chain(new, call("orOperator", *(write_criterion(p, imports) for p in criterion.parts)))


def _expr(document: Code, imports: Imports) -> Code:
    return call(f"{imports.use(f'{_QUERY}.Criteria')}.expr", Prefixed(prefix="() -> ", body=document))


def _where(path: str, imports: Imports) -> Code:
    return call(imports.static(f"{_QUERY}.Criteria.where"), text(path))


def _operation(leaf: Leaf) -> list[Invocation]:
    return [*([call("not")] if leaf.negated else []), call(leaf.operator, *leaf.arguments)]


def _both(parts: tuple[Criterion, ...], imports: Imports) -> Code:
    """Chain simple conditions on different fields; `andOperator` where two would land on the same key."""
    groups: dict[str, list[Leaf]] = {}
    for part in parts:
        if isinstance(part, Leaf):
            groups.setdefault(part.path, []).append(part)
    chainable = all(len(g) == 1 or _one_range(g) for g in groups.values()) and all(isinstance(p, Leaf) for p in parts)
    if not chainable:
        new = f"new {imports.use(f'{_QUERY}.Criteria')}()"
        return chain(new, call("andOperator", *(write_criterion(p, imports) for p in parts)))
    code: Code = ""
    for path, leaves in groups.items():
        operations = [link for leaf in leaves for link in _operation(leaf)]
        code = chain(code, call("and", text(path)), *operations) if code else chain(_where(path, imports), *operations)
    return code


def _one_range(leaves: list[Leaf]) -> bool:
    operators = {leaf.operator for leaf in leaves}
    return operators <= _RANGES and len(operators) == len(leaves) and not any(leaf.negated for leaf in leaves)


def write_stage(stage: Stage, imports: Imports) -> Code:
    """Write a stage."""
    match stage:
        case Match():
            return call(_static("match", imports), write_criterion(stage.criterion, imports))
        case LookupPipeline():
            return _lookup_pipeline(stage, imports)
        case SortStage():
            return call(_static("sort", imports), sort_of(stage, imports))
        case GroupStage():
            return _group(stage, imports)
        case ProjectStage():
            return _project(stage, imports)
        case AddFields():
            return _add_fields(stage, imports)
        case CountStage():
            return chain(call(_static("count", imports)), call("as", text(stage.into)))
    return _simple(stage, imports)


def _simple(stage: Lookup | Unwind | SkipStage | LimitStage | ReplaceRoot, imports: Imports) -> Code:
    match stage:
        case Lookup():
            parts = (stage.collection, stage.local, stage.foreign, stage.into)
            return call(_static("lookup", imports), *(text(part) for part in parts))
        case Unwind():
            return call(_static("unwind", imports), text(stage.path), *(["true"] if stage.keep else []))
        case SkipStage():
            return call(_static("skip", imports), stage.count)
        case LimitStage():
            return call(_static("limit", imports), stage.count)
        case ReplaceRoot():
            return call(_static("replaceRoot", imports), text(stage.path))


def _static(name: str, imports: Imports) -> str:
    return imports.static(f"{_AGGREGATION}.{name}")


def _lookup_pipeline(stage: LookupPipeline, imports: Imports) -> Code:
    new = imports.static(f"{_PACKAGE}.VariableOperators.Let.ExpressionVariable.newVariable")
    variables = [chain(call(new, text(name)), call("forField", text(path))) for name, path in stage.variables]
    stages = [write_stage(inner, imports) for inner in stage.stages]
    return chain(
        call(_static("lookup", imports)),
        call("from", text(stage.collection)),
        call("let", *variables),
        call("pipeline", *stages),
        call("as", text(stage.into)),
    )


def sort_of(stage: SortStage, imports: Imports) -> Code:
    """Write `Sort.by(…)`; consecutive keys of one direction share a call."""
    sort = imports.use("org.springframework.data.domain.Sort")
    runs: list[tuple[bool, list[str]]] = []
    for path, descending in stage.keys:
        if runs and runs[-1][0] == descending:
            runs[-1][1].append(path)
        else:
            runs.append((descending, [path]))
    codes: list[Code] = []
    for descending, paths in runs:
        by = call(f"{sort}.by", *(text(p) for p in paths))
        codes.append(chain(by, call("descending")) if descending else by)
    first, *rest = codes
    return chain(first, *(call("and", code) for code in rest))


def _group(stage: GroupStage, imports: Imports) -> Code:
    names = []
    for name, node in stage.keys:
        assert isinstance(node, Path)  # pipelines.py computes other keys before
        path = node.path.removeprefix("$")
        names.append((name, path))
    group = _static("group", imports)
    if stage.single or all(name == path for name, path in names):
        start: Code = call(group, *(text(path) for _, path in names))
    else:
        fields = call(f"{imports.use(_FIELDS)}.fields")
        links = [call("and", text(name), text(path)) for name, path in names]
        start = call(group, chain(fields, *links))
    for accumulator in stage.accumulators:
        argument = () if accumulator.argument is None else (_reference(accumulator.argument, imports),)
        start = chain(start, call(accumulator.operator, *argument), call("as", text(accumulator.name)))
    return start


def _reference(node: Node, imports: Imports) -> Code:
    """A path as the fluent API takes it, else an aggregation expression."""
    if isinstance(node, Path) and not node.path.startswith("$$"):
        return text(node.path.removeprefix("$"))
    if isinstance(node, Path):
        return text(node.path)
    return expression(node, imports)


def _stand_alone(node: Node, imports: Imports) -> Code:
    """An aggregation expression for a parameter of type `Object`, where a lambda has no type."""
    if isinstance(node, Path):
        return _reference(node, imports)
    body = Prefixed(prefix="() -> ", body=render(node, imports))
    return call(f"{imports.use(f'{_PACKAGE}.AggregationExpression')}.from", body)


def _project(stage: ProjectStage, imports: Imports) -> Code:
    kept = [name for name, node in stage.members if node == Path(path=f"${name}")]
    start: Code = call(_static("project", imports), *(text(name) for name in kept if name != "_id"))
    for name, node in stage.members:
        if name not in kept:
            start = chain(start, call("and", _reference(node, imports)), call("as", text(name)))
    if not any(name == "_id" for name, _ in stage.members):
        start = chain(start, call("andExclude", text("_id")))
    return start


def _add_fields(stage: AddFields, imports: Imports) -> Code:
    links = []
    for name, node in stage.members:
        links += [call("addField", text(name)), call("withValueOf", _stand_alone(node, imports))]
    return chain(call(_static("addFields", imports)), *links, call("build"))

"""Aggregates: the statements that run a pipeline and read its rows."""

from react_agent.spring.java import STEP, Code, Prefixed, call, chain, statement
from react_agent.spring.mongodb.fluent import write_stage
from react_agent.spring.mongodb.results import Reading, is_static
from react_agent.spring.mongodb.stages import Step, When
from react_agent.spring.mongodb.statements import added
from react_agent.spring.mongodb.values import Values

_INNER = STEP * 2
_AGGREGATION = "org.springframework.data.mongodb.core.aggregation"


def aggregate(steps: list[Step], reading: Reading, root: str, values: Values) -> list[str]:
    """Write the pipeline of some steps over a root's collection, and how its rows are read."""
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
            lines += added(step, values, _INNER)
        source_of = call(new, "stages")
    results = chain(
        call("mongo.aggregate", source_of, f"{root}.class", f"{reading.row_class}.class"), call("getMappedResults")
    )
    return [*lines, *finish(results, reading, values)]


def finish(rows: Code, reading: Reading, values: Values) -> list[str]:
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

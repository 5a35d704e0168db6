"""Outcomes: what reads the rows, and what the method returns when there are none, one or several."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from react_agent.model.mapping import ClrType
from react_agent.model.query import SCALAR_OUTCOMES, Constant, Outcome, Query
from react_agent.spring.java import Code, Prefixed, call, chain
from react_agent.spring.mongodb.entities import record
from react_agent.spring.mongodb.operators import NULL_VALUE, Node, Path, Value, op
from react_agent.spring.mongodb.pipelines import Pipeline, reverse_last_order
from react_agent.spring.mongodb.predicates import criterion
from react_agent.spring.mongodb.projections import Row
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.stages import (
    Accumulator,
    CountStage,
    ExpressionMatch,
    GroupStage,
    JavaTest,
    LimitStage,
    Match,
    ProjectStage,
    Step,
    When,
)
from react_agent.spring.mongodb.types import REFERENCES, VALUE_TYPES, is_value
from react_agent.spring.mongodb.values import Values

NOTHING = "Sequence contains no elements"
SEVERAL = "Sequence contains more than one element"
_ONE = frozenset({
    Outcome.FIRST,
    Outcome.FIRST_OR_DEFAULT,
    Outcome.SINGLE,
    Outcome.SINGLE_OR_DEFAULT,
    Outcome.LAST,
    Outcome.LAST_OR_DEFAULT,
})
_OR_DEFAULT = frozenset({Outcome.FIRST_OR_DEFAULT, Outcome.SINGLE_OR_DEFAULT, Outcome.LAST_OR_DEFAULT})
_NAMES = {
    Outcome.SUM: ("Total", "total"),
    Outcome.MIN: ("Lowest", "lowest"),
    Outcome.MAX: ("Highest", "highest"),
    Outcome.AVERAGE: ("Mean", "mean"),
}
_FOLDS = {Outcome.SUM: "sum", Outcome.MIN: "min", Outcome.MAX: "max", Outcome.AVERAGE: "avg"}


@dataclass(slots=True)
class RowRecords:
    """The private records of one service class that hold a single value of a row."""

    values: Values
    reserved: frozenset[str] = frozenset()
    """Classes of the package, which a nested record would hide."""
    _made: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)

    def take(self, name: str, *components: str, body: tuple[str, ...] = ()) -> str:
        """Name a record with these components; the same one serves every method that needs it."""
        candidate, at = name if name not in self.reserved else f"{name}Row", 2
        while self._made.setdefault(candidate, (components, body)) != (components, body):
            candidate, at = f"{name}{at}", at + 1
        return candidate

    def lines(self, methods: str) -> list[str]:
        """Write the records that the methods name."""
        out: list[str] = []
        for name, (components, members) in self._made.items():
            if f"{name}.class" not in methods:
                continue
            body = [f"        {line}" for line in members]
            out += ["", *record(name, list(components), body, indent="    ", modifier="private ")]
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a method ends: the stages after the clauses, the class of a row, the statements after the query.

    `statements` use `found`, the list of rows. `empty` is what is returned where a page of no rows is asked for.
    """

    steps: tuple[Step, ...]
    row_class: str
    statements: tuple[Code, ...]
    empty: str | None
    returns: str


def read_outcome(query: Query, pipeline: Pipeline, row: Row | None, records: RowRecords, returns: ClrType) -> Reading:
    """Decide how the outcome of a query is read.

    Raises:
        Untranslatable: the outcome has no exact counterpart.
    """
    if query.outcome == Outcome.LIST:
        assert row is not None
        return _list(row, pipeline.values, records, returns)
    if query.outcome in _ONE:
        assert row is not None
        return _one(query, pipeline, row, records, returns)
    match query.outcome:
        case Outcome.COUNT | Outcome.LONG_COUNT:
            return _count(query.outcome, records)
        case Outcome.ANY | Outcome.ALL:
            return _any(query, pipeline)
        case Outcome.AVERAGE if query.element.type.name == "decimal":
            return _decimal_average(query, pipeline, records)
    assert query.outcome in SCALAR_OUTCOMES
    return _fold(query, pipeline, records)


def _list(row: Row, values: Values, records: RowRecords, returns: ClrType) -> Reading:
    if returns.element is None or returns.name in {"IQueryable", "IAsyncEnumerable"}:
        raise Untranslatable(str(returns), "a query that leaves the method unread", "Q65")
    element = returns.element
    mark = values.type_name(ClrType(name="List", element=element))
    if row.loaded is not None:
        mark = f"{values.imports.use('java.util.List')}<{row.java_class}>"
    if row.value is None:
        return Reading(
            steps=row.stages, row_class=row.java_class, statements=("return found",), empty="List.of()", returns=mark
        )
    name = _value_record(row, element, values, records)
    body = chain("found", call("stream"), call("map", f"{name}::value"), call("toList"))
    if row.nullable:
        nullable = f"@{values.imports.use('org.jspecify.annotations.Nullable')} "
        mark = mark.replace("<", f"<{nullable}", 1)
    return Reading(
        steps=(ProjectStage(members=(("value", row.value),)),),
        row_class=name,
        statements=(_returned(body),),
        empty="List.of()",
        returns=mark,
    )


def _returned(code: Code) -> Code:
    return Prefixed(prefix="return ", body=code)


def _value_record(row: Row, clr: ClrType, values: Values, records: RowRecords) -> str:
    nullable = row.nullable or clr.nullable
    return records.take("Value", f"{values.annotated(ClrType(name=clr.name, nullable=nullable))} value")


def _one(query: Query, pipeline: Pipeline, row: Row, records: RowRecords, returns: ClrType) -> Reading:
    values, outcome = pipeline.values, query.outcome
    if outcome in {Outcome.LAST, Outcome.LAST_OR_DEFAULT}:
        reverse_last_order(pipeline)
    single = outcome in {Outcome.SINGLE, Outcome.SINGLE_OR_DEFAULT}
    limit = LimitStage(count="2" if single else "1")
    statements: list[Code] = []
    if single:
        statements.append(f'if (found.size() > 1) {{\n    throw new IllegalStateException("{SEVERAL}");\n}}')
    steps: tuple[Step, ...] = (limit, *row.stages)
    row_class, item = row.java_class, "found.get(0)"
    if row.value is not None:
        steps = (limit, ProjectStage(members=(("value", row.value),)))
        row_class = _value_record(row, returns, values, records)
        item = "found.get(0).value()"
    if outcome not in _OR_DEFAULT:
        statements.append(_nothing(values))
        statements.append(f"return {item}")
        return Reading(
            steps=steps,
            row_class=row_class,
            statements=tuple(statements),
            empty=None,
            returns=row.java_class if row.loaded is not None else values.annotated(returns),
        )
    if is_value(returns, values.mapping) or row.value is not None:
        zero = zero_of(returns, values)
        statements.append(f"return found.isEmpty() ? {zero} : {item}")
        kind = ClrType(name=returns.name, nullable=zero == "null")
        return Reading(
            steps=steps, row_class=row_class, statements=tuple(statements), empty=zero, returns=values.annotated(kind)
        )
    optional = values.imports.use("java.util.Optional")
    statements.append("return found.stream().findFirst()")
    kind = f"{optional}<{row.java_class if row.loaded is not None else values.type_name(returns, boxed=True)}>"
    empty = f"{optional}.empty()"
    return Reading(steps=steps, row_class=row_class, statements=tuple(statements), empty=empty, returns=kind)


def zero_of(clr: ClrType, values: Values) -> str:
    """Write C#'s `default(T)`."""
    if not is_value(clr, values.mapping) or clr.name in REFERENCES:
        return "null"
    known = VALUE_TYPES.get(clr.name)
    if known is None or known.zero == "null":
        raise Untranslatable(f"default({clr})", "the default of this type has no Java constant", "Q55")
    if "." in known.boxed and known.zero.startswith(("BigDecimal", "new UUID")):
        values.imports.use(known.boxed)
    return known.zero


def _count(outcome: Outcome, records: RowRecords) -> Reading:
    name = records.take("Count", "long count")
    whole = "found.isEmpty() ? 0 : found.get(0).count()"
    if outcome == Outcome.COUNT:
        body, kind = f"return Math.toIntExact({whole})", "int"
    else:
        body, kind = f"return {whole}", "long"
    return Reading(steps=(CountStage(into="count"),), row_class=name, statements=(body,), empty="0", returns=kind)


def _any(query: Query, pipeline: Pipeline) -> Reading:
    document = pipeline.values.imports.use("org.bson.Document")
    steps: list[Step] = []
    sign, empty = "!", "false"
    if query.outcome == Outcome.ALL and isinstance(query.element, Constant):
        sign, empty = "", "true"  # no row at all is what the query asks for
    elif query.outcome == Outcome.ALL:
        false = criterion(query.element, pipeline.compiler, wanted=False)
        steps.append(Match(criterion=false if not isinstance(false, JavaTest) else ExpressionMatch(node=_test(false))))
        sign, empty = "", "true"
    steps.append(LimitStage(count="1"))
    return Reading(
        steps=tuple(steps),
        row_class=document,
        statements=(f"return {sign}found.isEmpty()",),
        empty=empty,
        returns="boolean",
    )


def _test(test: JavaTest) -> Node:
    return Value(code=test.code)


def _fold(query: Query, pipeline: Pipeline, records: RowRecords) -> Reading:
    """`$group` over everything; it gives no row at all where there was none."""
    values, element, outcome = pipeline.values, query.element, query.outcome
    compiled = pipeline.compiler.value(element)
    clr = query.type
    record_name, result = _NAMES[outcome]
    group = GroupStage(
        keys=(), accumulators=(Accumulator(name=result, operator=_FOLDS[outcome], argument=compiled.node),)
    )
    if outcome == Outcome.SUM:
        return _sum(clr, group, values, records)
    nullable = clr.nullable or not is_value(clr, values.mapping)
    row = records.take(record_name, f"{values.annotated(ClrType(name=clr.name, nullable=nullable))} {result}")
    if nullable:
        body: tuple[Code, ...] = (f"return found.isEmpty() ? null : found.get(0).{result}()",)
        kind = values.annotated(ClrType(name=clr.name, nullable=True))
        return Reading(steps=(group,), row_class=row, statements=body, empty="null", returns=kind)
    body = (_nothing(values), f"return found.get(0).{result}()")
    return Reading(steps=(group,), row_class=row, statements=body, empty=None, returns=values.type_name(clr))


def _sum(clr: ClrType, group: GroupStage, values: Values, records: RowRecords) -> Reading:
    """The sum of nothing, and of nulls alone, is 0. MongoDB widens an `int` sum; C# does not let it overflow."""
    kind = values.type_name(ClrType(name=clr.name))
    wide = "long" if kind == "int" else kind
    row = records.take("Total", f"{wide} total")
    zero = zero_of(ClrType(name=clr.name), values)
    total = f"found.isEmpty() ? {zero} : found.get(0).total()"
    code = f"return Math.toIntExact({total})" if kind == "int" else f"return {total}"
    return Reading(steps=(group,), row_class=row, statements=(code,), empty=zero, returns=kind)


def _decimal_average(query: Query, pipeline: Pipeline, records: RowRecords) -> Reading:
    """Divide in Java: MongoDB would keep 34 digits where `decimal` keeps 28 or 29."""
    values = pipeline.values
    compiled = pipeline.compiler.value(query.element)
    big = values.imports.use("java.math.BigDecimal")
    row = records.take("Totals", f"{big} total", "long count", body=_mean(values))
    count = Accumulator(name="count", operator="count")
    steps: list[Step] = []
    if compiled.nullable:
        if not isinstance(compiled.node, Path):
            raise Untranslatable("Average", "of a computed decimal that may be null", "Q37")
        present = op("$gt", compiled.node, NULL_VALUE)
        steps.append(Match(criterion=ExpressionMatch(node=present)))
    total = Accumulator(name="total", operator="sum", argument=compiled.node)
    steps.append(GroupStage(keys=(), accumulators=(total, count)))
    nullable = query.type.nullable
    nothing = "if (found.isEmpty()) {\n    return null;\n}" if nullable else _nothing(values)
    body = (nothing, "return found.get(0).mean()")
    kind = values.annotated(ClrType(name="decimal", nullable=nullable))
    empty = "null" if nullable else None
    return Reading(steps=tuple(steps), row_class=row, statements=body, empty=empty, returns=kind)


def _mean(values: Values) -> tuple[str, ...]:
    big = values.imports.use("java.math.BigDecimal")
    context = f"new {values.imports.use('java.math.MathContext')}"
    rounding = f"{values.imports.use('java.math.RoundingMode')}.HALF_EVEN"
    return (
        "/** A C# decimal has 96 bits and at most 28 places. */",
        f"{big} mean() {{",
        f"    {big} mean = total.divide({big}.valueOf(count), {context}(29, {rounding}));",
        f"    mean = mean.setScale(Math.min(mean.scale(), 28), {rounding});",
        f"    return mean.unscaledValue().bitLength() > 96 ? mean.round({context}(28, {rounding})) : mean;",
        "}",
    )


def _nothing(values: Values) -> str:
    return f"if (found.isEmpty()) {{\n    {throws_nothing(values)}\n}}"


def throws_nothing(values: Values) -> str:
    """Write the statement for a page of no rows where an element is required."""
    missing = values.imports.use("java.util.NoSuchElementException")
    return f'throw new {missing}("{NOTHING}");'


def is_static(steps: Sequence[Step]) -> bool:
    """Whether the stages are the same for every call."""
    return not any(isinstance(step, When) for step in steps)

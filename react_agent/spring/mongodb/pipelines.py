"""Clauses to stages: what a query does before its outcome."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from react_agent.model.documents import Document
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Branch,
    Choice,
    Clause,
    Constant,
    Distinct,
    Expression,
    From,
    FromMany,
    GroupBy,
    New,
    OrderBy,
    Outcome,
    Parameter,
    Query,
    Skip,
    Subquery,
    Take,
    Where,
)
from react_agent.spring.mongodb.calls import Compiled
from react_agent.spring.mongodb.expressions import Expressions
from react_agent.spring.mongodb.nullness import known_not_null
from react_agent.spring.mongodb.operators import Node, Path
from react_agent.spring.mongodb.predicates import criterion
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Computed, Grouped, Grouping, Many, Place, Scalar, Scope
from react_agent.spring.mongodb.stages import (
    Accumulator,
    AddFields,
    Both,
    Criterion,
    Either,
    GroupStage,
    JavaTest,
    LimitStage,
    Match,
    ReplaceRoot,
    SkipStage,
    SortStage,
    Step,
    When,
)
from react_agent.spring.mongodb.subqueries import subquery
from react_agent.spring.mongodb.types import field_of
from react_agent.spring.mongodb.values import Values, parametric


@dataclass(slots=True)
class Pipeline:
    """The steps of one query, segment by segment: a group closes a segment, since it hides what stood before."""

    scope: Scope
    values: Values
    root: Document | None = None
    segments: list[tuple[Scope, Grouped | None, tuple[tuple[str, Node], ...], bool]] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)

    @property
    def compiler(self) -> Expressions:
        """What compiles expressions at the pipeline's end."""
        return Expressions(scope=self.scope, values=self.values, subqueries=subquery)

    def steps(self) -> list[Step]:
        """Put the segments together; a group's accumulators are complete only now."""
        out: list[Step] = []
        for scope, grouped, keys, single in self.segments:
            out += scope.steps
            accumulators: Sequence[Accumulator] = grouped.accumulators if grouped else ()
            out.append(GroupStage(keys=keys, accumulators=tuple(accumulators), single=single))
        return _merged([*out, *self.scope.steps])


def open_pipeline(query: Query, scope: Scope, values: Values) -> Pipeline:
    """Read the clauses of a query into a pipeline.

    Raises:
        Untranslatable: a clause has no exact counterpart.
    """
    pipeline = Pipeline(scope=scope, values=values)
    clauses = _without_replaced_orders(query.clauses)
    for clause in clauses:
        try:
            _add(clause, pipeline)
        except Untranslatable as refusal:
            refusal.span = refusal.span or clause.span
            raise
    if pipeline.root is None:
        raise Untranslatable("From", "the query starts from no entity set", "Q67")
    return pipeline


def _without_replaced_orders(clauses: tuple[Clause, ...]) -> list[Clause]:
    """Leave out an `OrderBy` that a later one replaces before a page is cut."""
    kept: list[Clause] = []
    replaced = False
    for clause in reversed(clauses):
        if isinstance(clause, OrderBy) and replaced:
            continue
        replaced = isinstance(clause, OrderBy) or (replaced and not isinstance(clause, Skip | Take | Choice))
        kept.append(clause)
    return kept[::-1]


def _add(clause: Clause, pipeline: Pipeline) -> None:
    match clause:
        case From():
            if pipeline.root is not None:
                raise Untranslatable("from", "a second entity set without a navigation (join)", "Q27")
            pipeline.root = pipeline.scope.start(clause.variable, clause.entity)
        case FromMany():
            _from_many(clause, pipeline)
        case Distinct():
            _distinct(clause, pipeline)
        case GroupBy():
            _group(clause, pipeline)
        case _:
            pipeline.scope.steps += _steps(clause, pipeline)


def _steps(clause: Where | OrderBy | Skip | Take | Choice, pipeline: Pipeline) -> list[Step]:
    match clause:
        case Where():
            return _where(clause.predicate, pipeline)
        case OrderBy():
            return _order(clause, pipeline)
        case Skip():
            return _skip(clause.count, pipeline)
        case Take():
            return _take(clause.count, pipeline)
        case Choice():
            return [_choice(clause, pipeline)]


def _from_many(clause: FromMany, pipeline: Pipeline) -> None:
    scope = pipeline.scope
    collection = clause.collection
    if isinstance(collection, Subquery):
        if clause.outer or collection.query.outcome != Outcome.LIST:
            raise Untranslatable("SelectMany", "over a filtered collection with DefaultIfEmpty", "Q22")
        for inner in collection.query.clauses:
            _add(inner, pipeline)
        found = scope.resolve(collection.query.element)
        if found is None:
            raise Untranslatable("SelectMany", "over computed elements", "Q21")
        scope.bindings[clause.variable] = found
        return
    many = scope.resolve(collection)
    if not isinstance(many, Many):
        raise Untranslatable("SelectMany", "over something that is no collection of documents", "Q21")
    scope.bindings[clause.variable] = scope.unwind(many, keep=clause.outer)


def _where(predicate: Expression, pipeline: Pipeline) -> list[Step]:
    """Add the conditions; what needs a `$lookup` puts it in front by itself."""
    found = criterion(predicate, pipeline.compiler)
    parts = found.parts if isinstance(found, Both) else (found,)
    steps: list[Step] = []
    plain: list[Criterion] = []
    for part in parts:
        conditional = _conditional(part)
        if part == JavaTest(code="true"):
            continue
        if conditional is None:
            plain.append(part)
        else:
            steps.append(conditional)
    if plain:
        steps.insert(0, Match(criterion=plain[0] if len(plain) == 1 else Both(parts=tuple(plain))))
    return steps


def _conditional(part: Criterion) -> When | None:
    """`p == null || x.A == p` drops the filter where the parameter asks for none."""
    if not isinstance(part, Either):
        return None
    tests = [p.code for p in part.parts if isinstance(p, JavaTest)]
    others = tuple(p for p in part.parts if not isinstance(p, JavaTest))
    if not tests or not others:
        return None
    condition = " && ".join(_negation(test) for test in tests)
    inner = others[0] if len(others) == 1 else Either(parts=others)
    return When(branches=((condition, (Match(criterion=inner),)),))


def _negation(test: str) -> str:
    if test.endswith(" == null") and test.count(" ") == 2:
        return test.replace(" == ", " != ")
    if test.startswith("(") and test.endswith(")") and test.count("(") == 2 and " || " in test:
        return f"!{test}"
    return test[1:] if test.startswith("!(") and test.endswith(")") else f"!({test})"


def _order(clause: OrderBy, pipeline: Pipeline) -> list[Step]:
    keys: list[tuple[str, bool]] = []
    computed: list[tuple[str, Node]] = []
    for key in clause.keys:
        if parametric(key.expression):
            continue  # the same for every row
        node = pipeline.compiler.value(key.expression).node
        if isinstance(node, Path):
            keys.append((node.path.removeprefix("$"), key.descending))
        else:
            name = f"sortKey{len(computed) + 1}"
            computed.append((name, node))
            keys.append((name, key.descending))
    steps: list[Step] = [AddFields(members=tuple(computed))] if computed else []
    return [*steps, SortStage(keys=tuple(keys))] if keys else []


def _skip(count: Expression, pipeline: Pipeline) -> list[Step]:
    if isinstance(count, Constant):
        rows = int(count.cell.text or 0)
        return [SkipStage(count=str(rows))] if rows > 0 else []
    return [SkipStage(count=f"Math.max({_count(count, pipeline)}, 0)")]


def _take(count: Expression, pipeline: Pipeline) -> list[Step]:
    if isinstance(count, Constant) and int(count.cell.text or 0) > 0:
        return [LimitStage(count=count.cell.text or "")]
    code = _count(count, pipeline)
    pipeline.guards.append(f"{code} < 1")  # $limit refuses 0
    return [LimitStage(count=code)]


def _count(count: Expression, pipeline: Pipeline) -> str:
    if not parametric(count):
        raise Untranslatable("Skip/Take", "a count that depends on the row", "Q43")
    return pipeline.values.write(count)


def _choice(choice: Choice, pipeline: Pipeline) -> When:
    """Each branch sees what the branches before it have ruled out."""
    outer, known = pipeline.values, frozenset()
    branches = []
    for branch in choice.branches:
        condition = outer.knowing(known).write(branch.condition)
        inside = outer.knowing(known | known_not_null(branch.condition, wanted=True))
        branches.append((condition, _branch(branch.clauses, pipeline, inside)))
        known |= known_not_null(branch.condition, wanted=False)
    otherwise = _branch(choice.otherwise, pipeline, outer.knowing(known))
    subject, cases = _switch(choice.branches, pipeline)
    return When(branches=tuple(branches), otherwise=otherwise, subject=subject, cases=cases)


def _branch(clauses: tuple[Clause, ...], pipeline: Pipeline, values: Values) -> tuple[Step, ...]:
    scope = pipeline.scope
    inner = replace(
        pipeline,
        scope=replace(
            scope, steps=[], joined=dict(scope.joined), taken=set(scope.taken), bindings=dict(scope.bindings)
        ),
        values=values,
        segments=[],
        guards=[],
    )
    for clause in clauses:
        if isinstance(clause, GroupBy | Distinct | FromMany | From):
            raise Untranslatable(type(clause).__name__, "in one branch of a composed query", "Q66", clause.span)
        _add(clause, inner)
        if inner.guards:
            raise Untranslatable("Take", "a computed count in one branch of a composed query", "Q66", clause.span)
    return tuple(_merged(inner.scope.steps))


def _switch(branches: tuple[Branch, ...], pipeline: Pipeline) -> tuple[str, tuple[str, ...]]:
    """Tell whether all conditions compare one text or enum parameter with a constant each."""
    cases: list[str] = []
    subjects: set[str] = set()
    for branch in branches:
        match branch.condition:
            case Binary(operator=BinaryOperator.EQUAL, left=Parameter() as subject, right=Constant() as case) if (
                not case.cell.is_null and subject.type.name == "string"
            ):
                subjects.add(pipeline.values.write(subject))
                cases.append(pipeline.values.write(case))
            case _:
                return "", ()
    return (subjects.pop(), tuple(cases)) if len(subjects) == 1 and len(cases) > 1 else ("", ())


def _distinct(clause: Distinct, pipeline: Pipeline) -> None:
    scope = pipeline.scope
    found = scope.resolve(clause.element)
    if isinstance(found, Place):
        if any(isinstance(s, SkipStage | LimitStage) for s in scope.steps) or found.nullable:
            raise Untranslatable("Distinct", "of entities after a page or an outer join", "Q47")
        first = Accumulator(name="row", operator="first", argument=Path(path=f"${found.prefix or '$ROOT'}"))
        key = (("_id", Path(path=f"${found.at('_id')}")),)
        _close(pipeline, Grouped(scope=scope, element=clause.element, accumulators=[first]), key, single=True)
        pipeline.scope.steps.append(ReplaceRoot(path="row"))
        pipeline.scope.bindings[clause.variable] = Place(prefix="", entity=found.entity, document=found.document)
        pipeline.scope.taken |= {f.field.partition(".")[0] for f in found.document.fields}
        return
    keys, row, single = _key(clause.element, pipeline)
    _close(pipeline, Grouped(scope=scope, element=clause.element, accumulators=[]), keys, single=single)
    pipeline.scope.bindings[clause.variable] = row


def _group(clause: GroupBy, pipeline: Pipeline) -> None:
    grouped = Grouped(scope=pipeline.scope, element=clause.element, accumulators=[])
    keys, key, single = _key(clause.key, pipeline)
    _close(pipeline, grouped, keys, single=single)
    pipeline.scope.bindings[clause.variable] = Grouping(key=key, segment=grouped)


def _close(pipeline: Pipeline, grouped: Grouped, keys: tuple[tuple[str, Node], ...], *, single: bool) -> None:
    """End a segment: after a group only its key and results are there."""
    scope = pipeline.scope
    pipeline.segments.append((scope, grouped, keys, single))
    pipeline.scope = Scope(mapping=scope.mapping, documents=scope.documents, taken={"_id"})


def _key(expression: Expression, pipeline: Pipeline) -> tuple[tuple[tuple[str, Node], ...], Computed, bool]:
    if not isinstance(expression, New):
        value = pipeline.compiler.value(expression)
        node = _plain_path(value, pipeline, "key")
        return (("_id", node),), Computed(node=Path(path="$_id"), nullable=value.nullable), True
    keys: list[tuple[str, Node]] = []
    members: list[tuple[str, Computed]] = []
    for name, member in expression.members:
        value = pipeline.compiler.value(member)
        part = field_of(name).lstrip("_")
        keys.append((part, _plain_path(value, pipeline, part)))
        path = "$_id" if len(expression.members) == 1 else f"$_id.{part}"
        members.append((name, Computed(node=Path(path=path), nullable=value.nullable)))
    row = Computed(node=Path(path="$_id"), nullable=False, members=tuple(members))
    return tuple(keys), row, len(keys) == 1


def _plain_path(value: Compiled, pipeline: Pipeline, name: str) -> Node:
    """Spring Data groups by fields: a computed key becomes one first."""
    if isinstance(value.node, Path):
        return value.node
    unique = name
    while unique in pipeline.scope.taken:
        unique += "Key"
    pipeline.scope.taken.add(unique)
    pipeline.scope.steps.append(AddFields(members=((unique, value.node),)))
    return Path(path=f"${unique}")


def reverse_last_order(pipeline: Pipeline) -> None:
    """Turn the order around for `Last`.

    Raises:
        Untranslatable: there is no order, or a page is cut after it.
    """
    steps = pipeline.scope.steps
    if not steps or not isinstance(steps[-1], SortStage):
        raise Untranslatable("Last", "needs an order directly before it", "Q56")
    steps[-1] = SortStage(keys=tuple((path, not descending) for path, descending in steps[-1].keys))


def _merged(steps: Sequence[Step]) -> list[Step]:
    """Join neighbouring matches into one."""
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if isinstance(step, Match) and isinstance(last, Match):
            parts: list[Criterion] = []
            for one in (last.criterion, step.criterion):
                parts += one.parts if isinstance(one, Both) else (one,)
            out[-1] = Match(criterion=Both(parts=tuple(parts)))
        else:
            out.append(step)
    return out


__all__ = ["Pipeline", "Scalar", "open_pipeline", "reverse_last_order"]

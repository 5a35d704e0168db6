"""Commands: updates and deletes over `MongoOperations`.

Values that Java knows go into one `updateMulti`. Where a new value, or the choice of rows, needs more than one document
knows about itself, the rows are computed by a pipeline and written back by their keys: `$set` with an expression would
need an update pipeline, which counts matched rows no better and can look up nothing.
"""

from dataclasses import replace

from react_agent.model.documents import Document, Field
from react_agent.model.mapping import EntityType
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Change,
    ChangeKind,
    Expression,
    Parameter,
    Setter,
    walk,
)
from react_agent.spring.java import STEP, Code, Prefixed, call, chain, statement, text
from react_agent.spring.mongodb.aggregates import aggregate
from react_agent.spring.mongodb.deletes import cascade, refused, removed
from react_agent.spring.mongodb.entities import component_type
from react_agent.spring.mongodb.finds import matching_query
from react_agent.spring.mongodb.operators import Node, Path
from react_agent.spring.mongodb.pipelines import Pipeline, open_pipeline
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.results import Reading, RowRecords
from react_agent.spring.mongodb.scope import Scalar, Scope
from react_agent.spring.mongodb.stages import ProjectStage
from react_agent.spring.mongodb.statements import bare
from react_agent.spring.mongodb.values import Values, parametric

_INNER = STEP * 2
_QUERY = "org.springframework.data.mongodb.core.query"
SET_OR_UNSET = "setOrUnset"


def write_changes(change: Change, answer: Expression | None, values: Values, records: RowRecords) -> list[str]:
    """Write one command and what the method returns of its count.

    Raises:
        Untranslatable: it has no exact counterpart.
    """
    try:
        scope = Scope(mapping=values.mapping, documents=values.documents)
        pipeline = open_pipeline(change.query, scope, values)
        assert pipeline.root is not None
        writer = _Command(change, answer, pipeline, pipeline.root, values, records)
        return writer.deletes() if change.kind == ChangeKind.DELETE else writer.updates()
    except Untranslatable as refusal:
        refusal.span = refusal.span or change.span
        raise


class _Command:
    """What writes one command."""

    def __init__(
        self,
        change: Change,
        answer: Expression | None,
        pipeline: Pipeline,
        root: Document,
        values: Values,
        records: RowRecords,
    ) -> None:
        self.change, self.answer, self.pipeline, self.root = change, answer, pipeline, root
        self.values, self.records = values, records
        found = values.mapping.find(change.entity)
        assert found is not None
        self.entity: EntityType = found

    def updates(self) -> list[str]:
        """Write an update."""
        self._check_setters()
        fixed = all(parametric(s.value) for s in self.change.setters)
        query = matching_query(self.pipeline.steps(), self.values)
        references = [s for s in self.change.setters if self._references(s)]
        if not fixed or self.change.only_changed:
            return self._update_rows(references)
        if query is None:
            lines, query = self._by_keys()
            found: Code = "!ids.isEmpty()"
        else:
            lines, found = [], call("mongo.exists", query, f"{self.root.java_class}.class")
        for setter in references:
            lines += refused(setter, self.entity, self.values, found)
        return [*lines, *self._update_multi(query)]

    def _by_keys(self) -> tuple[list[str], Code]:
        """Find the rows first, and ask for them by their keys."""
        query = matching_query(self.pipeline.steps(), self.values)
        key = _key_type(self.root, self.values, boxed=True)
        of = f"{self.root.java_class}.class"
        if query is not None:
            name = next((f.java_name for f in self.root.fields if f.field == "_id"), "id")
            lines, rows = [], chain(call("mongo.find", query, of), call("stream"))
            keys = chain(rows, call("map", f"{self.root.java_class}::{name}"), call("toList"))
        else:
            lines, row_class = self._found(keys_only=True)
            keys = chain("found", call("stream"), call("map", f"{row_class}::id"), call("toList"))
        lists = self.values.imports.use("java.util.List")
        lines.append(statement(Prefixed(prefix=f"{lists}<{key}> ids = ", body=keys), _INNER))
        imports = self.values.imports
        where, by = imports.static(f"{_QUERY}.Criteria.where"), imports.static(f"{_QUERY}.Query.query")
        return lines, call(by, chain(call(where, text("_id")), call("in", "ids")))

    def _check_setters(self) -> None:
        names = {s.target.name for s in self.change.setters}
        uniques = {p for index in self.entity.indexes if index.unique for p in index.properties}
        if self.entity.check_constraints:
            raise Untranslatable("check constraint", "an update that a check constraint may refuse", "S41")
        if names & uniques:
            reason = "several rows get a unique value: a database takes back the whole command, MongoDB stops half-way"
            raise Untranslatable(", ".join(sorted(names & uniques)), reason, "Q71")

    def _references(self, setter: Setter) -> bool:
        keys = [k for k in self.entity.foreign_keys if setter.target.name in k.properties]
        if keys and (len(keys) > 1 or len(keys[0].properties) > 1 or not parametric(setter.value)):
            raise Untranslatable(setter.target.name, "this reference is not a value that can be checked first", "Q69")
        return bool(keys)

    def _update_multi(self, query: Code) -> list[str]:
        lines, update = self._update(None)
        asked = call("mongo.updateMulti", query, update, f"{self.root.java_class}.class")
        if self.answer is None:
            return [*lines, statement(asked, _INNER)]
        counted = call("Math.toIntExact", chain(asked, call("getMatchedCount")))
        return [*lines, *self._returned(counted)]

    def _update(self, row: str | None) -> tuple[list[str], Code]:
        """Write the update; with a nullable value it takes statements of its own."""
        update = self.values.imports.use(f"{_QUERY}.Update")
        indent = _INNER if row is None else _INNER + STEP
        sets: list[tuple[str, str, bool]] = []
        for setter in self.change.setters:
            place = self.pipeline.scope.resolve(setter.target)
            assert isinstance(place, Scalar)
            if parametric(setter.value):
                nullable = self.values.may_be_null(setter.value)
                sets.append((place.path, bare(self.values.write(setter.value)), nullable))
            else:
                sets.append((place.path, f"{row}.{self._component(setter)}()", place.field.nullable))
        if all(code == "null" for _, code, _ in sets):
            return [], chain(f"new {update}()", *(call("unset", text(path)) for path, _, _ in sets))
        if not any(nullable for _, _, nullable in sets):
            return [], chain(f"new {update}()", *(call("set", text(path), code) for path, code, _ in sets))
        lines = [f"{indent}{update} update = new {update}();"]
        self.values.imports.use("org.jspecify.annotations.Nullable")
        for path, code, nullable in sets:
            if code == "null":
                lines.append(f"{indent}update.unset({text(path)});")
            elif nullable:
                lines.append(statement(call(SET_OR_UNSET, "update", text(path), code), indent))
            else:
                lines.append(statement(call("update.set", text(path), code), indent))
        return lines, "update"

    def _component(self, setter: Setter) -> str:
        place = self.pipeline.scope.resolve(setter.target)
        assert isinstance(place, Scalar)
        return "idValue" if place.field.java_name == "id" else place.field.java_name

    def _row(self, *, keys_only: bool = False) -> tuple[str, tuple[tuple[str, Node], ...]]:
        """The record that holds a row's key and new values, and what fills it."""
        imports = self.values.imports
        components = [f"{_key_type(self.root, self.values)} id"]
        members: list[tuple[str, Node]] = [("_id", Path(path="$_id"))]
        for setter in self.change.setters if not keys_only else ():
            if parametric(setter.value):
                continue
            place = self.pipeline.scope.resolve(setter.target)
            assert isinstance(place, Scalar)
            components.append(f"{component_type(place.field, imports)} {self._component(setter)}")
            members.append((self._component(setter), self.pipeline.compiler.value(setter.value).node))
        if self._counts_changed():
            components.append("boolean isChanged")
            members.append(("isChanged", self.pipeline.compiler.value(_is_changed(self.change)).node))
        kind = "Key" if len(components) == 1 else "Change"
        return self.records.take(f"{self.root.java_class}{kind}", *components), tuple(members)

    def _counts_changed(self) -> bool:
        return self.change.only_changed and self._is_counted()

    def _is_counted(self) -> bool:
        names = {n.name for n in walk(self.answer) if isinstance(n, Parameter)}
        return self.change.result in names

    def _found(self, *, keys_only: bool = False) -> tuple[list[str], str]:
        """Find the rows that the command picks, with what is computed of each; the record that holds one."""
        row_class, members = self._row(keys_only=keys_only)
        project = [ProjectStage(members=members)] if len(members) > 1 else []
        reading = Reading(steps=(), row_class=row_class, statements=(), empty=None, returns="")
        lines = aggregate([*self.pipeline.steps(), *project], reading, self.root.java_class, self.values)
        return lines, row_class

    def _update_rows(self, references: list[Setter]) -> list[str]:
        """Compute the new values first, then write each row by its key, all in one bulk."""
        lines, row_class = self._found()
        for setter in references:
            lines += refused(setter, self.entity, self.values, "!found.isEmpty()")
        imports = self.values.imports
        where, query = imports.static(f"{_QUERY}.Criteria.where"), imports.static(f"{_QUERY}.Query.query")
        root = f"{self.root.java_class}.class"
        inner, update = self._update("row")
        by_key = call(query, chain(call(where, text("_id")), call("is", "row.id()")))
        bulk = imports.use("org.springframework.data.mongodb.core.BulkOperations")
        opened = call("mongo.bulkOps", f"{bulk}.BulkMode.UNORDERED", root)
        lines.append(statement(Prefixed(prefix=f"{bulk} updates = ", body=opened), _INNER))
        write = call("updates.updateOne", by_key, update)
        lines += [f"{_INNER}for ({row_class} row : found) {{", *inner]
        lines += [statement(write, _INNER + STEP), f"{_INNER}}}"]
        lines += [f"{_INNER}if (!found.isEmpty()) {{", f"{_INNER}{STEP}updates.execute();", f"{_INNER}}}"]
        return [*lines, *self._returned(self._count(row_class))]

    def _count(self, row_class: str) -> Code:
        if not self._counts_changed():
            return "found.size()"
        counted = chain("found", call("stream"), call("filter", f"{row_class}::isChanged"), call("count"))
        return call("Math.toIntExact", counted)

    def deletes(self) -> list[str]:
        """Write a delete, with what the database's foreign keys take along, clear or refuse."""
        taken = cascade(self.entity, self.root, self.values) if self.change.cascades else ()
        query = matching_query(self.pipeline.steps(), self.values)
        of = f"{self.root.java_class}.class"
        if not taken and query is not None:
            asked = call("mongo.remove", query, of)
            if self.answer is None:
                return [statement(asked, _INNER)]
            return self._returned(call("Math.toIntExact", chain(asked, call("getDeletedCount"))))
        lines, _ = self._by_keys()
        return [*lines, *removed(taken, self.root, self.values), *self._returned("ids.size()")]

    def _returned(self, count: Code) -> list[str]:
        if self.answer is None:
            return []
        if self.answer == Parameter(name=self.change.result, type=self.answer.type):
            return [statement(Prefixed(prefix="return ", body=count), _INNER)]
        lines = []
        if self._is_counted():
            lines = [statement(Prefixed(prefix=f"int {self.change.result} = ", body=count), _INNER)]
        return [*lines, f"{_INNER}return {bare(self.values.write(self.answer))};"]


def _is_changed(change: Change) -> Expression:
    """Whether a row's new values are others than its old ones."""
    boolean = replace(change.query.type, name="bool", element=None, nullable=False)
    tests: list[Expression] = [
        Binary(operator=BinaryOperator.NOT_EQUAL, left=s.target, right=s.value, type=boolean) for s in change.setters
    ]
    whole = tests[0]
    for test in tests[1:]:
        whole = Binary(operator=BinaryOperator.OR, left=whole, right=test, type=boolean)
    return whole


def _key_type(document: Document, values: Values, *, boxed: bool = False) -> str:
    if document.key_class is not None:
        return document.key_class
    key: Field | None = next((f for f in document.fields if f.field == "_id"), None)
    if key is None:
        raise Untranslatable(document.java_class, "rows without a key are changed", "S05")
    plain = component_type(key, values.imports)
    return _BOXED.get(plain, plain) if boxed else plain


_BOXED = {"int": "Integer", "long": "Long", "short": "Short", "byte": "Byte", "char": "Character"}

"""Capabilities: what an engine cannot judge, read off the statements as sent and the document model.

A construct that an engine gets silently wrong makes a result on it no evidence, in either direction. The tables were
measured probe by probe against MongoDB's documented behaviour.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from react_agent.model.documents import BsonType, DocumentModel
from react_agent.model.mapping import MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Constant,
    Member,
    OrderBy,
    Outcome,
    Query,
    QueryMethod,
    Subquery,
    walk,
)
from react_agent.model.values import Cell, CellType, Row
from react_agent.proof.evaluate import evaluate
from react_agent.proof.places import places_in
from react_agent.proof.runtime import Unknown
from react_agent.proof.tables import cell_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why an engine cannot judge a statement: the construct and, for people, the whole of it."""

    construct: str
    text: str


Found = tuple[str, str, Any]
"""A construct met in a statement: the operator, `stage` | `expression` | `query`, and its operand."""

REFUSED = frozenset(
    "$unionWith $setWindowFields $switch $toDecimal $trim $ltrim $rtrim $round $regexMatch $regexFind $dateTrunc "
    "$dateDiff $dateAdd $dateSubtract $let $set $unset $sortArray $getField $changeStream $isNumber".split()
)
"""Operators that mongo-java-server answers with an error instead of a result."""

_REFUSED_IN_EXPRESSIONS = frozenset({"$first", "$last", "$type"})
"""The same, where they are no accumulators and no conditions of a filter."""

_TYPE_CHANGING = frozenset({"$avg", "$divide", "$abs", "$floor", "$ceil", "$mod", "$trunc"})


def cannot_judge(engine: str, statements: Iterable[Any], documents: DocumentModel) -> tuple[Reason, ...]:
    """Say which constructs of the statements an engine gets silently wrong; a real MongoDB gets none wrong.

    `engine` is the name a worker reports: `mongo-java-server`, `secantusdb`, `mongodb`.
    """
    table = _ENGINES.get(_engine(engine))
    if table is None:
        return ()
    facts = _facts(documents)
    found = {}
    for statement in statements:
        command = parsed(statement)
        for reason in table(command, facts):
            found.setdefault(reason.construct, reason)
    return tuple(found.values())


def refused(engine: str, statements: Iterable[Any], exception: str | None = None) -> tuple[Reason, ...]:
    """Say which constructs an engine refuses: an error there is the engine's, not the translation's.

    Some it takes for most documents and not for all; those are to blame only for an `exception` of a database.
    """
    if _engine(engine) != "mongo-java-server":
        return ()
    found = {}
    for statement in statements:
        for operator, where, operand in _walk(parsed(statement)):
            if _is_refused(operator, where, operand) or _is_refused_at_times(operator, operand, exception or ""):
                found[operator] = Reason(
                    construct=operator, text=f"mongo-java-server does not know {operator} in this form"
                )
    return tuple(found.values())


def _is_refused(operator: str, where: str, operand: Any) -> bool:
    parts = set(operand) if isinstance(operand, dict) else set()
    if operator == "$lookup":
        return {"localField", "pipeline"} <= parts
    if operator == "$ifNull":
        return isinstance(operand, list) and len(operand) > 2
    if operator in _REFUSED_IN_EXPRESSIONS:
        return where == "expression"
    is_stage_only = operator in {"$set", "$unset"}
    is_known = operator in REFUSED and (where == "stage" or not is_stage_only)
    return is_known or "timezone" in parts


def _is_refused_at_times(operator: str, operand: Any, exception: str) -> bool:
    """A variable of a field that a document lacks is an error; a list with such a value cannot be sent."""
    if operator == "$lookup" and isinstance(operand, dict) and "let" in operand:
        return "Mongo" in exception
    return operator == "$map" and exception.endswith(("DataAccessResourceFailureException", "MongoSocketReadException"))


def ordered_by_chance(engine: str, statements: Iterable[Any]) -> tuple[Reason, ...]:
    """Say that groups were left in the order the engine made them: it sorts them by key, a real server does not."""
    if _engine(engine) != "mongo-java-server":
        return ()
    for statement in statements:
        command = parsed(statement)
        stages = [name for stage in command.get("pipeline", ()) for name in stage] if isinstance(command, dict) else []
        if "$group" in stages and "$sort" not in stages[len(stages) - stages[::-1].index("$group") :]:
            text = "mongo-java-server gives groups in the order of their keys, a real server in none; no $sort follows"
            return (Reason(construct="$group", text=text),)
    return ()


def _engine(name: str) -> str:
    name = name.lower().replace("_", "-")
    return "mongo-java-server" if "java-server" in name else "secantusdb" if "secantus" in name else name


def parsed(statement: Any) -> Any:
    """Read a statement that was kept as text; what does not read holds nothing."""
    if isinstance(statement, str):
        try:
            return json.loads(statement)
        except ValueError:
            return {}
    return statement


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    arrays: frozenset[str]
    decimals: frozenset[str]
    required: frozenset[str]


def _facts(documents: DocumentModel) -> _Facts:
    arrays = {e.field for d in documents.documents for e in d.embedded if e.many}
    arrays |= {f.field for d in documents.documents for f in d.fields if f.bson == BsonType.ARRAY}
    decimals = {f.field for d in documents.documents for f in d.fields if f.bson == BsonType.DECIMAL128}
    every = [f for d in documents.documents for f in d.fields]
    required = {f.field for f in every if not f.nullable} - {f.field for f in every if f.nullable}
    return _Facts(arrays=frozenset(arrays), decimals=frozenset(decimals), required=frozenset(required))


_EXPRESSION_STAGES = {"$project", "$addFields", "$set", "$group", "$replaceRoot", "$replaceWith"}


def _walk(node: Any, where: str = "query") -> Iterator[Found]:
    """Yield every operator of a command with the language it stands in."""
    if isinstance(node, list):
        for item in node:
            yield from _walk(item, where)
    elif isinstance(node, dict):
        for name, value in node.items():
            yield from _member(name, value, where)


def _language(stage: str) -> str:
    if stage == "$group":
        return "group"
    return "expression" if stage in _EXPRESSION_STAGES else "query"


def _member(name: str, value: Any, where: str) -> Iterator[Found]:
    if name == "pipeline" and isinstance(value, list):
        for stage in value:
            for operator, operand in stage.items() if isinstance(stage, dict) else ():
                yield operator, "stage", operand
                yield from _walk(operand, _language(operator))
        return
    if name in {"$expr", "let"}:
        yield name, where, value
        yield from _walk(value, "expression")
        return
    if name == "collation" and value:
        yield "collation", "command", value
    if name.startswith("$"):
        yield name, where, value
    # An accumulator's operand is an expression.
    yield from _walk(value, "expression" if where == "group" and name.startswith("$") else where)


_IN_EXPRESSIONS = frozenset({"expression", "group"})


def _java_server(command: Any, facts: _Facts) -> Iterator[Reason]:
    """mongo-java-server: what it answers wrongly without an error."""
    for operator, where, operand in _walk(command):
        text = _java_server_fault(operator, where, operand, facts)
        if text:
            yield Reason(construct=operator, text=f"mongo-java-server cannot judge {operator}: {text}")
    projection = command.get("projection") if isinstance(command, dict) else None
    if any(name.startswith("$") for name, _, _ in _walk(projection)):
        yield Reason(construct="projection", text="mongo-java-server drops expressions in a find projection")


def _java_server_fault(operator: str, where: str, operand: Any, facts: _Facts) -> str:
    simple = {
        "collation": "it ignores collations",
        "$dayOfWeek": "its result is one off",
        "$jsonSchema": "it does not check schemas",
    }
    if operator in simple:
        return simple[operator]
    if operator in {"$gte", "$lte"} and where == "query" and operand is None:
        return "a range up to null matches other rows"
    if operator in _TYPE_CHANGING and _touches(operand, facts.decimals):
        return "the result of a Decimal128 has another type or fewer digits"
    if operator in {"$toLower", "$toUpper"} and where in _IN_EXPRESSIONS and _may_be_null(operand, facts):
        return "it gives null for null, where MongoDB gives an empty text"
    if operator in {"$push", "$addToSet"} and where in _IN_EXPRESSIONS and _may_be_null(operand, facts):
        return "nulls are collected wrongly"
    if operator in {"$eq", "$ne"} and where in _IN_EXPRESSIONS and isinstance(operand, list) and None in operand:
        return "a missing field against null in an expression"
    if operator == "$group" and isinstance(operand, dict) and _touches(operand.get("_id"), facts.arrays):
        return "groups by arrays are wrong"
    return _array_fault(operator, where, operand, facts)


def _array_fault(operator: str, where: str, operand: Any, facts: _Facts) -> str:
    """What it does with paths: through arrays, and into parts of a document."""
    if operator == "$lookup" and isinstance(operand, dict) and _runs_through(operand.get("localField"), facts.arrays):
        return "a localField that runs through an array finds nothing"
    if where != "stage" or not isinstance(operand, dict):
        return ""
    if operator == "$project" and any(_runs_through(n, facts.arrays) and v == 1 for n, v in _plain(operand)):
        return "a field kept inside an array becomes an array in place of each element"
    if operator in {"$addFields", "$set"} and any("." in name for name in operand):
        return "a field that is added inside a part of the document is dropped"
    return ""


def _plain(operand: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in operand.items() if isinstance(value, int | bool))


def _runs_through(path: Any, arrays: frozenset[str]) -> bool:
    """Whether a path has an array on its way, not at its end."""
    return isinstance(path, str) and any(part in arrays for part in path.split(".")[:-1])


def _may_be_null(operand: Any, facts: _Facts) -> bool:
    """A field path, but for a document's own field that every document of that name must have."""
    is_path = isinstance(operand, str) and operand.startswith("$") and not operand.startswith("$$")
    return is_path and operand.removeprefix("$") not in facts.required


def _touches(operand: Any, names: frozenset[str]) -> bool:
    if isinstance(operand, str) and operand.startswith("$"):
        return any(part in names for part in operand.lstrip("$").split("."))
    if isinstance(operand, dict):
        return any(_touches(value, names) for value in operand.values())
    return isinstance(operand, list) and any(_touches(value, names) for value in operand)


def _secantus(command: Any, facts: _Facts) -> Iterator[Reason]:
    """SecantusDB: what it answers wrongly without an error."""
    for path in _expression_paths(command):
        head, _, tail = path.lstrip("$").partition(".")
        if tail and head in facts.arrays:
            yield Reason(
                construct=path, text=f"SecantusDB cannot judge {path} in an expression: it runs through an array"
            )
    for operator, _, operand in _walk(command):
        if operator == "$regex" and any(part in str(operand) for part in ("\\Q", "\\p{", "\\h", "(?<")):
            yield Reason(construct="$regex", text="SecantusDB cannot judge this regular expression")
        if operator == "$all" or (operator == "$bucket" and _touches(operand, facts.decimals)):
            yield Reason(construct=operator, text=f"SecantusDB cannot judge {operator} here")
        if operator == "collation" and isinstance(operand, dict) and operand.get("locale") not in {"simple", "en"}:
            yield Reason(construct=operator, text="SecantusDB does not order by a language's rules")
    if isinstance(command, dict) and "distinct" in command and "." in str(command.get("key", "")):
        yield Reason(construct="distinct", text="SecantusDB cannot judge distinct on a path through an array")


def _expression_paths(node: Any, *, inside: bool = False) -> Iterator[str]:
    if isinstance(node, str):
        if inside and node.startswith("$") and not node.startswith("$$"):
            yield node
    elif isinstance(node, list):
        for item in node:
            yield from _expression_paths(item, inside=inside)
    elif isinstance(node, dict):
        for name, value in node.items():
            is_plain = name in {"$unwind", "$lookup", "from", "localField", "foreignField", "as"}
            starts = name in {*_EXPRESSION_STAGES, "$expr", "let"}
            yield from _expression_paths(value, inside=(inside or starts) and not is_plain)


_ENGINES: Mapping[str, Callable[[Any, _Facts], Iterator[Reason]]] = {
    "mongo-java-server": _java_server,
    "secantusdb": _secantus,
}


def source_reservations(method: QueryMethod, mapping: MappingModel, sql: Iterable[Any] = ()) -> tuple[str, ...]:
    """Say where SQLite, as the source's engine, may answer otherwise than SQL Server, for what this query touches."""
    if not method.is_read:
        return ()
    found: list[str] = []
    types = _types_touched(method, mapping)
    texts = [str(s.get("text", s)) if isinstance(s, dict) else str(s) for s in sql]
    if CellType.STRING in _compared(method, mapping):
        found.append("text is compared by code point on SQLite; SQL Server's default collation ignores case")
    if any(" LIKE " in text for text in texts) or _has_constant_prefix(method):
        found.append("SQLite's LIKE ignores the case of ASCII letters")
    if CellType.DECIMAL in types and _computes(method):
        found.append("decimals are computed to about 15 digits on SQLite, and their scale is not kept")
    if _may_overflow(method):
        found.append(
            "integers were not tried so large that computing with them overflows: C# may throw there where Java or "
            "MongoDB wraps, widens or rounds"
        )
    calls = {n.method for n in walk(method.asked) if isinstance(n, Call)}
    if calls & {"string.ToLower", "string.ToUpper"}:
        found.append("SQLite changes the case of ASCII letters only")
    if CellType.GUID in _sorted_types(method, mapping):
        found.append("SQL Server orders uniqueidentifier by other bytes than text does")
    if types & {CellType.DATETIMEOFFSET, CellType.TIMESPAN, CellType.ULONG}:
        found.append("SQLite does not order DateTimeOffset, TimeSpan and ulong")
    return tuple(found)


def source_deviations(method: QueryMethod) -> tuple[str, ...]:
    """Say where SQLite itself departs from C#, so that a difference there is not the translation's."""
    found = ["StartsWith or EndsWith with a constant ignores case on SQLite"] if _has_constant_prefix(method) else []
    if any(isinstance(n, Call) and n.method in {"string.ToLower", "string.ToUpper"} for n in walk(method.asked)):
        found.append("SQLite changes the case of ASCII letters only")
    return tuple(found)


def may_deviate(
    method: QueryMethod, mapping: MappingModel, tables: Mapping[str, tuple[Row, ...]], args: Mapping[str, Cell]
) -> bool:
    """Whether a deviation of the source can show on these rows: the interpreter stops where case would decide."""
    try:
        evaluate(method, mapping, tables, args)
    except Unknown:
        return True
    return False


def _has_constant_prefix(method: QueryMethod) -> bool:
    calls = (n for n in walk(method.asked) if isinstance(n, Call))
    return any(
        c.method in {"string.StartsWith", "string.EndsWith"}
        and isinstance(c.arguments[-1], Constant)
        and (c.arguments[-1].cell.text or "").lower() != (c.arguments[-1].cell.text or "").upper()
        for c in calls
    )


def _types_touched(method: QueryMethod, mapping: MappingModel) -> set[CellType]:
    members = (n for n in walk(method.asked) if isinstance(n, Member))
    return {kind for m in members if (kind := cell_type(mapping, m.type)) is not None}


def _compared(method: QueryMethod, mapping: MappingModel) -> set[CellType]:
    found = set()
    for node in walk(method.asked):
        if isinstance(node, Binary | Call) and places_in(mapping, node):
            parts = (node.left, node.right) if isinstance(node, Binary) else node.arguments
            found |= {kind for part in parts if (kind := cell_type(mapping, part.type)) is not None}
    return found | _sorted_types(method, mapping)


def _sorted_types(method: QueryMethod, mapping: MappingModel) -> set[CellType]:
    keys = (k.expression for n in walk(method.asked) if isinstance(n, OrderBy) for k in n.keys)
    return {kind for key in keys if (kind := cell_type(mapping, key.type)) is not None}


_INTEGERS = {"int", "uint", "long", "ulong", "short", "ushort", "byte", "sbyte"}


def _may_overflow(method: QueryMethod) -> bool:
    """Whether integers are added up or computed with; an int sum that is the whole result throws on both sides."""
    return any(_grows(node, is_whole=node is method.query) for node in walk(method.asked))


def _grows(node: object, *, is_whole: bool) -> bool:
    growing = {BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY}
    if isinstance(node, Binary):
        return node.operator in growing and node.type.name in _INTEGERS
    if not isinstance(node, Query) or node.outcome != Outcome.SUM:
        return False
    return node.element.type.name in _INTEGERS - ({"int"} if is_whole else set())


def _computes(method: QueryMethod) -> bool:
    arithmetic = {BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY, BinaryOperator.DIVIDE}
    folds = {Outcome.SUM, Outcome.AVERAGE}
    if method.query is not None and method.query.outcome in folds:
        return True
    return any(
        (isinstance(n, Binary) and n.operator in arithmetic) or (isinstance(n, Subquery) and n.query.outcome in folds)
        for n in walk(method.asked)
    )

"""Hazards: which known traps of a translation an entry's query and mapping touch, by the ids that reports use."""

from collections.abc import Iterator

from react_agent.csharp.hazards_mapping import mapping_hazards
from react_agent.csharp.types import INTEGERS
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    ChangeKind,
    Choice,
    Conditional,
    Constant,
    Distinct,
    Expression,
    FromMany,
    GroupBy,
    Member,
    New,
    OrderBy,
    OrderKey,
    Outcome,
    Parameter,
    Query,
    QueryMethod,
    Skip,
    Subquery,
    Take,
    Unary,
    Where,
    walk,
)

_CALLS = {
    "Contains": "Q10", "StartsWith": "Q10", "EndsWith": "Q10", "ToLower": "Q12", "ToUpper": "Q12", "Trim": "Q12",
    "TrimStart": "Q12", "TrimEnd": "Q12", "Substring": "Q12", "IndexOf": "Q12", "Replace": "Q12", "Length": "Q12",
    "CompareTo": "Q13", "Compare": "Q13", "Like": "Q11", "Round": "Q38", "DayOfWeek": "Q59", "HasFlag": "Q60",
}  # fmt: skip
_OUTCOMES = {
    Outcome.SUM: ("Q34",),
    Outcome.MIN: ("Q35",),
    Outcome.MAX: ("Q35",),
    Outcome.AVERAGE: ("Q35",),
    Outcome.ANY: ("Q50",),
    Outcome.ALL: ("Q51",),
    Outcome.FIRST: ("Q55",),
    Outcome.FIRST_OR_DEFAULT: ("Q55",),
    Outcome.SINGLE: ("Q55",),
    Outcome.SINGLE_OR_DEFAULT: ("Q55",),
    Outcome.LAST: ("Q55", "Q56"),
    Outcome.LAST_OR_DEFAULT: ("Q55", "Q56"),
}
_PLAIN: dict[type, str] = {
    Unary: "Q06",
    Conditional: "Q09",
    New: "Q08",
    Distinct: "Q47",
    GroupBy: "Q28",
    Choice: "Q66",
}
_ODD_ORDERS = frozenset({"bool", "Guid", "DateTimeOffset"})
_TIMES = ("DateTime.", "DateTimeOffset.", "DateOnly.", "TimeOnly.", "TimeSpan.")
_FILTERS_NULL = frozenset({BinaryOperator.LESS, BinaryOperator.LESS_OR_EQUAL, BinaryOperator.GREATER,
                           BinaryOperator.GREATER_OR_EQUAL})  # fmt: skip


def hazards_of(method: QueryMethod, mapping: MappingModel) -> tuple[str, ...]:
    """Name the hazards that an entry touches: `S…` of its entities, `Q…` of its query, each once, in order."""
    if not method.is_read:
        return ()
    found: set[str] = set()
    for query in (method.query, *(change.query for change in method.changes)):
        found.update(mapping_hazards(query, mapping) if query is not None else ())
    for query in _queries(method.asked):
        found.update(_of_query(query))
    for node in walk(method.asked):
        found.update(_of_node(node, mapping))
    found.update("Q69" if change.kind == ChangeKind.UPDATE else "Q70" for change in method.changes)
    if any(isinstance(n, Subquery) and n.query.outcome == Outcome.ANY for n in walk(method.asked)) is False:
        found.discard("Q50")
    return tuple(sorted(found))


def _queries(asked: object) -> Iterator[Query]:
    yield from (n for n in walk(asked) if isinstance(n, Query))


def _of_query(query: Query) -> Iterator[str]:
    yield from _OUTCOMES.get(query.outcome, ())
    if query.outcome == Outcome.SUM and query.element.type.name == "decimal":
        yield "Q37"
    if query.outcome == Outcome.AVERAGE and query.element.type.name in INTEGERS:
        yield "Q36"
    kinds = [type(c) for c in query.clauses]
    if GroupBy in kinds and Where in kinds[kinds.index(GroupBy) :]:
        yield "Q30"
    pages = [at for at, kind in enumerate(kinds) if kind in {Skip, Take}]
    if pages:
        yield "Q43"
        if not any(isinstance(c, OrderBy | Choice) for c in query.clauses[: pages[0]]):
            yield "Q44"


def _of_node(node: object, mapping: MappingModel) -> Iterator[str]:
    plain = _PLAIN.get(type(node))
    if plain is not None:
        yield plain
    match node:
        case Binary():
            yield from _of_binary(node)
        case Call(method=method):
            yield from _of_call(method)
        case FromMany(outer=outer):
            yield "Q22" if outer else "Q21"
        case GroupBy(key=key) if not isinstance(key, Member):
            yield "Q29"
        case Choice(branches=branches):
            if any(isinstance(b.condition, Binary | Call) for b in branches):
                yield "Q07"
        case OrderKey(expression=expression):
            yield from _of_order(expression, mapping)
        case Member(target=Member() as target):
            yield from _of_path(target, mapping)


def _of_binary(node: Binary) -> Iterator[str]:
    left, right = node.left, node.right
    equal = node.operator in {BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL}
    if equal and isinstance(right, Constant) and right.cell.is_null:
        yield "Q02"
    elif equal and isinstance(right, Constant | Parameter):
        yield "Q03" if node.operator == BinaryOperator.NOT_EQUAL else "Q01"
    elif equal:
        yield "Q04"
    if node.operator in _FILTERS_NULL:
        yield from (["Q05"] if left.type.nullable or right.type.nullable else [])
        yield from (["Q13"] if left.type.name == "string" else [])
    if node.operator in {BinaryOperator.AND, BinaryOperator.OR}:
        yield "Q06"
    if node.operator == BinaryOperator.COALESCE:
        yield "Q09"
    if node.operator == BinaryOperator.ADD and node.type.name == "string":
        yield "Q14"
    if node.operator == BinaryOperator.DIVIDE and node.type.name in INTEGERS:
        yield "Q36"
    if node.operator in {BinaryOperator.BIT_AND, BinaryOperator.BIT_OR}:
        yield "Q60"


def _of_call(method: str) -> Iterator[str]:
    owner, name = method.rsplit(".", 1)
    if owner == "Enumerable":
        yield "Q52"
    elif method.startswith(_TIMES):
        yield "Q59" if name == "DayOfWeek" else "Q58"
    elif name in _CALLS:
        yield _CALLS[name]


def _of_order(key: Expression, mapping: MappingModel) -> Iterator[str]:
    yield "Q40"
    if key.type.nullable:
        yield "Q41"
    if key.type.name in _ODD_ORDERS or mapping.find_enum(key.type.name) is not None:
        yield "Q42"


def _of_path(target: Member, mapping: MappingModel) -> Iterator[str]:
    """A member of a reference navigation: one hop, or two."""
    entity = mapping.find(target.type.name)
    if entity is None or entity.owned_by is not None or entity.complex:
        return
    yield "Q15"
    if isinstance(target.target, Member) and target.type.nullable and _nullable(target.target.type):
        yield "Q16"


def _nullable(type_: ClrType) -> bool:
    return type_.nullable

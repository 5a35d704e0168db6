"""Extremes: values at the ends of what a column takes, and values that careless code takes for one another.

An engine's own arithmetic overflows or rounds at the ends, each engine in its own way; a column that a query computes
with gets only numbers with which no computation of that query can get there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal

from react_agent.model.mapping import MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Constant,
    Outcome,
    Query,
    QueryMethod,
    Unary,
    UnaryOperator,
    walk,
)
from react_agent.model.values import Cell, CellType, scalar
from react_agent.proof.canonical import datetime_text, datetime_value
from react_agent.proof.domain import RANGES, distinct, fits, plain, stamp
from react_agent.proof.places import Place, places_in
from react_agent.proof.pools import Pools
from react_agent.proof.tables import Column

PRODUCTS = 30_000
"""The largest magnitude where two columns are multiplied: the product stays inside an int."""

EXACT = 2**53 + 1
"""The first integer that a double does not hold; a thousand of them still add up inside a long."""

SUMS = 10**7
"""The largest magnitude of an int in a sum: two hundred of them stay inside an int."""

Limits = Mapping[Place, int]
"""The largest magnitude of the numbers in a column; columns without one take all that their type does."""

Values = Callable[[str, Column], tuple[Cell, ...]]
"""What the columns of a table are filled with; nothing for a column that is filled as usual."""

_TEXTS = ("a", "a ", "", " ", "\u00e9", "e\u0301", "A", " a", "a  ", "ab", "ae\u0301")
_DECIMALS = ("0.125", "0.001", "-0.001", "1234567.891", "0.1", "0.12", "-1234567.89", "99.99", "0.5")
_DOUBLES = ("0.1", "0.10000000149011612", "0.2", "0.30000000000000004", "16777217", "16777216", "-0.1", "0.3")
_FLOATS = ("0.1", "0.2", "16777216", "-0.1", "0.25")
_STAMPS = (
    "2024-03-31T02:30:00.123",
    "2024-03-31T02:30:00.124",
    "2024-03-31T02:30:00",
    "2024-03-31T02:30:00.999",
    "2024-03-31T02:30:01",
    "1899-12-31T23:59:59.999",
    "1969-12-31T23:59:59.999",
    "2999-12-31T23:59:59.999",
)
_DATES = ("1899-12-31", "1970-01-01", "1969-12-31", "2999-12-31", "0001-01-01", "9999-12-31")
_NUMBERS = ("-2", "-3", "-7", "-1000", "-12")
_NUMERIC = frozenset({*RANGES, CellType.DECIMAL, CellType.DOUBLE, CellType.FLOAT})
_MOMENTS = frozenset({CellType.DATETIME, CellType.DATE})


def extremes(column: Column, limit: int | None = None) -> tuple[Cell, ...]:
    """A column's extreme values; the plain ones where its type has none."""
    found = tuple(cell for cell in _extreme(column, limit) if fits(cell, column))
    return distinct(found) or plain(column)


def _extreme(column: Column, limit: int | None) -> Iterator[Cell]:
    kind = column.type
    if kind in RANGES:
        low, high = RANGES[kind]
        if limit is not None:
            low, high = max(low, -limit), min(high, limit)
        near = (
            low,
            high,
            high - 1,
            high - 2,
            2**30,
            2**30 + 1,
            2**30 + 2,
            EXACT - 1,
            EXACT,
            65_536,
            2**31,
            -1_500_000,
            1,
            0,
        )
        yield from (scalar(kind, n) for n in near if low <= n <= high)
    elif kind == CellType.DATETIME:
        yield from (stamp(text) for text in _STAMPS)
    elif kind == CellType.DATETIMEOFFSET:
        yield from (scalar(kind, datetime_text(datetime_value(text)) + "+00:00") for text in _STAMPS)
    elif kind == CellType.DATE:
        yield from (scalar(kind, text) for text in _DATES)
    elif limit is None or limit > PRODUCTS:
        typed = {
            CellType.STRING: _TEXTS,
            CellType.DECIMAL: _DECIMALS,
            CellType.DOUBLE: _DOUBLES,
            CellType.FLOAT: _FLOATS,
        }
        yield from (scalar(kind, value) for value in typed.get(kind, ()))


def extreme_values(mapping: MappingModel, methods: Iterable[QueryMethod], pools: Pools) -> Values:
    """Fill with extremes, inside what the entries compute with each column and with those it shares its values with."""
    limits = dict(limits_of(mapping, methods))
    for _ in pools.relations:
        for one, other in (pair for a, b in pools.relations for pair in ((a, b), (b, a))):
            if one in limits:
                limits[other] = min(limits[one], limits.get(other, limits[one]))
    return lambda table, column: extremes(column, limits.get((table, column.name)))


def one_sided(pools: Pools, *, above: bool) -> Values:
    """Fill every column of numbers and moments with values on one side of all that a query compares it with.

    A maximum that begins at zero, or a condition for all rows that few kinds of rows break, shows on nothing else.
    """

    def values(table: str, column: Column) -> tuple[Cell, ...]:
        pool = [c for c in pools.of((table, column.name)) if c.type == column.type]
        if column.type in _NUMERIC:
            return _numbers(column, [Decimal(c.text or "0") for c in pool], above=above)
        if column.type in _MOMENTS and pool:
            return tuple(sorted(pool, key=lambda c: c.text or "", reverse=above)[:1])
        return ()

    return values


def _numbers(column: Column, known: list[Decimal], *, above: bool) -> tuple[Cell, ...]:
    edge = max([*known, Decimal(0)]) if above else min([*known, Decimal(0)])
    sign = -1 if above else 1
    made = (f"{edge + sign * Decimal(step):f}" for step in _NUMBERS)
    texts = [str(int(Decimal(text))) if column.type in RANGES else text for text in made]
    return tuple(cell for text in texts if fits(cell := scalar(column.type, text), column))


def limits_of(mapping: MappingModel, methods: Iterable[QueryMethod]) -> Limits:
    """How large the numbers of each column may be for what the entries compute with it."""
    found: dict[Place, int] = {}
    for method in methods:
        for node in walk((*method.asked, *method.locals)):
            # The sum that is the whole result throws on both sides where it is no int.
            limit = None if node is method.query and _is_sum_of_ints(node) else _limit(node)
            if limit is None:
                continue
            for place in places_in(mapping, _computed(node)):
                found[place] = min(limit, found.get(place, limit))
    return found


_ARITHMETIC = frozenset({
    BinaryOperator.ADD,
    BinaryOperator.SUBTRACT,
    BinaryOperator.MULTIPLY,
    BinaryOperator.DIVIDE,
    BinaryOperator.MODULO,
})


def is_arithmetic(node: object) -> bool:
    """Whether a node computes a number from others."""
    return isinstance(node, Binary) and node.operator in _ARITHMETIC and node.type.name != "string"


def _is_sum_of_ints(query: object) -> bool:
    return isinstance(query, Query) and query.outcome == Outcome.SUM and query.element.type.name == "int"


def _computed(node: object) -> object:
    return node.element if isinstance(node, Query) else node


def _limit(node: object) -> int | None:
    """The limit that one computation sets on the columns in it."""
    if isinstance(node, Query):
        is_long = node.element.type.name in {"long", "ulong"}
        if node.outcome == Outcome.SUM:
            return EXACT if is_long else SUMS
        return SUMS if node.outcome == Outcome.AVERAGE and is_long else None
    if isinstance(node, Binary) and is_arithmetic(node):
        is_simple = node.operator in {BinaryOperator.ADD, BinaryOperator.SUBTRACT} or _is_small_factor(node)
        return (EXACT if node.type.name == "long" else SUMS) if is_simple else PRODUCTS
    is_negated = isinstance(node, Unary) and node.operator == UnaryOperator.NEGATE
    is_function = isinstance(node, Call) and node.method.startswith(("Math.", "decimal.", "double."))
    return PRODUCTS if is_negated or is_function or isinstance(node, Cast) else None


def _is_small_factor(node: Binary) -> bool:
    sides = (node.left, node.right)
    factor = next((s.cell for s in sides if isinstance(s, Constant) and s.cell.type in RANGES), None)
    return node.operator == BinaryOperator.MULTIPLY and factor is not None and abs(int(factor.text or "0")) <= 100

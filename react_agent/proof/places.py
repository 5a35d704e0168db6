"""Places: which column an expression of a query reads, and what it is compared with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Constant,
    Expression,
    Member,
    Parameter,
    Query,
    QueryMethod,
    Skip,
    Subquery,
    Take,
    walk,
)
from react_agent.model.values import Cell
from react_agent.proof.tables import home_table, properties_of

Place = tuple[str, str]
"""A table and a column."""

COMPARISONS = frozenset({
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
    BinaryOperator.LESS,
    BinaryOperator.LESS_OR_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_OR_EQUAL,
})


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A comparison, or a call that acts as one: what its two sides read.

    `through` names the calls around a column (`DateTime.Year`, `string.Length`), which change what a neighbour is.
    """

    places: tuple[Place, ...]
    constants: tuple[Cell, ...]
    parameters: tuple[str, ...]
    through: frozenset[str]
    method: str = ""


def entity_of(mapping: MappingModel, expression: Expression) -> EntityType | None:
    """The entity an expression's value is, by its type or through the navigation it reads."""
    if isinstance(expression, Member):
        owner = entity_of(mapping, expression.target)
        if owner is not None:
            for one in (owner, *_bases(mapping, owner)):
                navigation = one.find_navigation(expression.name)
                if navigation is not None:
                    return mapping.find(navigation.target)
    if isinstance(expression, Cast):
        return mapping.find(expression.type.name) or entity_of(mapping, expression.operand)
    found = expression.type
    return mapping.find(found.element.name if found.element else found.name)


def _bases(mapping: MappingModel, entity: EntityType) -> Iterator[EntityType]:
    at = entity
    for _ in range(16):
        if at.base is None or (base := mapping.find(at.base)) is None:
            return
        yield base
        at = base


def place_of(mapping: MappingModel, expression: Expression) -> Place | None:
    """The column that a member reads, None for anything else."""
    if not isinstance(expression, Member):
        return None
    owner = entity_of(mapping, expression.target)
    if owner is None:
        return None
    found = next((p for p in properties_of(mapping, owner) if p.name == expression.name), None)
    table = home_table(mapping, owner, expression.name)
    return (table, found.column) if found is not None and table is not None else None


def places_in(mapping: MappingModel, expression: object) -> tuple[Place, ...]:
    """Every column that a part of a query reads."""
    members = (node for node in walk(expression) if isinstance(node, Member))
    return tuple(dict.fromkeys(p for node in members if (p := place_of(mapping, node))))


def meetings(mapping: MappingModel, method: QueryMethod) -> tuple[Meeting, ...]:
    """Every comparison of an entry, in every clause, branch and subquery, with locals seen through."""
    values = {local.name: local.value for local in method.locals}
    found = []
    for node in walk((*method.asked, *method.locals)):
        if isinstance(node, Binary) and node.operator in COMPARISONS:
            found.append(_meeting(mapping, (node.left, node.right), values))
        elif isinstance(node, Call) and len(node.arguments) > 1:
            found.append(_meeting(mapping, node.arguments, values, node.method))
    return tuple(found)


def _meeting(
    mapping: MappingModel, sides: tuple[Expression, ...], values: Mapping[str, Expression], method: str = ""
) -> Meeting:
    nodes = [node for side in sides for node in walk(side)]
    for node in list(nodes):
        if isinstance(node, Parameter) and node.name in values:
            nodes += walk(values[node.name])
    return Meeting(
        places=places_in(mapping, sides),
        constants=tuple(n.cell for n in nodes if isinstance(n, Constant)),
        parameters=tuple(dict.fromkeys(n.name for n in nodes if isinstance(n, Parameter))),
        through=frozenset(n.method for n in nodes if isinstance(n, Call)),
        method=method,
    )


def counts(method: QueryMethod) -> tuple[frozenset[str], frozenset[str]]:
    """The parameters that decide a `Skip`, and those that decide a `Take`."""
    values = {local.name: local.value for local in method.locals}

    def names(kind: type) -> frozenset[str]:
        found: set[str] = set()
        for node in walk(method.asked):
            if isinstance(node, kind):
                parts = list(walk(node))
                known = [p.name for p in parts if isinstance(p, Parameter) and p.name in values]
                parts += [n for name in known for n in walk(values[name])]
                found |= {n.name for n in parts if isinstance(n, Parameter)}
        return frozenset(found)

    return names(Skip), names(Take)


def subqueries(query: Query) -> Iterator[Query]:
    """Yield the query and every query inside it."""
    yield query
    for node in walk((query.clauses, query.element)):
        if isinstance(node, Subquery):
            yield node.query

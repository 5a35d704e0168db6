"""Unique: whether sort keys tell every row from every other, so that nothing ties."""

from react_agent.model.mapping import MappingModel
from react_agent.model.query import (
    Cast,
    Clause,
    Distinct,
    Expression,
    From,
    FromMany,
    GroupBy,
    Member,
    New,
    OrderKey,
    Var,
)
from react_agent.proof.places import entity_of
from react_agent.proof.tables import lineage, properties_of


def is_total(order: tuple[OrderKey, ...], clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    """Whether an order leaves no ties, for rows made by these clauses."""
    return bool(order) and _is_unique([k.expression for k in order], clauses, mapping)


def _is_unique(keys: list[Expression], clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    """Whether the keys hold a unique key of everything that one row ranges over."""
    wanted: list[str] = []
    for clause in clauses:
        if isinstance(clause, From | FromMany):
            wanted.append(clause.variable)
        elif isinstance(clause, Distinct | GroupBy):
            wanted = [clause.variable]
    return all(_covers(keys, variable, clauses, mapping) for variable in wanted)


def _covers(keys: list[Expression], variable: str, clauses: tuple[Clause, ...], mapping: MappingModel) -> bool:
    read = [bare(key) for key in keys]
    members = {
        k.name for k in read if isinstance(k, Member) and isinstance(k.target, Var) and k.target.name == variable
    }
    for clause in clauses:
        if isinstance(clause, GroupBy) and clause.variable == variable:
            parts = [name for name, _ in clause.key.members] if isinstance(clause.key, New) else []
            nested = {k.name for k in read if isinstance(k, Member) and isinstance(k.target, Member)}
            return "Key" in members or (bool(parts) and set(parts) <= nested)
        if isinstance(clause, Distinct) and clause.variable == variable:
            if isinstance(clause.element, New):
                return {name for name, _ in clause.element.members} <= members
            return any(isinstance(k, Var) and k.name == variable for k in read)
        if isinstance(clause, From) and clause.variable == variable:
            return _has_unique(mapping, clause.entity, members)
        if isinstance(clause, FromMany) and clause.variable == variable:
            entity = entity_of(mapping, clause.collection)
            return entity is not None and not clause.outer and _has_unique(mapping, entity.name, members)
    return False


def _has_unique(mapping: MappingModel, name: str, members: set[str]) -> bool:
    entity = mapping.find(name)
    if entity is None:
        return False
    required = {p.name for p in properties_of(mapping, entity) if not p.nullable}
    keys = [one.key for one in lineage(mapping, entity)] + [
        k for one in lineage(mapping, entity) for k in one.alternate_keys
    ]
    keys += [i.properties for i in entity.indexes if i.unique and i.filter is None and set(i.properties) <= required]
    return any(key and set(key) <= members for key in keys)


def bare(expression: Expression) -> Expression:
    """See through casts that show the same value: a change of nullability."""
    while isinstance(expression, Cast) and _keeps_order(expression):
        expression = expression.operand
    return expression


def _keeps_order(cast: Cast) -> bool:
    """A change of nullability alone shows the same value."""
    return cast.type.name == cast.operand.type.name

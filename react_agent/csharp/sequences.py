"""Sequences: naming, joining branches, and finishing a query under construction."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from react_agent.csharp.constants import converted, null_of
from react_agent.csharp.scope import Reader, Refused, Sequence, Value
from react_agent.csharp.types import SCALARS, promoted
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType, EntityType
from react_agent.model.names import camel
from react_agent.model.query import (
    SCALAR_OUTCOMES,
    Branch,
    Choice,
    Clause,
    Conditional,
    Constant,
    Expression,
    From,
    FromMany,
    Outcome,
    Query,
    Var,
    walk,
)
from react_agent.model.values import Cell

T = TypeVar("T")
_EXPRESSIONS = Expression


def unfiltered(entity: EntityType, span: Span) -> None:
    """Refuse an entity with a global filter, which would hold here too.

    Raises:
        Refused: it has one.
    """
    if entity.query_filter is not None:
        reason = f"`{entity.name}` has a global filter, which is not carried over"
        raise Refused("HasQueryFilter", reason, span, "S47")


def from_set(reader: Reader, found: EntityType, span: Span) -> Sequence:
    """Start from an entity set.

    Raises:
        Refused: the entity has a global filter.
    """
    unfiltered(found, span)
    entity = found.name
    name = reader.fresh_name(camel(entity))
    element = Var(name=name, type=ClrType(name=entity))
    return Sequence(clauses=(From(variable=name, entity=entity, span=span),), element=element, rooted=True, fresh=True)


def over(reader: Reader, collection: Expression, span: Span) -> Sequence:
    """Start from a collection of a row, or from a group."""
    assert collection.type.element is not None
    of = collection.type.element.name
    name = reader.fresh_name("item" if of in SCALARS or not of.isidentifier() else camel(of))
    element = Var(name=name, type=collection.type.element)
    clause = FromMany(variable=name, collection=collection, span=span)
    return Sequence(clauses=(clause,), element=element, rooted=False, fresh=True)


def named(reader: Reader, sequence: Sequence, wanted: str) -> Sequence:
    """Give a fresh sequence's range variable the name that the code gives it."""
    if not sequence.fresh or not isinstance(sequence.element, Var):
        return replace(sequence, fresh=False)
    old = sequence.element.name
    rest = Sequence(clauses=(), element=sequence.element, rooted=False)
    name = old if wanted.strip("_") == "" else reader.fresh_name(wanted, rest)
    if old in reader.distinct:
        reader.distinct[name] = reader.distinct[old]
    if old in reader.groups:
        reader.groups[name] = reader.groups[old]
    return replace(renamed(sequence, old, name), fresh=False)


def renamed(node: T, old: str, new: str) -> T:
    """Rename a range variable everywhere."""
    if old == new:
        return node
    if isinstance(node, tuple):
        return type(node)(renamed(item, old, new) for item in node)
    if not is_dataclass(node) or isinstance(node, type | Cell | ClrType | Span):
        return node
    changed: dict[str, Any] = {f.name: renamed(getattr(node, f.name), old, new) for f in fields(node)}
    if isinstance(node, Var) and node.name == old:
        changed["name"] = new
    if changed.get("variable") == old:
        changed["variable"] = new
    return replace(node, **changed)


def joined(test: Expression, then: Value, otherwise: Value, span: Span) -> Value:
    """Join what two branches give: two queries become one with a `Choice`, two values a `Conditional`.

    Raises:
        Refused: the branches are of different kinds or make different rows.
    """
    if isinstance(test, Constant) and test.cell.text in {"true", "false"}:
        return then if test.cell.text == "true" else otherwise
    if then == otherwise:
        return then
    if isinstance(then, Sequence) and isinstance(otherwise, Sequence):
        return _one_sequence(test, then, otherwise, span)
    if isinstance(then, Query) and isinstance(otherwise, Query):
        return _one_query(test, then, otherwise, span)
    if isinstance(then, _EXPRESSIONS) and isinstance(otherwise, _EXPRESSIONS):
        return conditional(test, then, otherwise)
    raise Refused("branches", "the branches give things of different kinds", span, "Q66")


def conditional(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Make a conditional; its type is nullable where a branch is."""
    if _is_null(then):
        then = null_of(replace(otherwise.type, nullable=True))
    elif _is_null(otherwise):
        otherwise = null_of(replace(then.type, nullable=True))
    elif then.type.name != otherwise.type.name:
        wide = promoted(then.type, otherwise.type)
        then, otherwise = (converted(v, wide) if wide else v for v in (then, otherwise))
    lifted = then.type.nullable or otherwise.type.nullable
    return Conditional(test=test, then=then, otherwise=otherwise, type=replace(then.type, nullable=lifted))


def _is_null(value: Expression) -> bool:
    return isinstance(value, Constant) and value.cell.is_null


def _one_query(test: Expression, then: Query, otherwise: Query, span: Span) -> Query:
    if then.outcome != otherwise.outcome or then.type != otherwise.type:
        raise Refused("branches", "the branches end in different operators", span, "Q66")
    a = Sequence(clauses=then.clauses, element=then.element, rooted=True, includes=then.includes)
    b = Sequence(clauses=otherwise.clauses, element=otherwise.element, rooted=True, includes=otherwise.includes)
    one = _one_sequence(test, a, b, span)
    return replace(then, clauses=one.clauses, element=one.element)


def _one_sequence(test: Expression, then: Sequence, otherwise: Sequence, span: Span) -> Sequence:
    if any(isinstance(node, Var) for node in walk(test)):
        raise Refused("branches", "the condition depends on a row", span, "Q66")
    then, otherwise = _aligned(then, otherwise)
    shared = 0
    while shared < min(len(then.clauses), len(otherwise.clauses)):
        if then.clauses[shared] != otherwise.clauses[shared]:
            break
        shared += 1
    if shared == 0:
        raise Refused("branches", "the branches start from different sets", span, "Q66")
    if then.element != otherwise.element or then.includes != otherwise.includes:
        raise Refused("branches", "the branches make different rows", span, "Q66")
    rest, last = then.clauses[shared:], otherwise.clauses[shared:]
    for clause in (*rest, *last):
        if isinstance(clause, From | FromMany):
            raise Refused("branches", "a branch ranges over more sets than the other", span, "Q66")
    branches: tuple[Branch, ...] = (Branch(condition=test, clauses=rest),)
    if len(last) == 1 and isinstance(last[0], Choice):
        branches, last = (*branches, *last[0].branches), last[0].otherwise
    choice = Choice(branches=branches, otherwise=last, span=span)
    fresh = then.fresh and otherwise.fresh
    return replace(then, clauses=(*then.clauses[:shared], choice), fresh=fresh)


def _aligned(one: Sequence, other: Sequence) -> tuple[Sequence, Sequence]:
    """Give the range variable of the same set one name in both; a name from the code wins over a made one."""
    a, b = one.clauses[0], other.clauses[0]
    if not isinstance(a, From) or not isinstance(b, From) or a.entity != b.entity:
        return one, other
    if one.fresh:
        one = renamed(one, a.variable, b.variable)
    else:
        other = renamed(_freed(other, a.variable), b.variable, a.variable)
    first = replace(a, variable=b.variable if one.fresh else a.variable)
    return (
        replace(one, clauses=(first, *one.clauses[1:])),
        replace(other, clauses=(first, *other.clauses[1:])),
    )


def _freed(sequence: Sequence, name: str) -> Sequence:
    """Make way for a name that a query inside binds."""
    bound = {v for node in walk((sequence.clauses, sequence.element)) if (v := getattr(node, "variable", None))}
    if name not in bound or getattr(sequence.clauses[0], "variable", None) == name:
        return sequence
    free, count = name, 1
    while free in bound:
        count += 1
        free = f"{name}{count}"
    return renamed(sequence, name, free)


def finished(sequence: Sequence, outcome: Outcome, type_: ClrType) -> Query:
    """Finish a query; what was included counts where the rows are still the entities.

    Raises:
        Refused: the entities went through a clause that makes rows of its own.
    """
    includes, first = sequence.includes, sequence.clauses[0]
    if includes and outcome not in SCALAR_OUTCOMES and isinstance(first, From):
        element = sequence.element
        if element.type.name == first.entity and element != Var(name=first.variable, type=element.type):
            raise Refused("Include", "the entities are grouped or made distinct on the way", includes[0].span, "Q17")
        includes = includes if element.type.name == first.entity else ()
    kept = () if outcome in SCALAR_OUTCOMES else includes
    return Query(clauses=sequence.clauses, element=sequence.element, outcome=outcome, type=type_, includes=kept)


def list_type(name: str, element: Expression) -> ClrType:
    """Make the type of a list of rows."""
    return ClrType(name=name, element=element.type)


def with_clause(sequence: Sequence, *clauses: Clause) -> Sequence:
    """Add clauses."""
    return replace(sequence, clauses=(*sequence.clauses, *clauses), fresh=False)

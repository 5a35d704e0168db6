"""Ordering: sort keys, in every branch where there is a choice, and pages."""

from dataclasses import replace

from react_agent.csharp.application import Operator, applied, expression
from react_agent.csharp.scope import Reader, Sequence
from react_agent.csharp.sequences import with_clause
from react_agent.model.query import (
    Branch,
    Choice,
    Clause,
    OrderBy,
    OrderKey,
    Skip,
    Take,
    Var,
    Where,
    walk,
)


def order(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Sort the rows, or add a sort key.

    Raises:
        Refused: this form is not read.
    """
    descending = call.name.endswith("Descending")
    if call.name in {"Order", "OrderDescending"}:
        if call.arguments:
            raise call.refuse("a comparer is not read", "Q13")
        key = source.element
    else:
        if len(call.arguments) != 1:
            raise call.refuse("a comparer is not read", "Q13")
        source, value = applied(reader, source, call.arguments[0], call)
        key = expression(value, call)
    added = OrderKey(expression=key, descending=descending)
    if call.name.startswith("ThenBy"):
        return then_by(source, added, call)
    return with_clause(source, OrderBy(keys=(added,), span=call.span))


def then_by(source: Sequence, key: OrderKey, call: Operator) -> Sequence:
    """Add a sort key behind the last `OrderBy`, in every branch where there is a choice."""
    clauses = _with_key(source.clauses, key)
    if clauses is None:
        raise call.refuse("there is no OrderBy right before it", "Q40")
    return replace(source, clauses=clauses, fresh=False)


def _with_key(clauses: tuple[Clause, ...], key: OrderKey) -> tuple[Clause, ...] | None:
    """Put a key behind the last order; a filter between them leaves it the last order."""
    for at in range(len(clauses) - 1, -1, -1):
        clause = clauses[at]
        if isinstance(clause, OrderBy):
            return (*clauses[:at], replace(clause, keys=(*clause.keys, key)), *clauses[at + 1 :])
        if isinstance(clause, Choice):
            inside = _in_choice(clause, key)
            return None if inside is None else (*clauses[:at], inside, *clauses[at + 1 :])
        if not isinstance(clause, Where):
            return None
    return None


def _in_choice(choice: Choice, key: OrderKey) -> Choice | None:
    otherwise = _with_key(choice.otherwise, key)
    branches = [(b.condition, _with_key(b.clauses, key)) for b in choice.branches]
    if otherwise is None or any(c is None for _, c in branches):
        return None
    made = tuple(Branch(condition=test, clauses=c) for test, c in branches if c is not None)
    return replace(choice, branches=made, otherwise=otherwise)


def reverse(_reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Sort the other way round; EF Core reverses an order, not rows.

    Raises:
        Refused: there is no order, or a page, a group or a choice stands behind it.
    """
    if call.arguments:
        raise call.refuse("this form is not read", "Q56")
    for at in range(len(source.clauses) - 1, -1, -1):
        clause = source.clauses[at]
        if isinstance(clause, OrderBy):
            keys = tuple(replace(key, descending=not key.descending) for key in clause.keys)
            clauses = (*source.clauses[:at], replace(clause, keys=keys), *source.clauses[at + 1 :])
            return replace(source, clauses=clauses, fresh=False)
        if not isinstance(clause, Where):
            break
    raise call.refuse("there is no OrderBy right before it", "Q56")


def page(_reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Cut a page from the rows.

    Raises:
        Refused: this form is not read.
    """
    if len(call.arguments) != 1:
        raise call.refuse("expected one count")
    count = expression(call.arguments[0], call)
    if count.type.name != "int" or count.type.nullable or any(isinstance(n, Var) for n in walk(count)):
        raise call.refuse("the count is not an int that is known before the query", "Q43")
    clause = Skip(count=count, span=call.span) if call.name == "Skip" else Take(count=count, span=call.span)
    return with_clause(source, clause)

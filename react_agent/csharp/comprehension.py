"""Comprehension: query syntax, clause by clause, on the same normal form as the operators."""

from collections.abc import Callable
from dataclasses import replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.application import as_expression, filtered
from react_agent.csharp.grouping import grouped
from react_agent.csharp.joining import entered, matched, related
from react_agent.csharp.ranging import ranged
from react_agent.csharp.scope import Match, Names, Reader, Refused, Sequence, Value
from react_agent.csharp.sequences import named, over, with_clause
from react_agent.model.query import Distinct, Expression, FromMany, GroupBy, OrderBy, OrderKey, Parameter, Var, walk

Evaluate = Callable[[Reader, cs.Expression, Names], Value]


def comprehend(reader: Reader, node: cs.QuerySyntax, names: Names, evaluate: Evaluate) -> Sequence:
    """Read a query expression.

    Raises:
        Refused: a clause of it is not read.
    """
    names = dict(names)
    sequence: Sequence | None = None
    mark = len(reader.open)
    try:
        for clause in node.clauses:
            sequence = _clause(reader, sequence, clause, names, evaluate)
            _open(reader, sequence, mark)
    finally:
        del reader.open[mark:]
    if sequence is None:
        raise Refused("query", "the query has no clauses", node.span)
    return sequence


def _open(reader: Reader, sequence: Sequence, mark: int) -> None:
    """Keep the range variables of the query so far apart from those of queries inside its clauses."""
    del reader.open[mark:]
    if not sequence.fresh:
        reader.open.extend(n.variable for n in walk(sequence.clauses) if isinstance(n, FromMany | Distinct | GroupBy))
        reader.open.extend(n.name for n in walk(sequence.element) if isinstance(n, Var))


def _clause(
    reader: Reader, sequence: Sequence | None, clause: cs.QueryClause, names: Names, evaluate: Evaluate
) -> Sequence:
    if sequence is None:
        if not isinstance(clause, cs.FromClause):
            raise Refused("query", "expected a from clause", clause.span)
        return _first(reader, clause, names, evaluate)
    match clause:
        case cs.FromClause(name=name, source=source):
            value = evaluate(reader, source, names)
            if isinstance(value, Match):
                sequence, names[name] = matched(sequence, value, clause.span, outer=value.outer)
                return sequence
            sequence = ranged(reader, sequence, value, name, clause.span)
            names[name] = sequence.element
            return sequence
        case cs.WhereClause(predicate=predicate):
            return filtered(sequence, _value(reader, predicate, names, evaluate), clause.span)
        case cs.LetClause(name=name, value=value):
            names[name] = _value(reader, value, names, evaluate)
            return sequence
        case cs.OrderClause(keys=keys):
            made = tuple(OrderKey(expression=_value(reader, k, names, evaluate), descending=d) for k, d in keys)
            return with_clause(sequence, OrderBy(keys=made, span=clause.span))
        case cs.SelectClause(value=value):
            return replace(sequence, element=_value(reader, value, names, evaluate), fresh=False)
    return _turn(reader, sequence, clause, names, evaluate)


def _turn(reader: Reader, sequence: Sequence, clause: cs.QueryClause, names: Names, evaluate: Evaluate) -> Sequence:
    """Read a clause after which a row is something else."""
    match clause:
        case cs.GroupClause(element=element, key=key):
            parts = _value(reader, key, names, evaluate), _value(reader, element, names, evaluate)
            return grouped(reader, sequence, parts[0], parts[1], "group", clause.span)
        case cs.IntoClause(name=name):
            sequence = named(reader, sequence, name)
            names[name] = sequence.element
            return sequence
        case cs.JoinClause():
            return _joined(reader, sequence, clause, names, evaluate)
        case cs.Opaque(construct=construct):
            raise Refused(construct, "this clause is not read", clause.span)
    raise Refused("query", "this clause is not read", clause.span)


def _joined(reader: Reader, sequence: Sequence, clause: cs.JoinClause, names: Names, evaluate: Evaluate) -> Sequence:
    """Read `join x in set on a.Key equals x.Key`, with or without `into`."""
    inner = evaluate(reader, clause.source, names)
    if not isinstance(inner, Sequence):
        raise Refused("join", "the inner source is not a query", clause.span, "Q23")
    inner = named(reader, inner, clause.name)
    left = _value(reader, clause.left, names, evaluate)
    right = _value(reader, clause.right, {**names, clause.name: inner.element}, evaluate)
    found = related(reader, inner, (left, right), "join", clause.span)
    if not clause.into:
        sequence, names[clause.name] = entered(reader, sequence, found, clause.name, clause.span, outer=False)
        return sequence
    whole = isinstance(found, Sequence) and len(found.clauses) == 1
    only = found.clauses[0] if isinstance(found, Sequence) else None
    names[clause.into] = only.collection if whole and isinstance(only, FromMany) else found
    return replace(sequence, fresh=False)


def _first(reader: Reader, clause: cs.FromClause, names: Names, evaluate: Evaluate) -> Sequence:
    source = evaluate(reader, clause.source, names)
    if isinstance(source, Expression) and source.type.element is not None and not isinstance(source, Parameter):
        source = over(reader, source, clause.span)
    if not isinstance(source, Sequence):
        raise Refused("from", "the source is not a query", clause.span)
    source = named(reader, source, clause.name)
    names[clause.name] = source.element
    return source


def _value(reader: Reader, node: cs.Expression, names: Names, evaluate: Evaluate) -> Expression:
    value = evaluate(reader, node, names)
    if isinstance(value, Sequence):
        value = as_expression(value, node.span)
    if not isinstance(value, Expression):
        raise Refused("query", "this is not a value of a row", node.span)
    return value

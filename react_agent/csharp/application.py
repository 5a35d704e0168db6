"""Application: an operator call, and a lambda applied to the rows of a query."""

from dataclasses import dataclass

from react_agent.csharp.scope import Function, Reader, Refused, Sequence, Value
from react_agent.csharp.sequences import finished, list_type, named, with_clause
from react_agent.model.gap import Span
from react_agent.model.query import (
    Distinct,
    Expression,
    FromMany,
    GroupBy,
    Outcome,
    Query,
    Subquery,
    Var,
    Where,
    walk,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator call: its name without `Async`, its arguments without tokens, and where it stands."""

    name: str
    arguments: tuple[Value, ...]
    span: Span

    def refuse(self, reason: str, hazard: str = "") -> Refused:
        """Explain why it is not read."""
        return Refused(self.name, reason, self.span, hazard)


def applied(reader: Reader, source: Sequence, function: Value, call: Operator) -> tuple[Sequence, Value]:
    """Apply a lambda to the rows; the sequence comes back with the name that the lambda gives its variable."""
    if not isinstance(function, Function):
        raise call.refuse("expected a lambda")
    if len(function.parameters) != 1:
        raise call.refuse("a lambda with the row's position is not read")
    source = named(reader, source, function.parameters[0])
    mark = len(reader.open)
    reader.open.extend(v for v in ranges_of(source) if v not in reader.open)
    try:
        return source, function.call([source.element])
    finally:
        del reader.open[mark:]


def ranges_of(source: Sequence) -> list[str]:
    """Name the range variables that a query binds or its row uses."""
    return [node.variable for node in walk(source.clauses) if isinstance(node, Distinct | GroupBy | FromMany)] + [
        node.name for node in walk(source.element) if isinstance(node, Var)
    ]


def expression(value: Value, call: Operator) -> Expression:
    """Take a value as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Query | Sequence):
        raise call.refuse("a query over a whole set inside another is not read", "Q27")
    raise call.refuse("this argument is not a value of a row")


def filtered(source: Sequence, predicate: Expression, span: Span) -> Sequence:
    """Add a predicate."""
    return with_clause(source, Where(predicate=predicate, span=span))


def as_expression(value: Sequence, span: Span) -> Expression:
    """Take a query over a row's collection as a value: its list."""
    if value.rooted:
        raise Refused("subquery", "a query over a whole set inside another is not read", span, "Q27")
    type_ = list_type("IEnumerable", value.element)
    return Subquery(query=finished(value, Outcome.LIST, type_), type=type_)

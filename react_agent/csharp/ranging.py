"""Ranging: a second `from` over a collection of each row, with or without rows that have none."""

from dataclasses import replace

from react_agent.csharp.application import Operator, applied, as_expression, expression, ranges_of
from react_agent.csharp.scope import Function, Reader, Refused, Sequence, Value
from react_agent.csharp.sequences import over, renamed
from react_agent.model.gap import Span
from react_agent.model.query import (
    Expression,
    FromMany,
    Var,
    Where,
)


def select_many(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Range over a collection of each row.

    Raises:
        Refused: this form is not read.
    """
    source, value = applied(reader, source, call.arguments[0], call)
    many = ranged(reader, source, value, "", call.span)
    if len(call.arguments) == 1:
        return many
    result = call.arguments[1]
    if not isinstance(result, Function) or len(result.parameters) != 2:
        raise call.refuse("expected a lambda with two parameters")
    many = _renamed_last(reader, many, result.parameters[1])
    made = result.call([source.element, many.element])
    if isinstance(made, Sequence):
        made = as_expression(made, call.span)
    return replace(many, element=expression(made, call), fresh=False)


def _renamed_last(reader: Reader, many: Sequence, wanted: str) -> Sequence:
    last = many.clauses[-1]
    if not isinstance(last, FromMany) or not isinstance(many.element, Var) or many.element.name != last.variable:
        return many
    rest = replace(many, clauses=many.clauses[:-1])
    return renamed(many, last.variable, reader.fresh_name(wanted, rest))


def ranged(reader: Reader, source: Sequence, value: Value, wanted: str, span: Span) -> Sequence:
    """Range over a collection of each row: a second `from`.

    Raises:
        Refused: the collection is a whole set, or is cut or grouped by itself.
    """
    outer = False
    if isinstance(value, Sequence):
        if value.rooted:
            raise Refused("SelectMany", "a cross join of two sets is not read", span, "Q27")
        inner = value
    elif isinstance(value, Expression) and value.type.element is not None:
        inner = over(reader, value, span)
    else:
        raise Refused("SelectMany", "the inner source is not a collection of the row", span, "Q21")
    first, *rest = inner.clauses
    if not isinstance(first, FromMany) or any(not isinstance(c, Where | FromMany) for c in rest):
        raise Refused("SelectMany", "the inner source is sorted, cut or grouped by itself", span, "Q21")
    if isinstance(inner.element, Var) and inner.element.name == first.variable and inner.fresh:
        fresh = reader.fresh_name(wanted or first.variable, source)
        inner = renamed(inner, first.variable, fresh)
    elif first.variable in ranges_of(source):
        inner = renamed(inner, first.variable, reader.fresh_name(first.variable, source))
    outer = any(isinstance(c, FromMany) and c.outer for c in inner.clauses)
    if outer and len(inner.clauses) > 1:
        raise Refused(
            "DefaultIfEmpty", "a filtered collection that keeps rows without a match is not read", span, "Q22"
        )
    return replace(source, clauses=(*source.clauses, *inner.clauses), element=inner.element, fresh=False)


def default_if_empty(_reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Keep rows whose collection is empty.

    Raises:
        Refused: this form is not read.
    """
    only = source.clauses[0]
    if call.arguments or len(source.clauses) != 1 or not isinstance(only, FromMany):
        raise call.refuse("only a row's whole collection can keep rows without a match", "Q22")
    element = source.element
    if isinstance(element, Var):
        element = replace(element, type=replace(element.type, nullable=True))
    return replace(source, clauses=(replace(only, outer=True),), element=element)

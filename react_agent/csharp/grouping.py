"""Grouping: groups and distinct rows, each with a variable of its own."""

from dataclasses import replace

from react_agent.csharp.application import Operator, applied, expression
from react_agent.csharp.members import made_of
from react_agent.csharp.scope import Function, Reader, Sequence
from react_agent.csharp.sequences import named, with_clause
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Distinct,
    Expression,
    GroupBy,
    Member,
    Var,
)


def distinct(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Drop duplicate rows.

    Raises:
        Refused: this form is not read.
    """
    if call.arguments:
        raise call.refuse("a comparer is not read", "Q47")
    base = source.element.name if isinstance(source.element, Var) else "row"
    name = reader.fresh_name(base, source)
    reader.distinct[name] = made_of(reader, source.element) or source.element
    clause = Distinct(variable=name, element=source.element, span=call.span)
    return replace(with_clause(source, clause), element=Var(name=name, type=source.element.type), fresh=True)


def grouped(
    reader: Reader, source: Sequence, key: Expression, element: Expression, wanted: str, span: Span
) -> Sequence:
    """Group the rows."""
    name = reader.fresh_name(wanted, source)
    clause = GroupBy(variable=name, key=key, element=element, span=span)
    reader.groups[name] = clause
    variable = Var(name=name, type=ClrType(name="IGrouping", element=element.type))
    return replace(with_clause(source, clause), element=variable, fresh=True)


def group_by(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Group the rows by a key.

    Raises:
        Refused: this form is not read.
    """
    functions = list(call.arguments)
    if not functions:
        raise call.refuse("expected a key")
    source, value = applied(reader, source, functions.pop(0), call)
    key = expression(value, call)
    element = source.element
    if functions and isinstance(functions[0], Function) and len(functions[0].parameters) == 1:
        source, value = applied(reader, source, functions.pop(0), call)
        element = expression(value, call)
    groups = grouped(reader, source, key, element, "group", call.span)
    if not functions:
        return groups
    result = functions[0]
    if len(functions) != 1 or not isinstance(result, Function) or len(result.parameters) != 2:
        raise call.refuse("this form is not read", "Q28")
    groups = named(reader, groups, result.parameters[1])
    assert isinstance(groups.element, Var)
    made = result.call([Member(target=groups.element, name="Key", type=key.type), groups.element])
    return replace(groups, element=expression(made, call), fresh=False)

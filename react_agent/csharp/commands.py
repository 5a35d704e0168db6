"""Commands: `ExecuteUpdate` and `ExecuteDelete`, read as the rows that a query picks and what becomes of them."""

from dataclasses import replace

from react_agent.csharp.application import Operator, applied
from react_agent.csharp.constants import assignable, converted, null_of
from react_agent.csharp.operators import is_null
from react_agent.csharp.scope import Function, Nothing, Reader, Refused, Sequence, Setters, Value
from react_agent.csharp.sequences import finished, list_type
from react_agent.csharp.types import INT, nullable
from react_agent.model.gap import Span
from react_agent.model.mapping import EntityType
from react_agent.model.query import (
    Change,
    ChangeKind,
    Expression,
    From,
    Member,
    OrderBy,
    Outcome,
    Parameter,
    Query,
    Setter,
    Subquery,
    Var,
    Where,
    walk,
)

COMMANDS = frozenset({"ExecuteUpdate", "ExecuteDelete", "SaveChanges"})
"""The methods of EF Core that write."""


def execute_update(reader: Reader, source: Sequence, call: Operator) -> Value:
    """Read `rows.ExecuteUpdate(set => set.SetProperty(…))`."""
    source = replace(source, fresh=False)  # each setter's lambda has a name of its own for the one row
    query = _picked(reader, source, call)
    if len(call.arguments) != 1 or not isinstance(call.arguments[0], Function):
        raise call.refuse("the setters are not a lambda that stands here", "Q69")
    setters = Setters(source=source, made=[])
    call.arguments[0].call([setters])
    if not setters.made:
        raise call.refuse("no setter is read", "Q69")
    return add(reader, ChangeKind.UPDATE, query, call.span, tuple(setters.made))


def execute_delete(reader: Reader, source: Sequence, call: Operator) -> Value:
    """Read `rows.ExecuteDelete()`."""
    return add(reader, ChangeKind.DELETE, _picked(reader, source, call), call.span)


def set_property(reader: Reader, setters: Setters, arguments: list[Value], span: Span) -> Setters:
    """Read one `SetProperty(property, value)`; the value is a lambda over the row, or known before the command."""
    call = Operator(name="SetProperty", arguments=tuple(arguments), span=span)
    if len(arguments) != 2:
        raise call.refuse("expected a property and a value", "Q69")
    _, target = applied(reader, setters.source, arguments[0], call)
    value = arguments[1]
    if isinstance(value, Function):
        _, value = applied(reader, setters.source, value, call)
    setters.made.append(setter(reader, setters.source.element, target, value, span, setters.made))
    return setters


def setter(reader: Reader, row: Expression, target: Value, value: Value, span: Span, before: list[Setter]) -> Setter:
    """Check one assignment: a mapped scalar of the row itself, assigned once, by a value of its type.

    Raises:
        Refused: it is anything else.
    """
    if not isinstance(target, Member) or target.target != row:
        raise Refused("SetProperty", "only a property of the row itself is set", span, "Q69")
    entity = reader.mapping.find(row.type.name)
    line = _lineage(reader, entity)
    found = next((p for one in line if (p := one.find_property(target.name))), None)
    if entity is None or found is None:
        raise Refused(target.name, "this property is no column of its own", span, "Q69")
    keys = {name for one in line for names in (one.key, *one.alternate_keys) for name in names}
    if target.name in keys:
        raise Refused(target.name, "a key is changed", span, "Q69")
    if any(one.target == target for one in before):
        raise Refused(target.name, "this property is set twice", span, "Q69")
    if not isinstance(value, Expression):
        raise Refused(target.name, "this is not a value of a row", span, "Q69")
    if any(isinstance(n, Subquery) or (isinstance(n, Member) and n.target != row) for n in walk(value)):
        raise Refused(target.name, "EF Core sets no property to what another row holds", span, "Q69")
    if is_null(value):
        return Setter(target=target, value=null_of(nullable(found.type)))
    if not assignable(value, found.type):
        raise Refused(target.name, f"`{value.type}` is converted to `{found.type}`", span, "Q69")
    return Setter(target=target, value=converted(value, found.type))


def _lineage(reader: Reader, entity: EntityType | None) -> list[EntityType]:
    """The entity, then its bases."""
    line: list[EntityType] = []
    while entity is not None and entity not in line:
        line.append(entity)
        entity = reader.mapping.find(entity.base) if entity.base else None
    return line


def add(reader: Reader, kind: ChangeKind, query: Query, span: Span, setters: tuple[Setter, ...] = ()) -> Parameter:
    """Note a command; what it returns is a value that the rest of the method may use."""
    if reader.branch:
        raise Refused("command", "only some ways through the method send this command", span, "Q66")
    name, count = "changed", 1
    taken = {*reader.locals, *reader.taken, *(change.result for change in reader.changes)}
    while name in taken:
        count += 1
        name = f"changed{count}"
    reader.changes.append(Change(kind=kind, query=query, setters=setters, result=name, span=span))
    return Parameter(name=name, type=INT)


def _picked(reader: Reader, source: Sequence, call: Operator) -> Query:
    """Take the rows that a command picks: rows of one set, by conditions alone."""
    hazard = "Q69" if call.name == "ExecuteUpdate" else "Q70"
    if reader.open or reader.branch:
        raise call.refuse("only some ways through the method send this command", hazard)
    first = source.clauses[0]
    whole = isinstance(first, From) and source.element == Var(name=first.variable, type=source.element.type)
    if not source.rooted or not whole or not all(isinstance(c, From | Where | OrderBy) for c in source.clauses):
        raise call.refuse("a command on rows that are joined, grouped, paged or composed by branches", hazard)
    return finished(source, Outcome.LIST, list_type("List", source.element))


def ended(reader: Reader, value: Value, span: Span) -> tuple[Query | None, Expression | None]:
    """Tell what a method with commands ends with: a query of what they left, a value made of their counts, nothing.

    Raises:
        Refused: a result was asked for before a command, which may have changed it.
    """
    if reader.parts:
        raise Refused("query", "the result of a query is used beside a command", span, "Q71")
    if isinstance(value, Query):
        if not any(one is value and after == len(reader.changes) for one, after in reader.asked):
            raise Refused("query", "what is returned was asked for before a command", span, "Q71")
        return value, None
    if isinstance(value, Nothing):
        return None, None
    if not isinstance(value, Expression) or any(isinstance(n, Var | Subquery) for n in walk(value)):
        raise Refused("command", "what is returned is no count and no query's result", span, "Q71")
    return None, value

"""Including: related entities that are loaded with the result."""

from dataclasses import replace

from react_agent.csharp.application import Operator, applied
from react_agent.csharp.scope import Function, Reader, Refused, Sequence, Value
from react_agent.model.mapping import ClrType
from react_agent.model.query import Clause, Constant, From, FromMany, Include, Member, OrderBy, Var, Where

Step = tuple[str, str, tuple[Clause, ...], str]
"""A navigation, the variable and clauses that choose from its collection, the entity that it leads to."""


def include(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    """Read `Include` and `ThenInclude`.

    Raises:
        Refused: this form is not read.
    """
    first = source.clauses[0]
    root = first.variable if isinstance(first, From) else ""
    if len(call.arguments) != 1 or not isinstance(source.element, Var) or source.element.name != root:
        raise call.refuse("only entities that a query starts from load what they refer to", "Q17")
    below = source.latest if call.name == "ThenInclude" else ()
    argument, owner = call.arguments[0], _entity(reader, source, below, call)
    if isinstance(argument, Constant):
        steps: list[Step] = [(_named(part, call), "", (), "") for part in (argument.cell.text or "").split(".")]
    elif call.name == "Include":
        _, value = applied(reader, source, argument, call)
        steps = _steps(value, call)
    elif isinstance(argument, Function) and len(argument.parameters) == 1:
        steps = _steps(argument.call([Var(name=argument.parameters[0], type=ClrType(name=owner))]), call)
    else:
        raise call.refuse("this form is not read", "Q17")
    path = (*below, *(name for name, _, _, _ in steps))
    includes = _added(source.includes, below, steps, call)
    return replace(source, includes=includes, latest=path)


def _named(part: str, call: Operator) -> str:
    if not part.isidentifier():
        raise call.refuse("the path is not a constant", "Q17")
    return part


def _entity(reader: Reader, source: Sequence, below: tuple[str, ...], call: Operator) -> str:
    """Follow a path of navigations to the entity at its end."""
    name = source.element.type.name
    for step in below:
        entity = reader.mapping.find(name)
        navigation = entity.find_navigation(step) if entity is not None else None
        if navigation is None:
            raise call.refuse(f"`{step}` is no navigation", "Q17")
        name = navigation.target
    return name


def _steps(value: Value, call: Operator) -> list[Step]:
    """Read what a lambda selects: navigations one after the other, the last one perhaps chosen from and sorted."""
    if isinstance(value, Sequence):
        first, *rest = value.clauses
        if not isinstance(first, FromMany) or not all(isinstance(c, Where | OrderBy) for c in rest):
            raise call.refuse("a collection that is cut is not read", "Q18")
        *before, (name, _, _, target) = _steps(first.collection, call)
        return [*before, (name, first.variable, tuple(rest), target)]
    if isinstance(value, Member):
        inner = [] if isinstance(value.target, Var) else _steps(value.target, call)
        return [*inner, (value.name, "", (), (value.type.element or value.type).name)]
    raise call.refuse("this is not a navigation", "Q17")


def _added(
    known: tuple[Include, ...], below: tuple[str, ...], steps: list[Step], call: Operator
) -> tuple[Include, ...]:
    """Put a path into the tree of what is included."""
    if below:
        at = next((n for n, one in enumerate(known) if one.navigation == below[0]), None)
        if at is None:
            raise Refused(call.name, "it follows no Include", call.span, "Q17")
        inner = replace(known[at], below=_added(known[at].below, below[1:], steps, call))
        return (*known[:at], inner, *known[at + 1 :])
    if not steps:
        return known
    (name, variable, clauses, _), *rest = steps
    at = next((n for n, one in enumerate(known) if one.navigation == name), len(known))
    one = known[at] if at < len(known) else Include(navigation=name, span=call.span)
    if clauses and one.clauses and one.clauses != clauses:
        raise Refused(call.name, f"`{name}` is included twice with other rows", call.span, "Q18")
    if clauses:
        one = replace(one, variable=variable, clauses=clauses)
    return (*known[:at], replace(one, below=_added(one.below, (), rest, call)), *known[at + 1 :])

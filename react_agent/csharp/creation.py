"""Creation: objects that a query makes for each row."""

from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.constants import assignable, converted
from react_agent.csharp.moments import MADE, made
from react_agent.csharp.scope import Names, Reader, Refused
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import Expression, New

ValueOf = Callable[[Reader, cs.Expression, Names], Expression]


def create(reader: Reader, node: cs.Creation | cs.Anonymous, names: Names, value_of: ValueOf) -> Expression:
    """Read `new { … }`, `new T { … }` and `new T(…)`.

    Raises:
        Refused: the type is not one that the query can fill member by member.
    """
    if isinstance(node, cs.Anonymous):
        if any(not name for name, _ in node.members):
            raise Refused("new", "a member of this object has no name", node.span)
        members = tuple((name, value_of(reader, value, names)) for name, value in node.members)
        return New(members=members, type=ClrType(name=""))
    if node.type is None:
        raise Refused("new()", "the type is left out; name it", node.span, "Q08")
    if node.type.name in MADE and node.type.name not in reader.known.types:
        return made(node, [value_of(reader, a.value, names) for a in node.arguments])
    declared = reader.known.types.get(node.type.name)
    if declared is None:
        raise Refused(f"new {node.type.name}", "this type is not declared in the sources", node.span, "Q08")
    if reader.mapping.find(declared.name) is not None:
        raise Refused(f"new {declared.name}", "the query makes an entity", node.span, "Q08")
    types = {m.name: reader.known.type_of(m.type) for _, m in reader.known.properties(declared.name)}
    given = [*_constructed(reader, node, declared, names, value_of)]
    given += [(name, value_of(reader, value, names)) for name, value in node.members or ()]
    fitted = tuple((name, _fitted(name, value, types, node.span)) for name, value in given)
    return New(members=fitted, type=ClrType(name=declared.name))


def _fitted(name: str, value: Expression, types: dict[str, ClrType], span: Span) -> Expression:
    wanted = types.get(name)
    if wanted is None:
        raise Refused(name, "the type has no such property", span, "Q08")
    if wanted.element is None and not assignable(value, wanted) and value.type.element is None:
        raise Refused(name, f"`{value.type}` is converted to `{wanted}` by code that is not read", span, "Q08")
    return converted(value, wanted) if wanted.element is None else value


def _constructed(
    reader: Reader, node: cs.Creation, declared: cs.TypeDeclaration, names: Names, value_of: ValueOf
) -> list[tuple[str, Expression]]:
    """Read constructor arguments as the properties that they become."""
    if not node.arguments:
        return []
    targets = _targets(declared, node)
    out: list[tuple[str, Expression]] = []
    for at, argument in enumerate(node.arguments):
        parameter = argument.name or list(targets)[at]
        if parameter not in targets:
            raise Refused(f"new {declared.name}", f"no constructor has a parameter `{parameter}`", node.span, "Q08")
        out.append((targets[parameter], value_of(reader, argument.value, names)))
    order = list(targets.values())
    return sorted(out, key=lambda member: order.index(member[0]))


def _targets(declared: cs.TypeDeclaration, node: cs.Creation) -> dict[str, str]:
    """Map each parameter of the constructor to the property that takes it."""
    count = len(node.arguments)
    if declared.kind.startswith("record") and declared.primary is not None and len(declared.primary) == count:
        return {p.name: p.name for p in declared.primary}
    if declared.primary is not None and len(declared.primary) == count:
        initial = {m.value.name: m.name for m in _initialised(declared) if isinstance(m.value, cs.Name)}
        if all(p.name in initial for p in declared.primary):
            return {p.name: initial[p.name] for p in declared.primary}
    found = [m for m in declared.members if isinstance(m, cs.ConstructorDeclaration) and len(m.parameters) == count]
    if len(found) == 1 and found[0].body is not None:
        assigned = _assigned(found[0])
        if assigned is not None:
            return assigned
    reason = "the constructor does more than set a property for each parameter, or is not found"
    raise Refused(f"new {declared.name}", reason, node.span, "Q08")


def _initialised(declared: cs.TypeDeclaration) -> list[cs.FieldDeclaration]:
    return [m for m in declared.members if isinstance(m, cs.FieldDeclaration)]


def _assigned(constructor: cs.ConstructorDeclaration) -> dict[str, str] | None:
    found: dict[str, str] = {}
    assert constructor.body is not None
    for statement in constructor.body.statements:
        expression = statement.expression if isinstance(statement, cs.Evaluate) else None
        if isinstance(statement, cs.Return):
            expression = statement.value
        match expression:
            case cs.Assignment(operator="=", left=cs.Name(name=name), right=cs.Name(name=source)):
                found[source] = name
            case cs.Assignment(
                operator="=", left=cs.Access(target=cs.Name(name="this"), name=name), right=cs.Name(name=source)
            ):
                found[source] = name
            case _:
                return None
    names = [p.name for p in constructor.parameters]
    return {n: found[n] for n in names} if set(names) == set(found) else None

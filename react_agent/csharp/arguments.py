"""Arguments of configuration calls and attributes: names of members, texts, numbers, flags."""

from collections.abc import Sequence

from react_agent.csharp import syntax as cs
from react_agent.csharp.constants import literal
from react_agent.csharp.declarations import Declarations


def positional(arguments: Sequence[cs.Argument], at: int, name: str = "") -> cs.Expression | None:
    """Look up an argument by position or name."""
    named = next((a.value for a in arguments if a.name and a.name == name), None)
    if named is not None:
        return named
    plain = [a.value for a in arguments if not a.name]
    return plain[at] if at < len(plain) else None


def text_of(node: cs.Expression | None, declarations: Declarations) -> str | None:
    """Read a constant text: a literal, `nameof(…)`, a `const` of any declared type, a sum of those; else None."""
    match node:
        case cs.Literal(kind="string", text=text):
            return text
        case cs.Invocation(function=cs.Name(name="nameof"), arguments=(cs.Argument(value=value),)):
            return value.name if isinstance(value, cs.Name | cs.Access) else None
        case cs.Infix(operator="+", left=left, right=right):
            parts = text_of(left, declarations), text_of(right, declarations)
            return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
        case cs.Name(name=name):
            return text_of(_constant(name, None, declarations), declarations)
        case cs.Access(target=cs.Name(name=owner), name=name):
            return text_of(_constant(name, owner, declarations), declarations)
    return None


def number_of(node: cs.Expression | None, declarations: Declarations) -> int | None:
    """Read a constant integer, else None."""
    match node:
        case cs.Literal(kind="integer"):
            return int(literal(node).cell.text or "0")
        case cs.Prefix(operator="-", operand=operand):
            inner = number_of(operand, declarations)
            return None if inner is None else -inner
        case cs.Name(name=name):
            return number_of(_constant(name, None, declarations), declarations)
        case cs.Access(target=cs.Name(name=owner), name=name):
            return number_of(_constant(name, owner, declarations), declarations)
    return None


def flag_of(node: cs.Expression | None) -> bool | None:
    """Read `true` or `false`; an absent argument means true, anything else None."""
    if node is None:
        return True
    if isinstance(node, cs.Literal) and node.kind == "bool":
        return node.text == "true"
    return None


def _constant(name: str, owner: str | None, declarations: Declarations) -> cs.Expression | None:
    """Find the one `const` or static read-only field of a name; None where there is none or more than one."""
    owners = [declarations.types[owner]] if owner in declarations.types else list(declarations.types.values())
    if owner is not None and owner not in declarations.types:
        return None
    fields = [m for t in owners for m in t.members if isinstance(m, cs.FieldDeclaration) and m.name == name]
    found = [f for f in fields if "const" in f.modifiers or {"static", "readonly"} <= f.modifiers]
    return found[0].value if len(found) == 1 else None


def members_of(node: cs.Expression | None, declarations: Declarations) -> tuple[str, ...] | None:
    """Read which members a lambda selects: `x => x.A`, `x => new { x.A, x.B }`; else None."""
    if not isinstance(node, cs.Lambda) or len(node.parameters) != 1:
        name = text_of(node, declarations)
        return None if name is None else (name,)
    body = node.body
    if isinstance(body, cs.Anonymous):
        names = tuple(_selected(value, node.parameters[0]) for _, value in body.members)
        return tuple(n for n in names if n) if all(names) else None
    if isinstance(body, cs.Block):
        return None
    name = _selected(body, node.parameters[0])
    return None if name is None else (name,)


def _selected(body: cs.Expression, parameter: str) -> str | None:
    if isinstance(body, cs.CastTo):
        return _selected(body.operand, parameter)
    match body:
        case cs.Access(target=cs.Name(name=name), name=member) if name == parameter:
            return member
        case cs.Invocation(
            function=cs.Access(target=cs.Name(name="EF"), name="Property"),
            arguments=(_, cs.Argument(value=cs.Literal(kind="string", text=text))),
        ):
            return text
    return None


def member_list(arguments: Sequence[cs.Argument], declarations: Declarations) -> tuple[str, ...] | None:
    """Read the members that a call names: one lambda, or several texts; else None."""
    plain = [a.value for a in arguments if not a.name]
    if len(plain) == 1 and isinstance(plain[0], cs.Collection):
        plain = list(plain[0].items)
    if len(plain) == 1:
        return members_of(plain[0], declarations)
    names = [text_of(p, declarations) for p in plain]
    return tuple(n for n in names if n) if names and all(names) else None

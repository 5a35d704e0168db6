"""Bodies: statements of a method, followed branch by branch to the one value that they return."""

from collections.abc import Callable
from dataclasses import replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.commands import COMMANDS
from react_agent.csharp.constants import literal, null_of
from react_agent.csharp.operators import cast, infix, is_null
from react_agent.csharp.patterns import matches
from react_agent.csharp.scope import Function, Names, Nothing, Reader, Refused, Value
from react_agent.csharp.sequences import joined
from react_agent.csharp.types import BOOL, nullable
from react_agent.model.gap import Span
from react_agent.model.query import Call, Constant, Expression, Local, Parameter, Subquery, Var, walk

Evaluate = Callable[[Reader, cs.Expression, Names], Value]
_BREAKS = (cs.Break, cs.Return, cs.Throw)


def run(reader: Reader, body: cs.Block, names: Names, evaluate: Evaluate) -> Value:
    """Follow a method's body.

    Raises:
        Refused: a statement is not read, or a way through the body returns nothing.
    """
    before = len(reader.changes)
    value = _statements(reader, body.statements, names, evaluate)
    if value is None and len(reader.changes) > before and not reader.branch:
        return Nothing()
    if value is None:
        raise Refused("method", "a way through this method returns no value", body.span)
    return value


def _statements(reader: Reader, statements: tuple[cs.Statement, ...], names: Names, evaluate: Evaluate) -> Value | None:
    """Follow statements; None where the end is reached without a return."""
    for at, statement in enumerate(statements):
        if _guarded(reader, statement, names, evaluate):
            continue
        if isinstance(statement, cs.If | cs.Switch):
            return _branching(reader, statement, statements[at + 1 :], names, evaluate)
        value = _step(reader, statement, names, evaluate)
        if value is not None:
            return value
    return None


_REFUSALS = {
    "ThrowIfNull": "null",
    "ThrowIfNullOrEmpty": "string.IsNullOrEmpty",
    "ThrowIfNullOrWhiteSpace": "string.IsNullOrWhiteSpace",
    "ThrowIfNegative": "<0",
    "ThrowIfNegativeOrZero": "<=0",
    "ThrowIfZero": "==0",
}


def _guarded(reader: Reader, statement: cs.Statement, names: Names, evaluate: Evaluate) -> bool:
    """Take a statement that throws unless an argument is right as a guard of the whole method."""
    if reader.branch:
        return False
    match statement:
        case cs.If(then=cs.Throw() | cs.Block(statements=(cs.Throw(),)), otherwise=None):
            test = _test(reader, statement.test, names, evaluate)
        case cs.Evaluate(
            expression=cs.Invocation(function=cs.Access(target=cs.Name(), name=name), arguments=(first, *_))
        ) if name in _REFUSALS:
            value = evaluate(reader, first.value, names)
            if not isinstance(value, Expression):
                raise Refused(name, "this is not a value", statement.span)
            test = _refusal(_REFUSALS[name], value, statement.span)
        case _:
            return False
    if any(isinstance(n, Var | Subquery) for n in walk(test)):
        raise Refused("throw", "the condition depends on a row", statement.span, "Q66")
    reader.guards.append(test)
    return True


def _refusal(kind: str, value: Expression, span: Span) -> Expression:
    if kind == "null":
        return infix("==", value, null_of(nullable(value.type)), span)
    if kind.startswith("string."):
        return Call(method=kind, arguments=(value,), type=BOOL)
    return infix(kind.rstrip("0"), value, literal(cs.Literal(kind="integer", text="0", span=span)), span)


def _step(reader: Reader, statement: cs.Statement, names: Names, evaluate: Evaluate) -> Value | None:
    """Follow one statement that does not branch."""
    match statement:
        case cs.Return(value=value) if value is not None:
            return evaluate(reader, value, names)
        case cs.LocalVariable():
            names[statement.name] = _local(reader, statement, names, evaluate)
        case cs.Evaluate(expression=expression):
            _effect(reader, expression, names, evaluate)
        case cs.Block(statements=inner):
            return _statements(reader, inner, names, evaluate)
        case cs.Throw():
            raise Refused("throw", "a way through this method throws", statement.span)
        case _:
            construct = statement.construct if isinstance(statement, cs.Opaque) else type(statement).__name__.lower()
            raise Refused(construct, "this statement is not read in an entry", statement.span, "Q66")
    return None


def _local(reader: Reader, node: cs.LocalVariable, names: Names, evaluate: Evaluate) -> Value:
    """Read a local; a value that is computed from parameters is named, so that it is computed once."""
    if node.value is None:
        raise Refused(node.name, "a local without a value is not read", node.span)
    value = evaluate(reader, node.value, names)
    if not isinstance(value, Expression):
        return value
    if node.type.name != "var":
        declared = reader.known.type_of(node.type)
        value = null_of(nullable(declared)) if is_null(value) else cast(value, declared)
    simple = isinstance(value, Constant | Parameter)
    if simple or reader.branch or any(isinstance(n, Var) for n in walk(value)):
        return value
    name = _unused(reader, node.name)
    reader.locals[name] = Local(name=name, value=value)
    return Parameter(name=name, type=value.type)


def _once(reader: Reader, value: Expression) -> Expression:
    """Name what a switch compares with each case, so that it is computed once."""
    of = [n.name for n in walk(value) if isinstance(n, Parameter)]
    if isinstance(value, Constant | Parameter) or reader.branch or not of:
        return value
    if any(isinstance(n, Var | Subquery) for n in walk(value)):
        return value
    name = _unused(reader, f"{of[0]}Value")
    reader.locals[name] = Local(name=name, value=value)
    return Parameter(name=name, type=value.type)


def _unused(reader: Reader, wanted: str) -> str:
    name, count = wanted, 1
    while name in reader.locals or name in reader.taken:
        count += 1
        name = f"{wanted}{count}"
    return name


def _sends(reader: Reader, node: cs.Expression) -> bool:
    """Whether a statement calls what writes, or a method of the sources, which may."""
    if isinstance(node, cs.Assignment | cs.Opaque):
        return False
    name = _called(node)
    own = any(
        isinstance(m, cs.MethodDeclaration) and m.name == name
        for declared in reader.known.lineage(reader.class_name)
        for m in declared.members
    )
    return own or name.removesuffix("Async") in COMMANDS


def _effect(reader: Reader, node: cs.Expression, names: Names, evaluate: Evaluate) -> None:
    """Follow an assignment to a local; any other effect is not read."""
    if _sends(reader, node):
        before = len(reader.changes)
        evaluate(reader, node, names)
        if len(reader.changes) > before:
            return
    match node:
        case cs.Assignment(operator="=", left=cs.Name(name=name), right=right) if name in names:
            value = evaluate(reader, right, names)
            before = names[name]
            if isinstance(value, Expression) and isinstance(before, Expression):
                kept = replace(before.type, nullable=before.type.nullable or value.type.nullable)
                value = (
                    null_of(nullable(before.type))
                    if is_null(value)
                    else cast(value, kept)
                    if (value.type.name != before.type.name)
                    else value
                )
            names[name] = value
        case cs.Assignment(operator="??=", left=cs.Name(name=name), right=right) if name in names:
            one, other = names[name], evaluate(reader, right, names)
            if not isinstance(one, Expression) or not isinstance(other, Expression):
                raise Refused("??=", "this is not a value", node.span)
            names[name] = infix("??", one, other, node.span)
        case cs.Assignment():
            raise Refused("assignment", "only locals are assigned in an entry that is read", node.span)
        case cs.Opaque(construct=construct):
            raise Refused(construct, "this statement is not read in an entry", node.span)
        case _:
            reason = "a statement with an effect of its own is not read"
            raise Refused(_called(node), reason, node.span, "Q71")


def _called(node: cs.Expression) -> str:
    if isinstance(node, cs.Await):
        return _called(node.operand)
    if isinstance(node, cs.Invocation) and isinstance(node.function, cs.Access | cs.Name):
        return node.function.name
    return "statement"


def _branching(
    reader: Reader,
    node: cs.If | cs.Switch,
    rest: tuple[cs.Statement, ...],
    names: Names,
    evaluate: Evaluate,
) -> Value | None:
    """Follow every branch with what comes behind it, and join what they return; or join what they assign."""
    branches = _branches(reader, node, names, evaluate)
    outcomes: list[tuple[Expression | None, Value | None, Names]] = []
    reader.branch += 1
    for test, body in branches:
        inner = dict(names)
        outcomes.append((test, _statements(reader, body, inner, evaluate), inner))
    reader.branch -= 1
    if all(value is None for _, value, _ in outcomes):
        names.update(_merged(outcomes, names, node.span))
        return _statements(reader, rest, names, evaluate)
    last: Value | None = None
    for test, ended, inner in reversed(outcomes):
        value = ended
        if value is None:
            reader.branch += 1
            value = _statements(reader, rest, inner, evaluate)
            reader.branch -= 1
        if value is None:
            raise Refused("branches", "one branch returns and another reaches the end", node.span, "Q66")
        last = value if test is None or last is None else joined(test, value, last, node.span)
    return last


def _merged(outcomes: list[tuple[Expression | None, Value | None, Names]], names: Names, span: Span) -> Names:
    """Join what branches assign to the locals that stand outside of them."""
    out: Names = {}
    for name, before in names.items():
        ends = [(test, inner[name]) for test, _, inner in outcomes]
        if all(value is before for _, value in ends) or isinstance(before, Function):
            continue
        last = ends[-1][1]
        for test, value in reversed(ends[:-1]):
            assert test is not None
            last = joined(test, value, last, span)
        out[name] = last
    return out


def _branches(
    reader: Reader, node: cs.If | cs.Switch, names: Names, evaluate: Evaluate
) -> list[tuple[Expression | None, tuple[cs.Statement, ...]]]:
    """List conditions with their statements; the last has none and always exists."""
    if isinstance(node, cs.If):
        test = _test(reader, node.test, names, evaluate)
        otherwise = (node.otherwise,) if node.otherwise is not None else ()
        return [(test, (node.then,)), (None, otherwise)]
    value = evaluate(reader, node.value, names)
    if not isinstance(value, Expression):
        raise Refused("switch", "this is not a value", node.span)
    value = _once(reader, value)
    out: list[tuple[Expression | None, tuple[cs.Statement, ...]]] = []
    default: tuple[cs.Statement, ...] = ()
    for section in node.sections:
        body = _without_break(section, node.span)
        if None in section.labels:
            default = body
            continue
        tests = []
        for label in section.labels:
            assert label is not None
            pattern, guard = label
            test = matches(reader, value, pattern, names, node.span, evaluate)
            if guard is not None:
                test = infix("&&", test, _test(reader, guard, names, evaluate), node.span)
            tests.append(test)
        whole = tests[0]
        for more in tests[1:]:
            whole = infix("||", whole, more, node.span)
        out.append((whole, body))
    return [*out, (None, default)]


def _without_break(section: cs.Section, span: Span) -> tuple[cs.Statement, ...]:
    """Take the closing `break` away; one elsewhere is not read."""
    body = section.statements
    if len(body) == 1 and isinstance(body[0], cs.Block):
        body = body[0].statements
    if not body or not isinstance(body[-1], _BREAKS):
        raise Refused("switch", "a section does not end in break, return or throw", span)
    return body[:-1] if isinstance(body[-1], cs.Break) else body


def _test(reader: Reader, node: cs.Expression, names: Names, evaluate: Evaluate) -> Expression:
    value = evaluate(reader, node, names)
    if not isinstance(value, Expression) or value.type.name != "bool":
        raise Refused("condition", "this condition is not a value that is known before the query", node.span, "Q66")
    return value

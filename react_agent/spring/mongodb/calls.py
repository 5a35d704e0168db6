"""Framework methods on stored values: text, dates, numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from react_agent.model.query import Call, Expression
from react_agent.spring.mongodb.operators import NULL_VALUE, Fields, Items, Node, number, op, text_value
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.scope import Scope
from react_agent.spring.mongodb.types import INTEGERS
from react_agent.spring.mongodb.values import Values, parametric


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A value in the pipeline and whether it may be null or missing."""

    node: Node
    nullable: bool
    guard: Node | None = None
    """For a function of values that may be null: where it may be applied; `bare` is then the function alone."""
    bare: Node | None = None


class Compiler(Protocol):
    """What compiles a call's arguments; see expressions.py."""

    @property
    def scope(self) -> Scope: ...  # noqa: D102
    @property
    def values(self) -> Values: ...  # noqa: D102
    def value(self, expression: Expression) -> Compiled:
        """Compile to a value."""
        ...


_DATE_PARTS = {
    "Year": "$year",
    "Month": "$month",
    "Day": "$dayOfMonth",
    "Hour": "$hour",
    "Minute": "$minute",
    "Second": "$second",
    "DayOfYear": "$dayOfYear",
}


_MIDNIGHT = "%Y-%m-%dT00:00:00Z"


def framework_call(call: Call, compiler: Compiler) -> Compiled:
    """Compile a call on stored values.

    Raises:
        Untranslatable: the method has no exact counterpart.
    """
    owner, _, member = call.method.partition(".")
    if call.method in {"Enum.ToString", "object.ToString"} or member == "ToString":
        return _to_string(call, compiler)
    if owner in {"DateTime", "DateTimeOffset", "DateOnly"} and member in _DATE_PARTS and len(call.arguments) == 1:
        operand = compiler.value(call.arguments[0])
        return Compiled(node=op(_DATE_PARTS[member], operand.node), nullable=operand.nullable)
    if call.method == "DateTime.Date":
        operand = compiler.value(call.arguments[0])
        day = Fields(members=(("date", operand.node), ("format", text_value(_MIDNIGHT))))
        return Compiled(node=op("$toDate", op("$dateToString", day)), nullable=operand.nullable)
    write = _TEXT.get(call.method)
    if write is not None and len(call.arguments) == write.arity:
        arguments = [compiler.value(a) for a in call.arguments]
        return _guarded(write.write(*(a.bare or a.node for a in arguments)), arguments)
    if call.method in {"string.IsNullOrEmpty", "Math.Abs", "string.Concat"}:
        return _other(call, compiler)
    hazard = {"string": "Q12", "Math": "Q38", "DateTime": "Q58", "EF": "Q11"}.get(owner, "Q57")
    raise Untranslatable(call.method, "no exact counterpart in MongoDB for this call on a stored value", hazard)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    arity: int
    write: Callable[..., Node]


def _contains(text: Node, part: Node) -> Node:
    return op("$gte", op("$indexOfCP", text, part), number(0))


def _starts_with(text: Node, part: Node) -> Node:
    return op("$eq", op("$indexOfCP", text, part), number(0))


_TEXT: dict[str, _Text] = {
    "string.Length": _Text(arity=1, write=lambda text: op("$strLenCP", text)),
    "string.ToLower": _Text(arity=1, write=lambda text: op("$toLower", text)),
    "string.ToUpper": _Text(arity=1, write=lambda text: op("$toUpper", text)),
    "string.Substring": _Text(arity=3, write=lambda text, start, length: op("$substrCP", text, start, length)),
    "string.IndexOf": _Text(arity=2, write=lambda text, part: op("$indexOfCP", text, part)),
    "string.Contains": _Text(arity=2, write=_contains),
    "string.Trim": _Text(arity=1, write=lambda text: op("$trim", _input(text))),
    "string.Replace": _Text(arity=3, write=lambda text, old, new: op("$replaceAll", _replacement(text, old, new))),
}


def _input(text: Node) -> Node:
    return Fields(members=(("input", text),))


def _replacement(text: Node, old: Node, new: Node) -> Node:
    return Fields(members=(("input", text), ("find", old), ("replacement", new)))


def _guarded(node: Node, arguments: list[Compiled]) -> Compiled:
    """A function of null is null; MongoDB's text functions would fail or give an empty text."""
    tests = list(dict.fromkeys(a.guard or op("$gt", a.node, NULL_VALUE) for a in arguments if a.nullable))
    if not tests:
        return Compiled(node=node, nullable=False)
    test = tests[0] if len(tests) == 1 else op("$and", *tests)
    return Compiled(node=op("$cond", test, node, NULL_VALUE), nullable=True, guard=test, bare=node)


def _other(call: Call, compiler: Compiler) -> Compiled:
    arguments = [compiler.value(a) for a in call.arguments]
    if call.method == "string.IsNullOrEmpty":
        node = op("$in", op("$ifNull", arguments[0].node, text_value("")), _list(text_value("")))
        return Compiled(node=node, nullable=False)
    if call.method == "Math.Abs":
        return Compiled(node=op("$abs", arguments[0].node), nullable=arguments[0].nullable)
    parts = [op("$ifNull", a.node, text_value("")) if a.nullable else a.node for a in arguments]
    return Compiled(node=op("$concat", *parts), nullable=False)


def _list(*items: Node) -> Node:
    return Items(items=items)


def _to_string(call: Call, compiler: Compiler) -> Compiled:
    operand = compiler.value(call.arguments[0])
    kind = call.arguments[0].type
    enum = compiler.values.mapping.find_enum(kind.name)
    if enum is None:
        if kind.name not in INTEGERS | {"string"}:
            raise Untranslatable("ToString", f"{kind} has another text form in MongoDB", "Q12")
        text = operand.node if kind.name == "string" else op("$toString", operand.node)
        return Compiled(node=op("$ifNull", text, text_value("")) if operand.nullable else text, nullable=False)
    if parametric(call.arguments[0]):
        raise Untranslatable("Enum.ToString", "of a parameter", "S23")
    if compiler.values.enum_by_name(enum.name):
        node = operand.node
    else:
        node = _names(operand.node, [(m.value, m.name) for m in enum.members])
    return Compiled(node=op("$ifNull", node, text_value("")) if operand.nullable else node, nullable=False)


def _names(value: Node, members: list[tuple[int, str]]) -> Node:
    """Give each number its name; a number without a name stays, as C# prints it."""
    node: Node = op("$toString", value)
    for at, name in reversed(members):
        node = op("$cond", op("$eq", value, number(at)), text_value(name), node)
    return node

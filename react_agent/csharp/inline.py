"""Inline: methods of the sources, put in place of their calls."""

from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.bodies import run
from react_agent.csharp.constants import literal, null_of
from react_agent.csharp.linq import HARMLESS
from react_agent.csharp.operators import cast, is_null
from react_agent.csharp.scope import (
    Context,
    Names,
    Reader,
    Refused,
    Token,
    Value,
)
from react_agent.csharp.types import nullable
from react_agent.model.gap import Span
from react_agent.model.query import Expression

_DEEPEST = 16
Evaluate = Callable[[Reader, cs.Expression, Names], Value]


def extension(reader: Reader, name: str) -> tuple[str, cs.MethodDeclaration] | None:
    """Find an extension method of the sources; the framework's own operators win."""
    if name in HARMLESS:
        return None
    for declared in reader.known.types.values():
        for found in declared.members:
            named = isinstance(found, cs.MethodDeclaration) and found.name == name and bool(found.parameters)
            if named and isinstance(found, cs.MethodDeclaration) and "this" in found.parameters[0].modifier.split():
                return declared.name, found
    return None


def inline(reader: Reader, owner: str, name: str, node: cs.Invocation, names: Names, evaluate: Evaluate) -> Value:
    """Put a method of the sources in place of its call.

    Raises:
        Refused: it is not declared, or calls itself, or its body is not read.
    """
    for declared in reversed(reader.known.lineage(owner)):
        methods = [m for m in declared.members if isinstance(m, cs.MethodDeclaration) and m.name == name]
        count = len(node.arguments)
        fitting = [m for m in methods if count <= len(m.parameters) <= count + _optional(m)]
        if len(fitting) > 1:
            raise Refused(name, "several overloads fit this call", node.span)
        if fitting:
            return enter(reader, declared.name, fitting[0], None, node, names, evaluate)
    raise Refused(name, "this method is not declared in the sources", node.span)


def _optional(method: cs.MethodDeclaration) -> int:
    return sum(1 for p in method.parameters if p.default is not None)


def enter(
    reader: Reader,
    owner: str,
    method: cs.MethodDeclaration,
    first: Value | None,
    node: cs.Invocation,
    names: Names,
    evaluate: Evaluate,
) -> Value:
    """Follow a method with its parameters bound; `first` is the receiver of an extension method.

    Raises:
        Refused: it calls itself, or its body is not read.
    """
    if method.body is None or len(reader.following) >= _DEEPEST or f"{owner}.{method.name}" in reader.following:
        raise Refused(method.name, "this method cannot be put in place of its call", node.span, "Q66")
    given: list[Value] = [] if first is None else [first]
    bound: Names = {k: v for k, v in names.items() if isinstance(v, Context)} if owner == reader.class_name else {}
    parameters = method.parameters
    named = {a.name: a.value for a in node.arguments if a.name}
    given.extend(evaluate(reader, a.value, names) for a in node.arguments if not a.name)
    for at, parameter in enumerate(parameters):
        if at < len(given):
            value = given[at]
        elif parameter.name in named:
            value = evaluate(reader, named[parameter.name], names)
        elif parameter.default is not None:
            value = _optional_value(reader, parameter, evaluate)
        else:
            raise Refused(method.name, f"the argument `{parameter.name}` is missing", node.span)
        bound[parameter.name] = _as_parameter(reader, value, parameter)
    reader.following.append(f"{owner}.{method.name}")
    outer, reader.class_name = reader.class_name, owner
    try:
        return run(reader, method.body, bound, evaluate)
    finally:
        reader.class_name = outer
        reader.following.pop()


def _optional_value(reader: Reader, parameter: cs.ParameterDeclaration, evaluate: Evaluate) -> Value:
    if parameter.type.name == "CancellationToken":
        return Token()
    assert parameter.default is not None
    if isinstance(parameter.default, cs.Default):
        return default_of(reader, parameter.type, parameter.span)
    return evaluate(reader, parameter.default, {})


def _as_parameter(reader: Reader, value: Value, parameter: cs.ParameterDeclaration) -> Value:
    """Convert a value to the parameter's type, as C# does at the call."""
    if not isinstance(value, Expression) or is_null(value):
        if isinstance(value, Expression):
            return null_of(nullable(reader.known.type_of(parameter.type)))
        return value
    wanted = reader.known.type_of(parameter.type)
    return cast(value, wanted) if wanted.name != value.type.name and wanted.element is None else value


def default_of(reader: Reader, ref: cs.TypeRef, span: Span) -> Value:
    """Read the default value of a type.

    Raises:
        Refused: it is not known.
    """
    type_ = reader.known.type_of(ref)
    if type_.name == "CancellationToken":
        return Token()
    texts = {"bool": ("bool", "false"), "int": ("integer", "0")}
    if type_.nullable or type_.name in {"string", "Uri", "byte[]"}:
        return null_of(nullable(type_))
    if type_.name in texts:
        kind, text = texts[type_.name]
        return literal(cs.Literal(kind=kind, text=text, span=span))
    raise Refused("default", f"the default of `{type_}` is not read", span)

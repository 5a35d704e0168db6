"""Evaluate: expressions of an entry, read as queries and typed values. Helper methods and lambdas are put in place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from react_agent.csharp import syntax as cs
from react_agent.csharp.application import as_expression
from react_agent.csharp.calls import instance_call, static_call
from react_agent.csharp.commands import set_property
from react_agent.csharp.comprehension import comprehend
from react_agent.csharp.constants import literal, null_of
from react_agent.csharp.creation import create
from react_agent.csharp.inline import default_of, enter, extension, inline
from react_agent.csharp.linq import operate
from react_agent.csharp.members import member
from react_agent.csharp.names import instance_member, static_member_of, static_name
from react_agent.csharp.operators import LIST_COUNT, cast, emptiness, equality, infix, prefix
from react_agent.csharp.patterns import matches
from react_agent.csharp.scope import (
    Context,
    Function,
    Match,
    Names,
    Nothing,
    Reader,
    Refused,
    Self,
    Sequence,
    Setters,
    TypeName,
    Value,
)
from react_agent.csharp.sequences import conditional, from_set, joined, over
from react_agent.csharp.types import BOOL, INT, QUERYABLES, nullable
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import Call, Constant, Expression, Outcome, Parameter, Query
from react_agent.model.values import Cell, CellType


def evaluate(reader: Reader, node: cs.Expression, names: Names) -> Value:
    """Read an expression.

    Raises:
        Refused: a construct of it is not read.
    """
    if isinstance(node, cs.Bound) and "?." in names:
        return names["?."]
    read = _READERS.get(type(node))
    if read is not None:
        return read(reader, node, names)
    construct = node.construct if isinstance(node, cs.Opaque) else type(node).__name__
    raise Refused(construct, "this construct is not read in a query", node.span)


def value_of(reader: Reader, node: cs.Expression, names: Names) -> Expression:
    """Read an expression that must be a value.

    Raises:
        Refused: it is a query, a lambda or a type.
    """
    value = evaluate(reader, node, names)
    if isinstance(value, Sequence) and not value.rooted:
        return as_expression(value, node.span)
    if isinstance(value, Expression):
        return value
    if isinstance(value, Query) and not reader.open:
        return _part(reader, value, node, names)
    if isinstance(value, Query | Sequence):
        raise Refused("subquery", "a query over a whole set inside another is not read", node.span, "Q27")
    raise Refused("expression", "this is not a value", node.span)


def _part(reader: Reader, query: Query, node: cs.Expression, names: Names) -> Parameter:
    """Take the result of a query as a value that is there when the method goes on."""
    if reader.branch:
        raise Refused("query", "the result of a query is used further in memory", node.span, "Q57")
    known = next((name for name, value in reader.parts.items() if value == query), None)
    wanted = next((name for name, value in names.items() if value is query), f"part{len(reader.parts) + 1}")
    if known is None:
        known, count = wanted, 1
        while known in reader.parts or known in reader.locals or known in reader.taken:
            count += 1
            known = f"{wanted}{count}"
        reader.parts[known] = query
    return Parameter(name=known, type=query.type)


def _literal(_reader: Reader, node: cs.Literal, _names: Names) -> Constant:
    try:
        return literal(node)
    except ValueError as error:
        raise Refused("literal", str(error), node.span) from None


def _name(reader: Reader, node: cs.Name, names: Names) -> Value:
    if node.name in names:
        return names[node.name]
    if node.name == "this":
        return Self()
    found = instance_member(reader, node.name, node.span)
    if isinstance(found, cs.FieldDeclaration | cs.PropertyDeclaration):
        return _stored(reader, found, names)
    return found if found is not None else static_name(reader, node.name, node.span)


def _stored(reader: Reader, found: cs.FieldDeclaration | cs.PropertyDeclaration, names: Names) -> Value:
    """Read a constant, or a property whose getter is one expression."""
    body = found.value if isinstance(found, cs.FieldDeclaration) else found.body
    if body is None:
        raise Refused(found.name, "this member holds state that is not known", found.span)
    if found.name in reader.following:
        raise Refused(found.name, "this member refers to itself", found.span)
    reader.following.append(found.name)
    value = evaluate(reader, body, {k: v for k, v in names.items() if isinstance(v, Context)})
    reader.following.pop()
    if isinstance(found, cs.FieldDeclaration) and isinstance(value, Expression):
        return cast(value, reader.known.type_of(found.type)) if found.type.name != "var" else value
    return value


def _access(reader: Reader, node: cs.Access, names: Names) -> Value:
    target = evaluate(reader, node.target, names)
    match target:
        case Context():
            return _set(reader, node.name, node.span)
        case Self():
            return _name(reader, cs.Name(name=node.name, span=node.span), names)
        case TypeName(name=owner):
            found = static_member_of(reader, owner, node.name, node.span)
            return _stored(reader, found, {}) if isinstance(found, cs.FieldDeclaration) else found
        case Sequence() if node.name == "Count" and not target.rooted:
            return operate(reader, target, "Count", [], node.span)
    if isinstance(target, Expression):
        return member(reader, target, node.name, node.span)
    raise Refused(node.name, "the result of a query is used further in memory", node.span, "Q57")


def _set(reader: Reader, name: str, span: Span) -> Value:
    """Find the entity set behind a property of the context."""
    entity = next((e for e in reader.mapping.entities if e.db_set == name), None)
    if entity is None:
        declared = (p for c in reader.contexts for _, p in reader.known.properties(c) if p.name == name)
        found = next((p for p in declared if p.type.name == "DbSet" and p.type.arguments), None)
        entity = reader.mapping.find(found.type.arguments[0].name) if found is not None else None
    if entity is None:
        raise Refused(name, "this member of the context is no entity set", span)
    return from_set(reader, entity, span)


def _invocation(reader: Reader, node: cs.Invocation, names: Names) -> Value:
    function = node.function
    if isinstance(function, cs.Name):
        if function.name == "nameof":
            return _nameof(node)
        return inline(reader, reader.class_name, function.name, node, names, evaluate)
    if not isinstance(function, cs.Access):
        raise Refused("call", "this call is not read", node.span)
    if _dotted(function.target) == "EF.Functions":
        arguments = [value_of(reader, a.value, names) for a in node.arguments]
        return static_call("EF.Functions", function.name, arguments, node.span)
    return _call_on(reader, evaluate(reader, function.target, names), function, node, names)


def _call_on(reader: Reader, target: Value, function: cs.Access, node: cs.Invocation, names: Names) -> Value:
    if function.name == "ConfigureAwait":
        return target
    match target:
        case Context():
            return _on_context(reader, function, node, names)
        case Setters() if function.name == "SetProperty":
            return set_property(reader, target, _arguments(reader, node, names), node.span)
        case Self():
            return inline(reader, reader.class_name, function.name, node, names, evaluate)
        case TypeName(name=owner):
            return _static(reader, owner, function.name, node, names)
        case Sequence():
            return _on_sequence(reader, target, function.name, node, names)
        case Match() if function.name == "DefaultIfEmpty" and not node.arguments:
            return replace(target, outer=True)
        case Match():
            raise Refused(function.name, "a group join over a reference is not folded", node.span, "Q25")
        case _ if isinstance(target, Expression):
            return _on_value(reader, target, function.name, node, names)
    raise Refused(function.name, "the result of a query is used further in memory", node.span, "Q57")


def _dotted(node: cs.Expression) -> str:
    if isinstance(node, cs.Access) and isinstance(node.target, cs.Name):
        return f"{node.target.name}.{node.name}"
    return ""


def _nameof(node: cs.Invocation) -> Constant:
    named = node.arguments[0].value if node.arguments else None
    if not isinstance(named, cs.Name | cs.Access):
        raise Refused("nameof", "this name is not read", node.span)
    return literal(cs.Literal(kind="string", text=named.name, span=node.span))


def _on_context(reader: Reader, function: cs.Access, node: cs.Invocation, names: Names) -> Value:
    if function.name == "Set" and len(function.arguments) == 1:
        entity = reader.mapping.find(function.arguments[0].name)
        if entity is None:
            raise Refused("Set", f"`{function.arguments[0].name}` is no entity of the context", node.span)
        return from_set(reader, entity, node.span)
    if function.name in _FINDS and len(function.arguments) == 1:
        rows = _on_context(reader, replace(function, name="Set"), node, names)
        return _call_on(reader, rows, replace(function, arguments=()), node, names)
    raise Refused(function.name, "only queries on the context are read", node.span, "Q71")


_FINDS = frozenset({"Find", "FindAsync"})


def _arguments(reader: Reader, node: cs.Invocation, names: Names) -> list[Value]:
    named = next((a for a in node.arguments if a.name and a.name not in {"cancellationToken", "predicate"}), None)
    if named is not None:
        raise Refused(f"{named.name}:", "a named argument is not read here", node.span)
    return [evaluate(reader, a.value, names) for a in node.arguments]


def _on_sequence(reader: Reader, target: Sequence, name: str, node: cs.Invocation, names: Names) -> Value:
    own = extension(reader, name)
    if own is not None:
        return enter(reader, own[0], own[1], target, node, names, evaluate)
    if name in {"TagWith", "TagWithCallSite"}:
        return target
    if name in _FINDS:
        node = _spread(node)
    return operate(reader, target, name, _arguments(reader, node, names), node.span)


def _spread(node: cs.Invocation) -> cs.Invocation:
    """Put the values of a key that are given as one array, `[id], token`, in the array's place."""
    first, *rest = node.arguments or (None,)
    if first is None or not isinstance(first.value, cs.Collection):
        return node
    return replace(node, arguments=(*(replace(first, name="", value=v) for v in first.value.items), *rest))


def _on_value(reader: Reader, target: Expression, name: str, node: cs.Invocation, names: Names) -> Value:
    if target.type.element is None:
        own = extension(reader, name)
        if own is not None:
            return enter(reader, own[0], own[1], target, node, names, evaluate)
        arguments = [value_of(reader, a.value, names) for a in node.arguments]
        return instance_call(target, name, arguments, node.span)
    if isinstance(target, Parameter | Constant):
        return _on_list(reader, target, name, node, names)
    return _on_sequence(reader, over(reader, target, node.span), name, node, names)


def _on_list(reader: Reader, target: Expression, name: str, node: cs.Invocation, names: Names) -> Value:
    """Read what a query may ask of a list that is an argument: whether it contains a value."""
    arguments = [value_of(reader, a.value, names) for a in node.arguments]
    if name == "Contains" and len(arguments) == 1:
        return Call(method="Enumerable.Contains", arguments=(target, arguments[0]), type=BOOL)
    if name == "Any" and not arguments:
        return emptiness(target, empty=False)
    if name == "Count" and not arguments:
        return Call(method=LIST_COUNT, arguments=(target,), type=INT)
    if name in {"ToList", "ToArray", "AsEnumerable", "ToHashSet"} and not arguments:
        return target
    raise Refused(name, "a list that is an argument can only be asked whether it contains a value", node.span, "Q52")


def _static(reader: Reader, owner: str, name: str, node: cs.Invocation, names: Names) -> Value:
    if owner in reader.known.types:
        return inline(reader, owner, name, node, names, evaluate)
    if owner == "EF" and name == "Property":
        return _property(reader, node, names)
    if owner in {"Queryable", "Enumerable", "EntityFrameworkQueryableExtensions"} and node.arguments:
        source = evaluate(reader, node.arguments[0].value, names)
        rest = replace(node, arguments=node.arguments[1:])
        if isinstance(source, Expression):
            return _on_value(reader, source, name, rest, names)
        if isinstance(source, Sequence):
            return _on_sequence(reader, source, name, rest, names)
    arguments = [value_of(reader, a.value, names) for a in node.arguments]
    return static_call(owner, name, arguments, node.span)


def _property(reader: Reader, node: cs.Invocation, names: Names) -> Value:
    """Read `EF.Property<T>(row, "Name")`, which reaches shadow properties."""
    if len(node.arguments) == 2:
        target = value_of(reader, node.arguments[0].value, names)
        text = value_of(reader, node.arguments[1].value, names)
        if isinstance(text, Constant) and text.cell.text and text.type.name == "string":
            return member(reader, target, text.cell.text, node.span)
    raise Refused("EF.Property", "the property's name is not a constant", node.span, "Q62")


def _lambda(reader: Reader, node: cs.Lambda, names: Names) -> Function:
    written_in = reader.class_name

    def call(values: list[Value]) -> Value:
        inner = {**names, **dict(zip(node.parameters, values, strict=True))}
        if isinstance(node.body, cs.Block) and any(isinstance(value, Setters) for value in values):
            return _set_each(reader, node.body, inner)
        if isinstance(node.body, cs.Block):
            raise Refused("lambda", "a lambda with statements has no form in a query", node.span)
        called_in, reader.class_name = reader.class_name, written_in
        try:
            return evaluate(reader, node.body, inner)
        finally:
            reader.class_name = called_in

    return Function(node.parameters, call, node.span)


def _set_each(reader: Reader, body: cs.Block, names: Names) -> Value:
    """Follow the setters of an `ExecuteUpdate` that stand as statements of their own."""
    value: Value = Nothing()
    for statement in body.statements:
        if not isinstance(statement, cs.Evaluate):
            raise Refused("ExecuteUpdate", "this statement among the setters is not read", statement.span, "Q69")
        value = evaluate(reader, statement.expression, names)
        if not isinstance(value, Setters):
            raise Refused("ExecuteUpdate", "this statement sets nothing", statement.span, "Q69")
    return value


def _infix(reader: Reader, node: cs.Infix, names: Names) -> Value:
    left, right = value_of(reader, node.left, names), value_of(reader, node.right, names)
    return infix(node.operator, left, right, node.span)


def _prefix(reader: Reader, node: cs.Prefix, names: Names) -> Value:
    value = evaluate(reader, node.operand, names)
    if node.operator == "!" and isinstance(value, Query):
        return _negated(value, node.span)
    return prefix(node.operator, value_of(reader, node.operand, names), node.span)


def _negated(query: Query, span: Span) -> Query:
    """Read `!await rows.AnyAsync()`: all rows (there are none) meet what is never true."""
    if query.outcome != Outcome.ANY:
        raise Refused("operator !", "the result of a query is used further in memory", span, "Q57")
    never = literal(cs.Literal(kind="bool", text="false", span=span))
    return replace(query, element=never, outcome=Outcome.ALL)


def _interpolated(reader: Reader, node: cs.Interpolated, names: Names) -> Value:
    """Read `$"{a}, {b}"` as the text that EF Core puts together for each row: null is empty."""
    parts: list[Expression] = [
        value_of(reader, part, names)
        if not isinstance(part, str)
        else literal(cs.Literal(kind="string", text=part, span=node.span))
        for part in node.parts
    ]
    text: Expression = literal(cs.Literal(kind="string", text="", span=node.span))
    if parts and parts[0].type.name == "string":
        text, *parts = parts
    for part in parts:
        text = infix("+", text, part, node.span)
    return text


def _cast(reader: Reader, node: cs.CastTo, names: Names) -> Value:
    """Read a cast; one of a query to another of its interfaces changes nothing."""
    value = evaluate(reader, node.operand, names)
    if isinstance(value, Sequence) and node.type.name in QUERYABLES:
        return value
    return cast(value_of(reader, node.operand, names), reader.known.type_of(node.type))


def _ternary(reader: Reader, node: cs.Ternary, names: Names) -> Value:
    test = value_of(reader, node.test, names)
    reader.branch += 1
    then, otherwise = evaluate(reader, node.then, names), evaluate(reader, node.otherwise, names)
    reader.branch -= 1
    return joined(test, then, otherwise, node.span)


def _matches(reader: Reader, node: cs.Matches, names: Names) -> Value:
    return matches(reader, value_of(reader, node.operand, names), node.pattern, names, node.span, evaluate)


def _switch(reader: Reader, node: cs.SwitchExpression, names: Names) -> Value:
    """Read a switch expression as a chain of conditions."""
    value = value_of(reader, node.value, names)
    if not node.arms or not isinstance(node.arms[-1].pattern, cs.AnyPattern):
        raise Refused("switch", "without a last `_` arm a value may match nothing and throw", node.span)
    reader.branch += 1
    result = evaluate(reader, node.arms[-1].value, names)
    for arm in reversed(node.arms[:-1]):
        test = matches(reader, value, arm.pattern, names, node.span, evaluate)
        if arm.guard is not None:
            test = infix("&&", test, value_of(reader, arm.guard, names), node.span)
        result = joined(test, evaluate(reader, arm.value, names), result, node.span)
    reader.branch -= 1
    return result


def _collection(reader: Reader, node: cs.Collection, names: Names) -> Value:
    """Read a list of constants, `new[] { 1, 2 }`."""
    items = [value_of(reader, i, names) for i in node.items]
    constants = [i for i in items if isinstance(i, Constant)]
    if not items or len(constants) != len(items) or len({i.type.name for i in items}) != 1:
        raise Refused("collection", "only a list of constants of one type is read", node.span, "Q52")
    cell = Cell(type=CellType.LIST, items=tuple(c.cell for c in constants))
    return Constant(cell=cell, type=ClrType(name="Array", element=constants[0].type))


def _bare_default(reader: Reader, node: cs.Default, _names: Names) -> Value:
    if node.type is None:
        raise Refused("default", "the type is left out; name it", node.span)
    return default_of(reader, node.type, node.span)


def _conditional_access(reader: Reader, node: cs.ConditionalAccess, names: Names) -> Value:
    """Read `a?.B` on a value as `a == null ? null : a.B`."""
    target = value_of(reader, node.target, names)
    if reader.open:
        raise Refused("?.", "C# does not allow it in a query's lambda", node.span)
    inner = evaluate(reader, node.rest, {**names, "?.": target})
    if not isinstance(inner, Expression):
        raise Refused("?.", "this is not a value", node.span)
    test = equality("==", target, null_of(nullable(target.type)), node.span)
    return conditional(test, null_of(nullable(inner.type)), inner)


_READERS: dict[type, Callable[[Reader, Any, Names], Value]] = {
    cs.Name: _name,
    cs.Literal: _literal,
    cs.Access: _access,
    cs.Invocation: _invocation,
    cs.Lambda: _lambda,
    cs.Await: lambda reader, node, names: evaluate(reader, node.operand, names),
    cs.QuerySyntax: lambda reader, node, names: comprehend(reader, node, names, evaluate),
    cs.Infix: _infix,
    cs.Prefix: _prefix,
    cs.CastTo: _cast,
    cs.Ternary: _ternary,
    cs.Matches: _matches,
    cs.Interpolated: _interpolated,
    cs.SwitchExpression: _switch,
    cs.Creation: lambda reader, node, names: create(reader, node, names, value_of),
    cs.Anonymous: lambda reader, node, names: create(reader, node, names, value_of),
    cs.Collection: _collection,
    cs.Default: _bare_default,
    cs.ConditionalAccess: _conditional_access,
}

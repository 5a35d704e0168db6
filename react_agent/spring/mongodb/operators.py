"""Aggregation expressions as data, and how they are written as `org.bson.Document`s."""

from dataclasses import dataclass

from react_agent.spring.java import Code, Imports, Prefixed, call, chain, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A field path: `$crates.pieces`, `$$line.days`."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value from Java. What could be read as a path or an operator (`safe` false) goes into `$literal`."""

    code: Code
    safe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """`{name: [arguments]}`, or `{name: argument}` for one argument."""

    name: str
    arguments: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """`{name: node, …}`."""

    members: "tuple[tuple[str, Node], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """`[node, …]`."""

    items: "tuple[Node, ...]"


Node = Path | Value | Operator | Fields | Items

NULL_VALUE = Value(code="null", safe=True)


def op(name: str, *arguments: Node) -> Operator:
    """Make an operator."""
    return Operator(name=name, arguments=arguments)


def number(value: int) -> Value:
    """Make an integer."""
    return Value(code=str(value), safe=True)


def text_value(value: str) -> Value:
    """Make a constant text; it needs `$literal` only where it starts like a path."""
    return Value(code=text(value), safe=not value.startswith("$"))


def render(node: Node, imports: Imports) -> Code:
    """Write an expression."""
    match node:
        case Path():
            return text(node.path)
        case Value():
            if node.safe:
                return node.code
            return call(f"new {imports.use('org.bson.Document')}", text("$literal"), node.code)
        case Items():
            return _list(node.items, imports)
        case Operator():
            single = len(node.arguments) == 1 and not isinstance(node.arguments[0], Items)
            body = render(node.arguments[0], imports) if single else _list(node.arguments, imports)
            return call(f"new {imports.use('org.bson.Document')}", text(node.name), body)
        case Fields():
            (name, first), *rest = node.members
            start = call(f"new {imports.use('org.bson.Document')}", text(name), render(first, imports))
            return chain(start, *(call("append", text(key), render(value, imports)) for key, value in rest))


def _list(items: tuple[Node, ...], imports: Imports) -> Code:
    codes = [render(item, imports) for item in items]
    nullable = any(isinstance(item, Value) and (item == NULL_VALUE or " null" in str(item.code)) for item in items)
    if nullable:  # List.of refuses null
        return call(f"{imports.use('java.util.Arrays')}.asList", *codes)
    return call(f"{imports.use('java.util.List')}.of", *codes)


def expression(node: Node, imports: Imports) -> Code:
    """Write an expression for a place of the fluent API that takes an `AggregationExpression`."""
    return Prefixed(prefix="context -> ", body=render(node, imports))

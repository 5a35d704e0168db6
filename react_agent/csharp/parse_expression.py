"""Expressions: from the parser's tree to ours."""

import re
from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.parse_operators import is_cast, operators, product
from react_agent.csharp.parse_statement import block
from react_agent.csharp.tree import Incomplete, Tree, name_of, type_arguments, type_ref

_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{1,4})|(.))", re.DOTALL)
_LITERALS = {"integer_literal": "integer", "real_literal": "real", "boolean_literal": "bool", "null_literal": "null"}


def expression(tree: Tree) -> cs.Expression:
    """Read an expression; what has no type in our tree is `Opaque`."""
    if tree.kind in _LITERALS:
        return cs.Literal(kind=_LITERALS[tree.kind], text=tree.source, span=tree.span)
    read = _READERS.get(tree.kind)
    if read is None or tree.node.is_missing:
        return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)
    try:
        return read(tree)
    except Incomplete as error:
        return cs.Opaque(construct=str(error), span=tree.span)


def optional(tree: Tree | None) -> cs.Expression | None:
    """Read an expression that may be absent."""
    return None if tree is None else expression(tree)


def arguments(tree: Tree | None) -> tuple[cs.Argument, ...]:
    """Read an argument list."""
    return tuple(_argument(a) for a in tree.children("argument", "attribute_argument")) if tree else ()


def pattern(tree: Tree) -> cs.Pattern:
    """Read a pattern; type and property patterns are `Opaque`."""
    try:
        return _pattern(tree)
    except Incomplete as error:
        return cs.Opaque(construct=str(error), span=tree.span)


def _pattern(tree: Tree) -> cs.Pattern:
    match tree.kind:
        case "constant_pattern":
            return cs.ValuePattern(value=expression(tree.first()))
        case "relational_pattern":
            return cs.ValuePattern(value=expression(tree.last()), operator=tree.tokens()[0])
        case "negated_pattern":
            return _negated(tree.last())
        case "or_pattern" | "and_pattern":
            left, right = tree.need("left"), tree.need("right")
            return cs.BothPattern(operator=tree.kind[:-8], left=pattern(left), right=pattern(right))
        case "parenthesized_pattern":
            return pattern(tree.first())
        case "discard":
            return cs.AnyPattern()
        case "declaration_pattern" | "recursive_pattern":
            return _binding_pattern(tree)
    return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)


def _negated(tree: Tree) -> cs.Pattern:
    """Negate a pattern; `not` binds tighter than `and` and `or`, which the grammar puts inside."""
    if tree.kind not in {"or_pattern", "and_pattern"}:
        return cs.NotPattern(pattern=pattern(tree))
    left, right = tree.need("left"), tree.need("right")
    return cs.BothPattern(operator=tree.kind[:-8], left=_negated(left), right=pattern(right))


def _binding_pattern(tree: Tree) -> cs.Pattern:
    name = tree.field("name")
    if tree.kind == "declaration_pattern" and name is not None:
        return cs.BindPattern(name=name_of(name), type=type_ref(tree.need("type")))
    if name is not None and re.fullmatch(r"\{\s*\}\s*\w+", tree.source):
        return cs.BindPattern(name=name_of(name), type=None)
    listed = tree.child("property_pattern_clause")
    if tree.child("positional_pattern_clause") is not None or listed is None:
        return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)
    to = tree.field("type")
    return cs.MembersPattern(
        members=tuple(_member_pattern(p) for p in listed.children("subpattern")),
        type=type_ref(to) if to is not None else None,
        name=name_of(name),
    )


def _member_pattern(tree: Tree) -> tuple[str, cs.Pattern]:
    parts = tree.children()
    if len(parts) != 2 or parts[0].kind != "identifier":
        return "", cs.Opaque(construct="property pattern", span=tree.span)
    return name_of(parts[0]), pattern(parts[1])


def _argument(tree: Tree) -> cs.Argument:
    if {"ref", "out", "in"} & set(tree.tokens()):
        return cs.Argument(value=cs.Opaque(construct="ref or out argument", span=tree.span))
    name = tree.field("name")
    value = tree.last() if tree.children() else tree
    multiplied = product(value) if value.kind == "declaration_expression" else None
    return cs.Argument(value=multiplied or expression(value), name=name_of(name))


def _name(tree: Tree) -> cs.Expression:
    return cs.Name(name=name_of(tree), span=tree.span, arguments=type_arguments(tree))


def _string(tree: Tree) -> cs.Expression:
    raw = tree.source
    if raw.endswith(("u8", "U8")):
        return cs.Opaque(construct="UTF-8 string literal", span=tree.span)
    if tree.kind == "verbatim_string_literal":
        text = raw[2:-1].replace('""', '"')
    elif tree.kind == "raw_string_literal":
        text = _raw(raw)
    else:
        text = unescape(raw[1:-1])
    kind = "char" if tree.kind == "character_literal" else "string"
    return cs.Literal(kind=kind, text=text, span=tree.span)


def _raw(raw: str) -> str:
    quotes = len(raw) - len(raw.lstrip('"'))
    body = raw[quotes:-quotes]
    if "\n" not in body:
        return body
    lines = body.replace("\r\n", "\n").split("\n")[1:]
    indent = len(lines[-1])
    return "\n".join(line[indent:] for line in lines[:-1])


def unescape(text: str) -> str:
    """Decode C#'s escapes; an unknown one stays as written."""

    def decode(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        return chr(int(code, 16)) if code else _ESCAPES.get(found[4], found[0])

    return _ESCAPE.sub(decode, text)


def _member(tree: Tree) -> cs.Expression:
    target, name = tree.need("expression"), tree.need("name")
    return cs.Access(target=expression(target), name=name_of(name), span=name.span, arguments=type_arguments(name))


def _binding(tree: Tree) -> cs.Expression:
    name = tree.field("name") or tree.last()
    bound = cs.Bound(span=tree.span)
    return cs.Access(target=bound, name=name_of(name), span=name.span, arguments=type_arguments(name))


def _conditional_access(tree: Tree) -> cs.Expression:
    target, rest = tree.first(), tree.last()
    return cs.ConditionalAccess(target=expression(target), rest=expression(rest), span=tree.span)


def _invocation(tree: Tree) -> cs.Expression:
    function = tree.need("function")
    called = expression(function)
    if isinstance(called, cs.ConditionalAccess):
        inner = cs.Invocation(function=called.rest, arguments=arguments(tree.field("arguments")), span=tree.span)
        return cs.ConditionalAccess(target=called.target, rest=inner, span=tree.span)
    return cs.Invocation(function=called, arguments=arguments(tree.field("arguments")), span=tree.span)


def _element(tree: Tree) -> cs.Expression:
    target = tree.need("expression")
    return cs.ElementAccess(target=expression(target), arguments=arguments(tree.field("subscript")), span=tree.span)


def _lambda(tree: Tree) -> cs.Expression:
    listed, body = tree.field("parameters"), tree.field("body")
    if listed is None or body is None:
        return cs.Opaque(construct="lambda", span=tree.span)
    if listed.kind == "parameter_list":
        names = tuple(name_of(p.field("name")) for p in listed.children("parameter"))
    else:
        names = (name_of(listed),)
    inner = block(body) if body.kind == "block" else expression(body)
    return cs.Lambda(parameters=names, body=inner, span=tree.span, source=tree.source)


def _infix(tree: Tree) -> cs.Expression:
    left, right, operator = tree.need("left"), tree.need("right"), tree.need("operator")
    if tree.kind == "as_expression" or operator.kind in {"is", "as"}:
        return cs.Opaque(construct=f"{operator.source} expression", span=tree.span)
    if tree.kind == "assignment_expression":
        a, b = expression(left), _assigned(right)
        return cs.Assignment(operator=operator.source, left=a, right=b, span=tree.span)
    return operators(tree)


def _assigned(tree: Tree) -> cs.Expression:
    if tree.kind == "initializer_expression":
        return cs.Opaque(construct="nested initializer", span=tree.span)
    return expression(tree)


def _prefix(tree: Tree) -> cs.Expression:
    operand = tree.last()
    return cs.Prefix(operator=tree.tokens()[0], operand=expression(operand), span=tree.span)


def _postfix(tree: Tree) -> cs.Expression:
    if tree.tokens()[-1] != "!" or tree.node.children[-1].is_missing:
        return cs.Opaque(construct=f"postfix {tree.tokens()[-1]}", span=tree.span)
    return expression(tree.first())


def _ternary(tree: Tree) -> cs.Expression:
    test, then, otherwise = (expression(tree.need(n)) for n in ("condition", "consequence", "alternative"))
    return cs.Ternary(test=test, then=then, otherwise=otherwise, span=tree.span)


def _cast(tree: Tree) -> cs.Expression:
    if not is_cast(tree):
        return operators(tree)
    to, value = tree.need("type"), tree.need("value")
    return cs.CastTo(type=type_ref(to), operand=expression(value), span=tree.span)


def _creation(tree: Tree) -> cs.Expression:
    to = tree.field("type")
    init = tree.field("initializer") or tree.child("initializer_expression")
    members: list[tuple[str, cs.Expression]] = []
    for item in init.children() if init else ():
        read = expression(item)
        if not isinstance(read, cs.Assignment) or not isinstance(read.left, cs.Name):
            return _collection_creation(tree, init, to)
        members.append((read.left.name, read.right))
    listed = tree.field("arguments") or tree.child("argument_list")
    return cs.Creation(
        type=type_ref(to) if to else None,
        arguments=arguments(listed),
        members=None if init is None else tuple(members),
        span=tree.span,
    )


def _collection_creation(tree: Tree, init: Tree | None, to: Tree | None) -> cs.Expression:
    items = tuple(expression(i) for i in init.children()) if init else ()
    return cs.Collection(items=items, span=tree.span, type=type_ref(to) if to else None)


def _array(tree: Tree) -> cs.Expression:
    return _collection_creation(tree, tree.child("initializer_expression"), tree.field("type"))


def _array_items(tree: Tree) -> cs.Expression:
    """Read `{ a, b }` as it stands behind the declaration of an array."""
    return cs.Collection(items=tuple(expression(i) for i in tree.children()), span=tree.span)


def _collection(tree: Tree) -> cs.Expression:
    elements = [c for e in tree.children("collection_element") for c in e.children()]
    if any(e.kind != "expression_element" for e in elements):
        return cs.Opaque(construct="spread element", span=tree.span)
    return cs.Collection(items=tuple(expression(e.first()) for e in elements), span=tree.span)


def _anonymous(tree: Tree) -> cs.Expression:
    members: list[tuple[str, cs.Expression]] = []
    pending = ""
    for child in tree.node.children:
        part = Tree(tree.text, child)
        if child.type == "=" and members:
            pending = name_of(Tree(tree.text, child.prev_sibling)) if child.prev_sibling else ""
            members.pop()
        elif child.is_named and part.kind != "comment":
            read = expression(part)
            members.append((pending or _inferred(read), read))
            pending = ""
    return cs.Anonymous(members=tuple(members), span=tree.span)


def _inferred(value: cs.Expression) -> str:
    if isinstance(value, cs.ConditionalAccess):
        return _inferred(value.rest)
    return value.name if isinstance(value, cs.Name | cs.Access) else ""


def _switch(tree: Tree) -> cs.Expression:
    value, *rest = tree.children() or [tree]
    arms = []
    for arm in (a for a in rest if a.kind == "switch_expression_arm"):
        if len(arm.children()) < 2:
            raise Incomplete("switch arm without a value")
        label, *middle, result = arm.children()
        guard = next((m.last() for m in middle if m.kind == "when_clause"), None)
        arms.append(cs.Arm(pattern=pattern(label), guard=optional(guard), value=expression(result)))
    return cs.SwitchExpression(value=expression(value), arms=tuple(arms), span=tree.span)


def _interpolated(tree: Tree) -> cs.Expression:
    parts: list[str | cs.Expression] = []
    for child in tree.children():
        if child.kind == "interpolation":
            inner = child.children()
            values = [c for c in inner if c.kind != "interpolation_brace"]
            if len(values) != 1:
                return cs.Opaque(construct="format in an interpolated string", span=child.span)
            parts.append(expression(values[0]))
        elif child.kind in {"string_content", "escape_sequence"}:
            parts.append(unescape(child.source).replace("{{", "{").replace("}}", "}"))
        elif child.kind != "interpolation_start":
            return cs.Opaque(construct="interpolated string", span=tree.span)
    if not tree.source.startswith('$"'):
        return cs.Opaque(construct="verbatim interpolated string", span=tree.span)
    return cs.Interpolated(parts=tuple(parts), span=tree.span)


def _typed(tree: Tree) -> cs.Expression:
    to = tree.field("type")
    if tree.kind == "typeof_expression" and to is not None:
        return cs.TypeOf(type=type_ref(to), span=tree.span)
    return cs.Default(type=type_ref(to) if to else None, span=tree.span)


def _query(tree: Tree) -> cs.Expression:
    clauses: list[cs.QueryClause] = []
    after_into = False
    for child in tree.node.children:
        part = Tree(tree.text, child)
        if child.type == "into":
            after_into = True
        elif after_into and child.is_named:
            clauses.append(cs.IntoClause(name=name_of(part), span=part.span))
            after_into = False
        elif child.is_named and part.kind != "comment":
            clauses.append(_clause(part))
    return cs.QuerySyntax(clauses=tuple(clauses), span=tree.span)


def _clause(tree: Tree) -> cs.QueryClause:
    parts = tree.children() or [tree]
    match tree.kind:
        case "from_clause":
            return cs.FromClause(name=name_of(tree.field("name")), source=expression(parts[-1]), span=tree.span)
        case "where_clause":
            return cs.WhereClause(predicate=expression(parts[-1]), span=tree.span)
        case "let_clause":
            return cs.LetClause(name=name_of(parts[0]), value=expression(parts[-1]), span=tree.span)
        case "order_by_clause":
            return _order(tree)
        case "join_clause":
            return _join(tree)
        case "select_clause":
            return cs.SelectClause(value=expression(parts[-1]), span=tree.span)
        case "group_clause" if len(parts) == 2:
            return cs.GroupClause(element=expression(parts[0]), key=expression(parts[1]), span=tree.span)
    return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)


def _order(tree: Tree) -> cs.QueryClause:
    keys: list[tuple[cs.Expression, bool]] = []
    for child in tree.node.children:
        if child.is_named and child.type != "comment":
            keys.append((expression(Tree(tree.text, child)), False))
        elif child.type == "descending" and keys:
            keys[-1] = (keys[-1][0], True)
    return cs.OrderClause(keys=tuple(keys), span=tree.span)


def _join(tree: Tree) -> cs.QueryClause:
    source, left, right = tree.after("in"), tree.after("on"), tree.after("equals")
    into = tree.child("join_into_clause")
    if source is None or left is None or right is None:
        return cs.Opaque(construct="join", span=tree.span)
    return cs.JoinClause(
        name=name_of(tree.child("identifier")),
        source=expression(source),
        left=expression(left),
        right=expression(right),
        into=name_of(into.last()) if into else "",
        span=tree.span,
    )


def _inner(tree: Tree) -> cs.Expression:
    parts = tree.children()
    return expression(parts[0]) if parts else cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)


_READERS: dict[str, Callable[[Tree], cs.Expression]] = {
    "identifier": _name,
    "generic_name": _name,
    "predefined_type": _name,
    "this": _name,
    "base": _name,
    "string_literal": _string,
    "verbatim_string_literal": _string,
    "raw_string_literal": _string,
    "character_literal": _string,
    "parenthesized_expression": _inner,
    "checked_expression": lambda t: cs.Opaque(construct=t.tokens()[0], span=t.span),
    "member_access_expression": _member,
    "member_binding_expression": _binding,
    "conditional_access_expression": _conditional_access,
    "invocation_expression": _invocation,
    "element_access_expression": _element,
    "lambda_expression": _lambda,
    "binary_expression": _infix,
    "as_expression": _infix,
    "assignment_expression": _infix,
    "prefix_unary_expression": _prefix,
    "postfix_unary_expression": _postfix,
    "conditional_expression": _ternary,
    "cast_expression": _cast,
    "object_creation_expression": _creation,
    "implicit_object_creation_expression": _creation,
    "array_creation_expression": _array,
    "implicit_array_creation_expression": _array,
    "collection_expression": _collection,
    "anonymous_object_creation_expression": _anonymous,
    "await_expression": lambda t: cs.Await(operand=expression(t.last()), span=t.span),
    "is_pattern_expression": operators,
    "initializer_expression": _array_items,
    "switch_expression": _switch,
    "interpolated_string_expression": _interpolated,
    "throw_expression": lambda t: cs.Throw(span=t.span),
    "default_expression": _typed,
    "typeof_expression": _typed,
    "query_expression": _query,
}

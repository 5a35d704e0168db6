"""Statements: from the parser's tree to ours."""

from react_agent.csharp import parse_expression
from react_agent.csharp import syntax as cs
from react_agent.csharp.tree import Incomplete, Tree, name_of, type_ref


def block(tree: Tree) -> cs.Block:
    """Read a block."""
    return cs.Block(statements=tuple(s for c in tree.children() for s in statements(c)), span=tree.span)


def statements(tree: Tree) -> tuple[cs.Statement, ...]:
    """Read a statement; a declaration of several variables becomes several."""
    try:
        if tree.kind == "local_declaration_statement":
            return _locals(tree)
        return () if tree.kind == "empty_statement" else (_statement(tree),)
    except Incomplete as error:
        return (cs.Opaque(construct=str(error), span=tree.span),)


def _statement(tree: Tree) -> cs.Statement:
    match tree.kind:
        case "block":
            return block(tree)
        case "expression_statement":
            return cs.Evaluate(expression=parse_expression.expression(tree.first()), span=tree.span)
        case "return_statement":
            value = next(iter(tree.children()), None)
            return cs.Return(value=parse_expression.optional(value), span=tree.span)
        case "if_statement":
            return _if(tree)
        case "switch_statement":
            return _switch(tree)
        case "throw_statement":
            return cs.Throw(span=tree.span)
        case "break_statement":
            return cs.Break(span=tree.span)
    return cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span)


def _single(tree: Tree) -> cs.Statement:
    read = statements(tree)
    return read[0] if len(read) == 1 else cs.Block(statements=read, span=tree.span)


def _locals(tree: Tree) -> tuple[cs.Statement, ...]:
    declared = tree.child("variable_declaration")
    if declared is None or {"using", "await"} & set(tree.tokens()):
        return (cs.Opaque(construct="using declaration", span=tree.span),)
    to = declared.need("type")
    out: list[cs.Statement] = []
    for one in declared.children("variable_declarator"):
        if one.field("name") is None:
            out.append(cs.Opaque(construct="deconstruction", span=one.span))
            continue
        value = parse_expression.optional(one.after("="))
        out.append(cs.LocalVariable(name=name_of(one.field("name")), type=type_ref(to), value=value, span=one.span))
    return tuple(out)


def _if(tree: Tree) -> cs.Statement:
    test, then, otherwise = tree.need("condition"), tree.need("consequence"), tree.field("alternative")
    return cs.If(
        test=parse_expression.expression(test),
        then=_single(then),
        otherwise=_single(otherwise) if otherwise else None,
        span=tree.span,
    )


def _switch(tree: Tree) -> cs.Statement:
    value, body = tree.need("value"), tree.need("body")
    sections: list[cs.Section] = []
    labels: list[tuple[cs.Pattern, cs.Expression | None] | None] = []
    for section in body.children("switch_section"):
        label, rest = _label(section)
        labels.append(label)
        if rest:
            inner = tuple(s for c in rest for s in statements(c))
            sections.append(cs.Section(labels=tuple(labels), statements=inner))
            labels = []
    return cs.Switch(value=parse_expression.expression(value), sections=tuple(sections), span=tree.span)


def _label(section: Tree) -> tuple[tuple[cs.Pattern, cs.Expression | None] | None, list[Tree]]:
    parts = section.children() or [section]
    if "default" in section.tokens():
        return None, section.children()
    guard = section.child("when_clause")
    rest = [p for p in parts[1:] if p.kind != "when_clause"]
    read = parse_expression.optional(guard.last()) if guard else None
    return (parse_expression.pattern(parts[0]), read), rest

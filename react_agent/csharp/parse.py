"""Parse: one file of C# as a `Unit` of our own tree, with the places that could not be read."""

import re

from react_agent.csharp import parse_expression
from react_agent.csharp import syntax as cs
from react_agent.csharp.parse_statement import block
from react_agent.csharp.tree import Incomplete, Text, Tree, name_of, root, type_ref
from react_agent.model.translation import SourceFile

_TYPES = {
    "class_declaration": "class",
    "record_declaration": "record",
    "struct_declaration": "struct",
    "record_struct_declaration": "record struct",
    "interface_declaration": "interface",
}
_NAMESPACES = {"namespace_declaration", "file_scoped_namespace_declaration"}
_BRANCHES = ("preproc_if", "preproc_elif", "preproc_else")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


def parse(source: SourceFile) -> cs.Unit:
    """Parse one file. Never raises: what cannot be read is a `Problem`."""
    tree = root(Text.of(source.path, source.text))
    types: list[cs.TypeDeclaration] = []
    enums: list[cs.EnumDeclaration] = []
    try:
        _collect(tree, "", "", types, enums)
    except RecursionError:
        deep = cs.Problem(message="nested too deep to read", span=tree.span)
        return cs.Unit(path=source.path, types=(), enums=(), problems=(deep,))
    usings = tuple(name_of(u.last()) for u in tree.children("using_directive") if u.children())
    return cs.Unit(
        path=source.path, types=tuple(types), enums=tuple(enums), problems=tuple(_problems(tree)), usings=usings
    )


def _collect(
    tree: Tree, namespace: str, outer: str, types: list[cs.TypeDeclaration], enums: list[cs.EnumDeclaration]
) -> None:
    """Gather declarations; a file-scoped namespace holds for the siblings behind it."""
    for child in tree.children():
        if child.kind in _NAMESPACES:
            name = child.field("name")
            written = re.sub(r"\s+", "", name.source) if name else ""
            inner = f"{namespace}.{written}" if namespace else written
            body = child.field("body")
            _collect(body or child, inner, outer, types, enums)
            if child.kind.startswith("file") and body is None:
                namespace = inner
        elif child.kind in _TYPES:
            declared = _type(child, namespace, outer)
            types.append(declared)
            body = child.field("body") or child.child("declaration_list")
            if body is not None:
                _collect(body, namespace, declared.name, types, enums)
        elif child.kind == "enum_declaration":
            enums.append(_enum(child, namespace, outer))
        elif child.kind in {*_BRANCHES, "ERROR", "declaration_list"}:
            _collect(child, namespace, outer, types, enums)


def _problems(tree: Tree, inside: str = "") -> list[cs.Problem]:
    if tree.kind in _TYPES or tree.kind == "enum_declaration":
        inside = name_of(tree.field("name"))
    if tree.node.is_missing:
        return [cs.Problem(message=f"missing {tree.kind!r}", span=tree.span, inside=inside, missing=True)]
    if tree.kind == "ERROR":
        shown = " ".join(tree.source.split())[:60]
        return [cs.Problem(message=f"cannot read {shown!r} as C#", span=tree.span, inside=inside)]
    if tree.kind == "preproc_if":
        return [
            cs.Problem(
                message="preprocessor branch #if: which side compiles is not known", span=tree.span, inside=inside
            )
        ]
    if not tree.node.has_error and b"#" not in tree.text.data:
        return []
    return [p for c in tree.node.children for p in _problems(Tree(tree.text, c), inside)]


def _modifiers(tree: Tree) -> frozenset[str]:
    return frozenset(m.source for m in tree.children("modifier"))


def _attributes(tree: Tree) -> tuple[cs.Attribute, ...]:
    out = []
    for one in (a for lst in tree.children("attribute_list") for a in lst.children("attribute")):
        name = re.sub(r"(?<=.)Attribute$", "", name_of(one.field("name")))
        arguments = parse_expression.arguments(one.child("attribute_argument_list"))
        out.append(cs.Attribute(name=name, arguments=arguments, span=one.span))
    return tuple(out)


def _type(tree: Tree, namespace: str, outer: str) -> cs.TypeDeclaration:
    name = tree.field("name")
    listed = tree.child("type_parameter_list")
    bases = tree.child("base_list")
    primary = tree.child("parameter_list")
    body = tree.field("body") or tree.child("declaration_list")
    kind = _TYPES[tree.kind]
    if kind == "record" and "struct" in tree.tokens():
        kind = "record struct"
    return cs.TypeDeclaration(
        name=name_of(name),
        kind=kind,
        namespace=namespace,
        modifiers=_modifiers(tree),
        type_parameters=tuple(name_of(p.field("name")) for p in listed.children()) if listed else (),
        bases=tuple(_base(b) for b in bases.children() if b.kind != "argument_list") if bases else (),
        primary=_parameters(primary) if primary else None,
        members=tuple(m for c in body.children() for m in _members(c)) if body else (),
        attributes=_attributes(tree),
        span=(name or tree).span,
        outer=outer,
    )


def _base(tree: Tree) -> cs.TypeRef:
    if tree.kind == "primary_constructor_base_type":
        return type_ref(tree.field("type") or tree.first())
    return type_ref(tree)


def _enum(tree: Tree, namespace: str, outer: str) -> cs.EnumDeclaration:
    body, bases = tree.field("body"), tree.child("base_list")
    listed = body.children("enum_member_declaration") if body else []
    members = [(name_of(m.field("name")), parse_expression.optional(m.field("value"))) for m in listed]
    return cs.EnumDeclaration(
        name=name_of(tree.field("name")),
        namespace=namespace,
        underlying=name_of(bases.first()) if bases else "int",
        members=tuple(members),
        attributes=_attributes(tree),
        span=tree.span,
        outer=outer,
    )


def _members(tree: Tree) -> tuple[cs.MemberDeclaration, ...]:
    try:
        return _whole_members(tree)
    except Incomplete as error:
        return (cs.Opaque(construct=str(error), span=tree.span),)


def _whole_members(tree: Tree) -> tuple[cs.MemberDeclaration, ...]:
    match tree.kind:
        case "property_declaration":
            return (_property(tree),)
        case "field_declaration":
            return _fields(tree)
        case "method_declaration":
            return (_method(tree),)
        case "constructor_declaration":
            return (_constructor(tree),)
        case kind if kind in _TYPES or kind in {"enum_declaration", "delegate_declaration", "destructor_declaration"}:
            return ()
        case "attribute_list" | "operator_declaration" | "conversion_operator_declaration":
            return ()
    return (cs.Opaque(construct=tree.kind.replace("_", " "), span=tree.span),)


def _property(tree: Tree) -> cs.MemberDeclaration:
    to, name, value, listed = tree.need("type"), tree.need("name"), tree.field("value"), tree.field("accessors")
    accessors = listed.children("accessor_declaration") if listed else []
    getter = next((a for a in accessors if name_of(a.field("name")) == "get"), None)
    arrow = value if value is not None and value.kind == "arrow_expression_clause" else None
    body = arrow.first() if arrow else _getter_expression(getter)
    return cs.PropertyDeclaration(
        name=name_of(name),
        type=type_ref(to),
        modifiers=_modifiers(tree),
        attributes=_attributes(tree),
        setter=any(name_of(a.field("name")) in {"set", "init"} for a in accessors),
        auto=bool(accessors) and all(a.field("body") is None for a in accessors),
        body=parse_expression.optional(body),
        span=name.span,
        public_getter=arrow is not None or (getter is not None and not getter.children("modifier")),
    )


def _getter_expression(getter: Tree | None) -> Tree | None:
    """Read what a getter returns where it is one expression."""
    body = getter.field("body") if getter else None
    if body is None:
        return None
    if body.kind == "arrow_expression_clause":
        return body.first()
    inner = body.children()
    returned = inner[0].children() if len(inner) == 1 and inner[0].kind == "return_statement" else []
    return returned[0] if returned else None


def _fields(tree: Tree) -> tuple[cs.MemberDeclaration, ...]:
    declared = tree.child("variable_declaration")
    to = declared.field("type") if declared else None
    if declared is None or to is None:
        return (cs.Opaque(construct="field declaration", span=tree.span),)
    return tuple(
        cs.FieldDeclaration(
            name=name_of(one.field("name")),
            type=type_ref(to),
            modifiers=_modifiers(tree),
            value=parse_expression.optional(one.after("=")),
            span=one.span,
        )
        for one in declared.children("variable_declarator")
    )


def _method(tree: Tree) -> cs.MemberDeclaration:
    name, returns = tree.need("name"), tree.field("type") or tree.need("returns")
    listed, generic = tree.field("parameters"), tree.field("type_parameters") or tree.child("type_parameter_list")
    body = _body(tree)
    return cs.MethodDeclaration(
        name=name_of(name),
        modifiers=_modifiers(tree),
        returns=type_ref(returns),
        type_parameters=tuple(name_of(p.field("name")) for p in generic.children()) if generic else (),
        parameters=_parameters(listed) if listed else (),
        body=body,
        attributes=_attributes(tree),
        summary=_summary(tree),
        span=name.span,
        expression_bodied=tree.child("arrow_expression_clause") is not None,
    )


def _constructor(tree: Tree) -> cs.MemberDeclaration:
    listed = tree.field("parameters")
    return cs.ConstructorDeclaration(
        parameters=_parameters(listed) if listed else (),
        modifiers=_modifiers(tree),
        body=_body(tree),
        span=tree.span,
    )


def _body(tree: Tree) -> cs.Block | None:
    body = tree.field("body")
    arrow = body if body and body.kind == "arrow_expression_clause" else tree.child("arrow_expression_clause")
    if arrow is not None:
        value = parse_expression.expression(arrow.first())
        return cs.Block(statements=(cs.Return(value=value, span=arrow.span),), span=arrow.span)
    return block(body) if body and body.kind == "block" else None


def _parameters(tree: Tree) -> tuple[cs.ParameterDeclaration, ...]:
    out = [_parameter(p) for p in tree.children("parameter")]
    if "params" in tree.tokens():
        to, name = tree.field("type"), tree.field("name")
        if to is not None and name is not None:
            out.append(
                cs.ParameterDeclaration(
                    name=name_of(name), type=type_ref(to), default=None, span=name.span, params=True
                )
            )
    return tuple(out)


def _parameter(tree: Tree) -> cs.ParameterDeclaration:
    name, to = tree.field("name"), tree.field("type")
    modifier = " ".join(m.source for m in tree.children("modifier"))
    return cs.ParameterDeclaration(
        name=name_of(name),
        type=type_ref(to) if to else cs.TypeRef(name="var", span=tree.span),
        default=parse_expression.optional(tree.after("=")),
        span=tree.span,
        attributes=_attributes(tree),
        modifier=modifier,
    )


def _summary(tree: Tree) -> str:
    """Read the `<summary>` of the documentation comment above a member."""
    lines: list[str] = []
    before = tree.node.prev_sibling
    while before is not None and before.type == "comment":
        lines.insert(0, Tree(tree.text, before).source)
        before = before.prev_sibling
    text = "\n".join(line.strip().removeprefix("///") for part in lines for line in part.split("\n") if "///" in line)
    found = _SUMMARY.search(text)
    return " ".join(found[1].split()) if found else ""

"""The parser's concrete tree, with text and spans. Only the `parse` modules know it."""

import re
from dataclasses import dataclass

import tree_sitter
import tree_sitter_c_sharp

from react_agent.csharp.syntax import TypeRef
from react_agent.model.gap import Span

_LANGUAGE = tree_sitter.Language(tree_sitter_c_sharp.language())
_NULLABLE = re.compile(rb"^[ \t]*#[ \t]*nullable[ \t]+(enable|disable|restore)(?![ \t]+warnings)", re.MULTILINE)

TRIVIA = frozenset({
    "comment",
    "preproc_nullable",
    "preproc_region",
    "preproc_endregion",
    "preproc_pragma",
    "preproc_line",
})


class Incomplete(Exception):
    """A node lacks a part that its kind has in whole C#; only broken text makes one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file's bytes, with what it takes to name a place in it."""

    path: str
    data: bytes
    lines: tuple[bytes, ...]
    oblivious_from: tuple[tuple[int, bool], ...]

    @classmethod
    def of(cls, path: str, text: str) -> "Text":
        """Index a file's text; what UTF-8 cannot hold (a lone surrogate) reads as `?`."""
        data = text.encode("utf-8", "replace")
        marks = tuple((m.start(), m[1] == b"disable") for m in _NULLABLE.finditer(data))
        return cls(path, data, tuple(data.split(b"\n")), marks)

    def column(self, row: int, byte: int) -> int:
        """Turn a byte offset in a line into a 1-based column in characters."""
        return len(self.lines[row][:byte].decode("utf-8", "replace")) + 1

    def oblivious(self, byte: int) -> bool:
        """Whether `#nullable disable` holds at this offset."""
        return next((off for start, off in reversed(self.oblivious_from) if start < byte), False)


@dataclass(frozen=True, slots=True)
class Tree:
    """A node of the concrete tree together with its file."""

    text: Text
    node: tree_sitter.Node

    @property
    def kind(self) -> str:
        """The grammar's name of this node."""
        return self.node.type

    @property
    def source(self) -> str:
        """The text of this node."""
        return self.text.data[self.node.start_byte : self.node.end_byte].decode("utf-8", "replace")

    @property
    def span(self) -> Span:
        """Where this node stands."""
        start, end = self.node.start_point, self.node.end_point
        return Span(
            file=self.text.path,
            line=start.row + 1,
            column=self.text.column(start.row, start.column),
            end_line=end.row + 1,
            end_column=self.text.column(end.row, end.column),
        )

    def field(self, name: str) -> "Tree | None":
        """Look up a child by its field."""
        child = self.node.child_by_field_name(name)
        return None if child is None else Tree(self.text, child)

    def need(self, name: str) -> "Tree":
        """Look up a child by its field where whole C# has one.

        Raises:
            Incomplete: the text is broken here.
        """
        child = self.field(name)
        if child is None:
            raise Incomplete(f"{self.kind} without {name}")
        return child

    def first(self) -> "Tree":
        """Look up the first named child.

        Raises:
            Incomplete: there is none.
        """
        found = self.children()
        if not found:
            raise Incomplete(f"{self.kind} is empty")
        return found[0]

    def last(self) -> "Tree":
        """Look up the last named child.

        Raises:
            Incomplete: there is none.
        """
        self.first()
        return self.children()[-1]

    def children(self, *kinds: str) -> "list[Tree]":
        """List the named children without trivia, or those of some kinds."""
        found = [Tree(self.text, c) for c in self.node.named_children if c.type not in TRIVIA]
        return [c for c in found if c.kind in kinds] if kinds else found

    def child(self, *kinds: str) -> "Tree | None":
        """Look up the first child of a kind."""
        return next(iter(self.children(*kinds)), None)

    def tokens(self) -> list[str]:
        """List the kinds of the unnamed children."""
        return [c.type for c in self.node.children if not c.is_named]

    def after(self, token: str) -> "Tree | None":
        """Look up the named child that follows a token."""
        seen = False
        for child in self.node.children:
            if seen and child.is_named and child.type not in TRIVIA:
                return Tree(self.text, child)
            seen = seen or (not child.is_named and child.type == token)
        return None


def root(text: Text) -> Tree:
    """Parse a file."""
    return Tree(text, tree_sitter.Parser(_LANGUAGE).parse(text.data).root_node)


def name_of(tree: Tree | None) -> str:
    """Read a simple or qualified name as its last part, without `@`."""
    if tree is None:
        return ""
    if tree.kind in {"qualified_name", "alias_qualified_name"}:
        return name_of(tree.field("name"))
    if tree.kind == "generic_name":
        return name_of(tree.child("identifier"))
    return tree.source.lstrip("@")


def type_ref(tree: Tree) -> TypeRef:
    """Read a type."""
    span, oblivious = tree.span, tree.text.oblivious(tree.node.start_byte)
    match tree.kind:
        case "nullable_type":
            inner = type_ref(tree.field("type") or tree.first())
            return TypeRef(name=inner.name, span=span, arguments=inner.arguments, nullable=True, oblivious=oblivious)
        case "array_type":
            element = type_ref(tree.field("type") or tree.first())
            rank = tree.field("rank")
            if rank is not None and rank.source.replace(" ", "") != "[]":
                return TypeRef(name=tree.source, span=span, oblivious=oblivious)
            return TypeRef(name="Array", span=span, arguments=(element,), oblivious=oblivious)
        case "qualified_name" | "alias_qualified_name":
            return type_ref(tree.field("name") or tree.last())
        case "generic_name":
            listed = tree.child("type_argument_list")
            arguments = tuple(type_ref(a) for a in listed.children()) if listed else ()
            return TypeRef(name=name_of(tree), span=span, arguments=arguments, oblivious=oblivious)
        case "implicit_type":
            return TypeRef(name="var", span=span)
    return TypeRef(name=tree.source.lstrip("@"), span=span, oblivious=oblivious)


def type_arguments(tree: Tree) -> tuple[TypeRef, ...]:
    """Read the type arguments of a name, empty without any."""
    listed = tree.child("type_argument_list") if tree.kind == "generic_name" else None
    return tuple(type_ref(a) for a in listed.children()) if listed else ()

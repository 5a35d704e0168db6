"""Java source text: expressions laid out to a line width, imports, whole files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

WIDTH = 120
STEP = "    "
_CONTINUED = STEP * 2
_CLOSING = frozenset({"as", "withValueOf"})
_HUGGED = 60
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """`head(arguments)`: a method call, a constructor call, an annotation."""

    head: str
    arguments: "tuple[Code, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """`start.link(…).link(…)`: a fluent call."""

    start: "Code"
    links: tuple[Invocation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixed:
    """Text that stays in front of an expression: `() -> `, `return `, `name = `."""

    prefix: str
    body: "Code"


Code = str | Invocation | Chain | Prefixed


def call(head: str, *arguments: Code) -> Invocation:
    """Make a call."""
    return Invocation(head=head, arguments=arguments)


def chain(start: Code, *links: Invocation) -> Code:
    """Append calls to an expression; a chain grows instead of nesting."""
    if not links:
        return start
    if isinstance(start, Chain):
        return Chain(start=start.start, links=start.links + links)
    return Chain(start=start, links=links)


def flat(code: Code) -> str:
    """Write an expression on one line."""
    match code:
        case str():
            return code
        case Invocation():
            return f"{code.head}({', '.join(flat(a) for a in code.arguments)})"
        case Chain():
            return ".".join([flat(code.start), *(flat(link) for link in code.links)])
        case Prefixed():
            return code.prefix + flat(code.body)


def lay_out(code: Code, indent: str = "", *, before: int = 0, after: int = 0) -> str:
    """Write an expression so that its lines stay within the width.

    `indent` is the statement's, `before` the columns already used on the first line, `after` those the last one needs.
    """
    line = flat(code)
    if len(indent) + before + len(line) + after <= WIDTH or isinstance(code, str):
        return line
    match code:
        case Prefixed():
            return code.prefix + lay_out(code.body, indent, before=before + len(code.prefix), after=after)
        case Invocation():
            return _arguments(code, indent, before=before, after=after)
        case Chain():
            return _links(code, indent, before=before, after=after)


def _arguments(code: Invocation, indent: str, *, before: int, after: int) -> str:
    if not code.arguments:
        return flat(code)
    *short, last = code.arguments
    opening = f"{code.head}({', '.join([*(flat(a) for a in short), ''])}"
    if isinstance(last, Invocation | Prefixed) and len(short) <= 1 and len(opening) <= _HUGGED:
        hugged = opening + lay_out(last, indent, before=before + len(opening), after=after + 1) + ")"
        if max(len(line) for line in f"{' ' * (len(indent) + before)}{hugged}".split("\n")) + after <= WIDTH:
            return hugged
    inner = indent + _CONTINUED
    lines = [inner + lay_out(argument, inner, after=1 + after) for argument in code.arguments]
    return f"{code.head}(\n" + ",\n".join(lines) + ")"


def _links(code: Chain, indent: str, *, before: int, after: int) -> str:
    head = flat(code.start)
    if len(code.links) == 1 and len(indent) + before + len(head) + len(code.links[0].head) < WIDTH // 2:
        return f"{head}." + lay_out(code.links[0], indent, before=before + len(head) + 1, after=after)
    inner = indent + _CONTINUED
    out = lay_out(code.start, indent, before=before)
    for link in code.links:
        short = f".{flat(link)}"
        line = out.rpartition("\n")[2]
        if link.head in _CLOSING and "\n" in out and len(line) + len(short) + after <= WIDTH:
            out += short  # `.and(…).as("name")` is one thing
        else:
            out += f"\n{inner}." + lay_out(link, inner, before=1, after=after)
    return out


def text(value: str) -> str:
    """Write a string literal; what is not printable ASCII or a letter is escaped."""
    return '"' + "".join(_escaped(character) for character in value) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def statement(code: Code, indent: str) -> str:
    """Write an expression as an indented statement."""
    return indent + lay_out(code, indent, after=1) + ";"


def javadoc(summary: str, indent: str = "") -> list[str]:
    """Write a Javadoc comment; nothing for an empty summary."""
    words = summary.replace("*/", "*&#47;").split()
    if not words:
        return []
    one = f"{indent}/** {' '.join(words)} */"
    if len(one) <= WIDTH:
        return [one]
    lines, current = [f"{indent}/**"], f"{indent} *"
    for word in words:
        if len(current) + 1 + len(word) > WIDTH:
            lines.append(current)
            current = f"{indent} *"
        current += f" {word}"
    return [*lines, current, f"{indent} */"]


@dataclass(slots=True)
class Imports:
    """Collects what a file imports. A simple name goes to its first owner; a second one is written in full."""

    package: str
    reserved: frozenset[str] = frozenset()
    """Simple names of the package itself, which an import must not hide."""
    _owners: dict[str, str] = field(default_factory=dict)
    _statics: set[str] = field(default_factory=set)

    def use(self, full_name: str) -> str:
        """Take a class; returns the name to write. `Map.Entry` is imported as `java.util.Map`."""
        package, _, simple = full_name.rpartition(".")
        if package == self.package:
            return simple
        if simple in self.reserved or self._owners.setdefault(simple, full_name) != full_name:
            return full_name
        return simple

    def static(self, full_name: str) -> str:
        """Take a static member, e.g. `org…Criteria.where`."""
        self._statics.add(full_name)
        return full_name.rpartition(".")[2]

    def lines(self, body: str) -> list[str]:
        """Write the import block for what the body names: static imports first, then classes, each sorted."""
        named = set(re.findall(r"\w+", body))
        statics = [f"import static {name};" for name in sorted(self._statics) if name.rpartition(".")[2] in named]
        classes = [
            f"import {name};"
            for simple, name in sorted(self._owners.items(), key=lambda item: item[1])
            if simple in named and not name.startswith("java.lang.")
        ]
        return [*statics, *([""] if statics and classes else []), *classes]


def source(package: str, imports: Imports, body: Iterable[str]) -> str:
    """Write a compilation unit."""
    lines = list(body)
    block = imports.lines("\n".join(lines))
    return "\n".join([f"package {package};", "", *block, *([""] if block else []), *lines]).rstrip("\n") + "\n"


def path_of(package: str, class_name: str) -> str:
    """Name the file of a class in a Maven project."""
    return f"src/main/java/{package.replace('.', '/')}/{class_name}.java"

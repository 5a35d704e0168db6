"""Written Java as text to edit: a class, its methods, and copies of the class with one method changed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from react_agent.model.documents import DocumentModel
from react_agent.model.query import QueryMethod
from react_agent.model.translation import EntryPair, SourceFile

_START = re.compile(r"^    public [^=;\n(]*\b(?P<name>\w+)\((?P<parameters>[^)]*)\) \{\n", re.MULTILINE)
_END = "\n    }\n"
_PARAMETER = re.compile(r"(?:@\w+ )*(?P<type>[\w.]+(?:<[\w<>, ]+>)?) (?P<name>\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaMethod:
    """One public method of a class: where it stands, what it takes, and the C# method that it was written from."""

    file: SourceFile
    pair: EntryPair
    source: QueryMethod
    start: int
    end: int
    parameters: tuple[tuple[str, str], ...]
    documents: DocumentModel
    enums: frozenset[str]

    @property
    def text(self) -> str:
        """The method, from `public` to its closing brace."""
        return self.file.text[self.start : self.end]

    @property
    def body(self) -> str:
        """What stands between the braces."""
        return self.text.split("{\n", 1)[1].removesuffix(_END)

    @property
    def returns(self) -> str:
        """The type of the result, without annotations."""
        head = self.text.split("(", 1)[0].removeprefix("    public ")
        return re.sub(r"@\w+ ", "", head).rsplit(" ", 1)[0]

    @property
    def nullable(self) -> tuple[str, ...]:
        """The names of the parameters that may be null."""
        return tuple(p.name for p in self.source.parameters if p.type.nullable and p.name in self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(name for _, name in self.parameters)

    def of_type(self, *types: str) -> tuple[str, ...]:
        """The names of the parameters of these Java types."""
        return tuple(name for kind, name in self.parameters if kind in types)

    def like(self, field: str) -> Iterator[str]:
        """Other fields of the same BSON type in a document that has this one; a path keeps its head."""
        head, _, leaf = field.rpartition(".")
        seen = {field}
        for document in self.documents.documents:
            own = {f.field: f.bson for f in document.fields}
            for name, kind in own.items():
                path = f"{head}.{name}" if head else name
                if leaf in own and kind == own[leaf] and path not in seen:
                    seen.add(path)
                    yield path


def methods_of(
    file: SourceFile,
    pairs: tuple[EntryPair, ...],
    sources: tuple[QueryMethod, ...],
    documents: DocumentModel,
    enums: frozenset[str],
) -> Iterator[JavaMethod]:
    """The public methods of a file that stand for entries."""
    package = re.search(r"^package ([\w.]+);", file.text, re.MULTILINE)
    simple = file.path.rsplit("/", 1)[-1].removesuffix(".java")
    full = f"{package[1]}.{simple}" if package else simple
    for found in _START.finditer(file.text):
        pair = next((p for p in pairs if (p.java_class, p.java_method) == (full, found["name"])), None)
        if pair is not None:
            yield JavaMethod(
                file=file,
                pair=pair,
                source=next(m for m in sources if m.entry == pair.entry),
                start=found.start(),
                end=file.text.index(_END, found.end() - 1) + len(_END),
                parameters=tuple((p["type"], p["name"]) for p in _PARAMETER.finditer(found["parameters"])),
                documents=documents,
                enums=enums,
            )


def with_method(method: JavaMethod, text: str, name: str) -> SourceFile:
    """A copy of the method's class under another name, with the method's text replaced."""
    file = method.file
    simple = file.path.rsplit("/", 1)[-1].removesuffix(".java")
    whole = file.text[: method.start] + text + file.text[method.end :]
    return SourceFile(path=f"{file.path.rsplit('/', 1)[0]}/{name}.java", text=re.sub(rf"\b{simple}\b", name, whole))


def closing(text: str, opening: int) -> int:
    """Where the bracket at `opening` closes (the place after it); brackets inside strings do not count."""
    depth, at, quoted = 0, opening, False
    while at < len(text):
        letter = text[at]
        if quoted:
            at += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError(f"no closing bracket for {text[opening : opening + 40]!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A call in a text, `name(arguments)`: its place and the parts of its argument list."""

    start: int
    end: int
    inside: int
    arguments: tuple[str, ...]

    def text(self, whole: str) -> str:
        """The call as it stands."""
        return whole[self.start : self.end]


def calls(text: str, pattern: str) -> Iterator[Piece]:
    """Every call whose head matches; the pattern ends before the opening bracket."""
    for found in re.finditer(rf"{pattern}\(", text):
        end = closing(text, found.end() - 1)
        yield Piece(start=found.start(), end=end, inside=found.end(), arguments=split(text[found.end() : end - 1]))


def split(arguments: str) -> tuple[str, ...]:
    """Cut an argument list at its own commas."""
    parts, depth, last, at, quoted = [], 0, 0, 0, False
    while at < len(arguments):
        letter = arguments[at]
        if quoted:
            at += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(arguments[last:at].strip())
            last = at + 1
        at += 1
    rest = arguments[last:].strip()
    return (*parts, rest) if rest else tuple(parts)


def replaced(text: str, start: int, end: int, by: str) -> str:
    """The text with one place replaced."""
    return text[:start] + by + text[end:]


def each(text: str, pattern: str, by: str) -> Iterator[str]:
    """One copy for each match of a pattern, with that match alone replaced (`\\1` stands for a group)."""
    for found in re.finditer(pattern, text):
        yield replaced(text, found.start(), found.end(), found.expand(by))


def without_stage(text: str, name: str) -> Iterator[str]:
    """One copy for each stage of that name, with the stage left out."""
    for piece in calls(text, rf"(?<![\w.]){name}"):
        end = closing_chain(text, piece.end)
        before, after = text[: piece.start], text[end:]
        added = re.search(r"stages\.add\(\s*$", before)
        if added:
            yield before[: added.start()] + after.removeprefix(");").lstrip("\n ")
        elif re.search(r"newAggregation\(\s*$", before) and after.lstrip().startswith(","):
            yield before + after.lstrip().removeprefix(",").lstrip()
        elif re.search(r",\s*$", before):
            yield re.sub(r",\s*$", "", before) + after


def closing_chain(text: str, at: int) -> int:
    """The place after the calls that follow on a call: `.as("x")`, `.pipeline(…)`."""
    while more := re.match(r"\s*\.\w+\(", text[at:]):
        at = closing(text, at + more.end() - 1)
    return at

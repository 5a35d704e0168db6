"""Fenced files: the one form in which code travels through a chat: a fence whose info string names the path. Pure."""

import re
from collections.abc import Iterable, Sequence

from react_agent.model.translation import SourceFile

_FENCE = re.compile(
    r"^(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n]*)\n(?P<code>.*?)^(?P=mark)[ \t\r]*$", re.DOTALL | re.MULTILINE
)
_PATH = re.compile(r"(?:^|\s)(?:path|file|title)=[\"']?(?P<path>[^\s\"']+)")
_LANGUAGES = {
    "java": "java",
    "xml": "xml",
    "json": "json",
    "cs": "csharp",
    "md": "markdown",
    "properties": "properties",
}


def fenced(files: Iterable[SourceFile]) -> str:
    """Write files as fenced blocks; a fence is longer than any run of back-ticks inside."""
    return "\n\n".join(_block(file) for file in files)


def _block(file: SourceFile) -> str:
    longest = max((len(run) for run in re.findall(r"`+", file.text)), default=0)
    mark = "`" * max(3, longest + 1)
    language = _LANGUAGES.get(file.path.rsplit(".", 1)[-1], "")
    end = "" if file.text.endswith("\n") else "\n"
    return f"{mark}{language} path={file.path}\n{file.text}{end}{mark}"


def code_fields(files: Sequence[SourceFile], classes: Iterable[str]) -> dict[str, str]:
    """Write the Java as the two fields of the output: query classes, by full name, and everything they stand on."""
    names = tuple(f"{name.replace('.', '/')}.java" for name in classes)
    queries = [file for file in files if file.path.endswith(names)]
    schema = [file for file in files if file not in queries]
    return {"translated_query_code": fenced(queries), "translated_schema_code": fenced(schema)}


def unfenced(text: str) -> tuple[SourceFile, ...]:
    """Read the files that a text holds; a block without a path is none. The last block of a path wins."""
    found: dict[str, SourceFile] = {}
    for match in _FENCE.finditer(text):
        named = _PATH.search(match["info"])
        if named and is_safe(named["path"]):
            found[named["path"]] = SourceFile(path=named["path"], text=match["code"])
    return tuple(found.values())


def is_safe(path: str) -> bool:
    """Whether a path stays below the folder that it is relative to."""
    parts = path.replace("\\", "/").split("/")
    return not path.startswith(("/", "\\")) and ":" not in parts[0] and ".." not in parts


def replaced(files: Sequence[SourceFile], by: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """Put files in the place of those of the same path; new ones come last."""
    new = {file.path: file for file in by}
    kept = [new.pop(file.path, file) for file in files]
    return (*kept, *new.values())

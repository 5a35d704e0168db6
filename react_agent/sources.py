"""Read C# source files from paths a person named: files or project folders."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from react_agent.model.manifest import NAME
from react_agent.model.translation import SourceFile

SKIPPED_FOLDERS = frozenset({"bin", "obj", ".git", ".vs", ".idea", "node_modules", "Migrations", "TestResults"})
"""Folders of a .NET project that hold what tools made."""

MAX_BYTES = 16 * 1024 * 1024
"""Largest C# input in all; a data layer is far below it."""


class BadInput(Exception):
    """The input cannot be used; the message names what, where and how to fix it."""


def read_sources(paths: Iterable[Path]) -> tuple[SourceFile, ...]:
    """Read the C# files at these paths, in path order, each once.

    Paths in the result are relative to the folder that was named.

    Raises:
        BadInput: a path does not exist or cannot be read, is empty, is no text, or no C# file is there.
    """
    found: dict[Path, str] = {}
    for path in paths:
        if not path.exists():
            raise BadInput(f"{path}: no such file or folder; name C# files or the folder of a C# project")
        if path.is_dir():
            found |= {file: file.relative_to(path).as_posix() for file in _csharp_files(path)}
        else:
            found[path] = path.name
    if not found:
        where = ", ".join(str(path) for path in paths) or "the paths given"
        raise BadInput(f"{where}: no C# file (*.cs) there; name the files that hold the DbContext and the queries")
    sources = tuple(SourceFile(path=name, text=read_text(file)) for file, name in found.items())
    if sum(len(s.text) for s in sources) > MAX_BYTES:
        raise BadInput(f"more than {MAX_BYTES >> 20} MiB of C#; name the folder of the data layer alone")
    if all(not s.text.strip() for s in sources):
        raise BadInput(f"{sources[0].path}: the file is empty; name the files that hold the DbContext and the queries")
    return sources


def _csharp_files(folder: Path) -> list[Path]:
    files: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _may_hold_sources(Path(root) / name))
        files += [Path(root) / name for name in sorted(names) if name.endswith(".cs") and not name.endswith(".g.cs")]
    return files


def _may_hold_sources(folder: Path) -> bool:
    """Leave out what tools made, a project that UOM wrote included: it holds programs in C# for a person to run."""
    return folder.name not in SKIPPED_FOLDERS and not folder.name.startswith(".") and not (folder / NAME).is_file()


def read_text(file: Path) -> str:
    """Read a C# file as the compiler would: UTF-8, or UTF-16 with its byte order mark.

    Raises:
        BadInput: the file cannot be opened or is no text.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    if encoding != "utf-16" and data[:64].count(0) * 3 > len(data[:64]):
        raise BadInput(f"{file}: looks like UTF-16 without a byte order mark; save it as UTF-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{file}: not UTF-8 text (byte {error.start}); save it as UTF-8, or leave it out if it is no C# file"
        ) from None
    if "\0" in text:
        raise BadInput(f"{file}: a binary file, not C# text; leave it out")
    return text


def read_json(file: Path) -> Any:
    """Read a JSON file that a person named.

    Raises:
        BadInput: it cannot be opened, is no text or no JSON; the message names file and line.
    """
    try:
        return json.loads(read_text(file))
    except json.JSONDecodeError as error:
        raise BadInput(f"{file}:{error.lineno}: not JSON: {error.msg}") from None

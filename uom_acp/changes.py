"""What the calls of a turn changed in files: the whole text before and after, as it really was."""

from pathlib import Path
from typing import Protocol

from acp.schema import ToolCallLocation

from react_agent.request import decode
from uom_acp.cards import Card
from uom_acp.tool_calls import (
    WRITES,
    Content,
    absolute,
    argued_path,
    diff_content,
    first_changed_line,
)


class ReadableFiles(Protocol):
    """Where the current text of a file comes from: the editor's buffer, else the disk."""

    async def read_bytes(self, path: str) -> bytes:
        """Read a file of the workspace, which is `/`; a missing one raises FileNotFoundError."""
        ...


class Changes:
    """The files of running calls, as they were before."""

    def __init__(self, files: ReadableFiles, cwd: Path) -> None:
        self._files, self._cwd = files, cwd
        self._before: dict[str, str | None] = {}

    async def remember(self, card: Card) -> None:
        """Keep the text of the file that a call is about to change; asked twice, the first counts."""
        path = self._path(card)
        if path is not None and card.id not in self._before:
            self._before[card.id] = await self._text(path)

    async def diff(self, card: Card) -> tuple[list[Content], list[ToolCallLocation]] | None:
        """Compare the file with what it was; None where there is nothing to compare."""
        path = self._path(card)
        if path is None or card.id not in self._before:
            return None
        before, after = self._before.pop(card.id), await self._text(path)
        if after is None:
            return [diff_content(path, before, "")] if before else [], []
        line = first_changed_line(before, after)
        return [diff_content(path, before, after)], [ToolCallLocation(path=str(path), line=line)]

    def _path(self, card: Card) -> Path | None:
        named = argued_path(card.args) if card.name in WRITES else None
        return absolute(named, self._cwd) if named else None

    async def _text(self, path: Path) -> str | None:
        try:
            inside = path.relative_to(self._cwd).as_posix()
            data = await self._files.read_bytes(f"/{inside}")
        except (OSError, ValueError):
            return None
        text = decode(data)[0].removeprefix("\ufeff")
        return None if "\0" in text else text

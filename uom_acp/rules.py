"""What a person always allows in a workspace, in a file of theirs that they can read.

The file is in the user's state folder, never in the workspace: a repository must not bring permissions along.
"""

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from uom_acp.command_signature import CommandSignature

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One standing permission: edits of a file or below a folder (`src/`), or a command."""

    what: Literal["edit", "command"]
    path: str = ""
    command: CommandSignature | None = None

    def __str__(self) -> str:
        """Say what is allowed, as it stands on a button and in a list."""
        if self.what == "command":
            return f"`{self.command}`"
        return f"edits below `{self.path}`" if self.path.endswith("/") else f"edits of `{self.path}`"

    def to_json(self) -> dict[str, Any]:
        """Write the rule for its file."""
        if self.command is None:
            return {"allow": "edit", "path": self.path}
        return {"allow": "command", "words": list(self.command.words), "more_arguments": self.command.open}

    @classmethod
    def from_json(cls, value: Any) -> "Rule | None":
        """Read a rule; what is none allows nothing."""
        match value:
            case {"allow": "edit", "path": str(path)} if path:
                return cls(what="edit", path=path)
            case {"allow": "command", "words": [*words], "more_arguments": bool(more)} if words:
                return cls(what="command", command=CommandSignature(tuple(map(str, words)), open=more))
        return None


class RuleBook:
    """The rules of one workspace; read each time, because another session may have changed them."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", workspace.name)[:40]
        mark = hashlib.sha256(str(workspace).encode()).hexdigest()[:12]
        self.path = folder / f"{name}-{mark}.json"
        self._workspace = workspace

    async def rules(self) -> list[Rule]:
        """List the rules, the oldest first."""
        return await asyncio.to_thread(self._read)

    async def add(self, rule: Rule) -> None:
        """Keep a rule."""
        await asyncio.to_thread(lambda: self._write([*(each for each in self._read() if each != rule), rule]))

    async def remove(self, rules: Sequence[Rule]) -> None:
        """Take rules back."""
        await asyncio.to_thread(lambda: self._write([each for each in self._read() if each not in rules]))

    def _read(self) -> list[Rule]:
        try:
            stored = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            log.warning("permissions in %s cannot be read: %s", self.path, error)
            return []
        found = stored.get("rules") if isinstance(stored, dict) else None
        return [rule for value in found if (rule := Rule.from_json(value))] if isinstance(found, list) else []

    def _write(self, rules: Sequence[Rule]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        body = {"workspace": str(self._workspace), "rules": [rule.to_json() for rule in rules]}
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".rules-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise

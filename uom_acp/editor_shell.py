"""Commands in a terminal of the editor: the person sees the output as it comes, and can end the command there."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from acp import RequestError

from uom_acp.editor import Editor
from uom_deep_agent.shell import DEFAULT_TIMEOUT, OUTPUT_LIMIT, TIMED_OUT, CommandResult, LocalShell, WorkspaceShell

Shown = Callable[[str, str], Awaitable[None]]
"""Called with the command and the id of the terminal it runs in."""
LONGEST_END = 2.0


class EditorShell:
    """Commands in the workspace folder, in the editor's terminals; on this machine where the editor refuses."""

    def __init__(self, editor: Editor, session_id: str, cwd: Path, shown: Shown) -> None:
        self._editor, self._session_id, self._cwd, self._shown = editor, session_id, cwd, shown

    async def run(self, command: str, *, seconds: float | None = DEFAULT_TIMEOUT) -> CommandResult:
        """Run a command to its end, its time limit or its cancellation."""
        try:
            created = await self._ask(
                "create",
                command=shutil.which("bash") or "/bin/sh",
                args=["-c", command],
                cwd=str(self._cwd),
                outputByteLimit=OUTPUT_LIMIT,
            )
            terminal = str(created["terminalId"])
        except (RequestError, KeyError, TypeError):
            return await LocalShell(self._cwd).run(command, seconds=seconds)
        try:
            await self._shown(command, terminal)
            return await self._finished(terminal, seconds)
        finally:
            await asyncio.shield(self._release(terminal))

    async def _finished(self, terminal: str, seconds: float | None) -> CommandResult:
        late = ""
        try:
            async with asyncio.timeout(seconds or None):
                ended = await self._ask("wait_for_exit", terminalId=terminal)
        except TimeoutError:
            await self._ask("kill", terminalId=terminal)
            ended, late = {"exitCode": TIMED_OUT}, f"\nThe command was ended after {seconds:g} s.\n"
        shown = await self._ask("output", terminalId=terminal)
        return CommandResult(
            output=f"{shown.get('output', '')}{late}",
            exit_code=exit_code_of(ended),
            truncated=bool(shown.get("truncated")),
        )

    async def _release(self, terminal: str) -> None:
        """Give the terminal back; a command that still runs in it is ended by that."""
        try:
            async with asyncio.timeout(LONGEST_END):
                await self._ask("release", terminalId=terminal)
        except (TimeoutError, RequestError, ConnectionError):
            return

    async def _ask(self, verb: str, **params: Any) -> Any:
        return await self._editor.request(f"terminal/{verb}", {"sessionId": self._session_id, **params})


def exit_code_of(ended: Any) -> int:
    """Read how a command ended; one that a signal ended has no code of its own."""
    code = ended.get("exitCode") if isinstance(ended, dict) else None
    return code if isinstance(code, int) else 128


def _conforms(shell: EditorShell) -> WorkspaceShell:
    return shell

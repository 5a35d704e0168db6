"""Run one shell command on this machine and leave nothing of it behind.

The command is a process group of its own. A guard inside the group holds the reading end of a pipe whose
writing end only we have: when this process ends, however it ends, the guard sees the pipe close and ends
the group. So neither a cancelled turn nor SIGTERM leaves a build running.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

OUTPUT_LIMIT = 100_000
"""Bytes of output kept: the first and the last half."""
DEFAULT_TIMEOUT = 120.0
"""Seconds a command may take when the caller names no time."""
TERM_GRACE = 0.1
"""Seconds a command gets between being asked to end and being ended."""
DRAIN_GRACE = 1.0
"""Seconds we read on after a command ended; a process that left the group may hold its output open."""
SHOW_EVERY = 0.25
"""Seconds between two looks at the output of a running command."""
SHOWN_TAIL = 8 * 1024
"""Bytes of it that are shown while it runs; the whole of what is kept comes at its end."""
TIMED_OUT = 124
"""Exit code of a command whose time ran out, as `timeout` gives it."""

GUARD = """
exec 3<&0 </dev/null
( read -r _ <&3; kill -KILL -$$ ) >/dev/null 2>&1 &
exec 3<&-
exec "$1" -c "$2"
"""
"""Starts the guard on the pipe that comes as standard input; the command itself reads nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command did."""

    output: str
    """Standard output and error as they came; bytes that are no UTF-8 are replaced."""
    exit_code: int
    """The shell's exit code; 124 when time ran out; 128 + n when signal n ended it."""
    truncated: bool = False
    """Whether the middle of the output was left out."""


class WorkspaceShell(Protocol):
    """Where commands on the workspace run: this machine, or the editor's terminal."""

    async def run(self, command: str, *, seconds: float | None) -> CommandResult:
        """Run a command in the workspace folder; None is no time limit; being cancelled ends it."""
        ...


Watcher = Callable[[str, str], Awaitable[None]]
"""Called with a command and the end of its output, while it runs and only when that has changed."""


class LocalShell:
    """Commands on this machine, in the workspace folder."""

    def __init__(self, cwd: Path, watcher: Watcher | None = None) -> None:
        self.cwd = cwd
        self._watcher = watcher

    async def run(self, command: str, *, seconds: float | None = DEFAULT_TIMEOUT) -> CommandResult:
        """Run a command to its end, its time limit or its cancellation."""
        guard, ours = os.pipe()
        source, sink = os.pipe()
        output = Capture(OUTPUT_LIMIT)
        with open(ours, "wb"), open(source, "rb", buffering=0) as stream:  # noqa: ASYNC230, PTH123 pipes
            process = await self._start(command, guard=guard, output=sink)
            reading = asyncio.create_task(output.drain(stream))
            watching = asyncio.create_task(self._watch(command, output))
            try:
                exit_code = await wait(process, seconds)
                kill_group(process.pid)
                await asyncio.wait([reading], timeout=DRAIN_GRACE)
            except BaseException:
                await asyncio.shield(end_group(process))
                raise
            finally:
                reading.cancel()
                watching.cancel()
                await asyncio.wait([reading, watching])
        if exit_code == TIMED_OUT:
            output.add(f"\nThe command was ended after {seconds:g} s.\n".encode())
        return CommandResult(output=output.text(), exit_code=exit_code, truncated=output.left_out > 0)

    async def _watch(self, command: str, output: "Capture") -> None:
        seen = 0
        while self._watcher is not None:
            await asyncio.sleep(SHOW_EVERY)
            if output.taken != seen:
                seen = output.taken
                await self._watcher(command, output.end(SHOWN_TAIL))

    async def _start(self, command: str, *, guard: int, output: int) -> asyncio.subprocess.Process:
        shell = shutil.which("bash") or "/bin/sh"
        try:
            return await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                GUARD,
                "sh",
                shell,
                command,
                cwd=self.cwd,
                stdin=guard,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        finally:
            os.close(guard)
            os.close(output)


class Capture:
    """The first and last part of an output of any length."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.head = bytearray()
        self.tail = bytearray()
        self.left_out = 0
        self.taken = 0

    async def drain(self, pipe: BinaryIO) -> None:
        """Take everything a pipe has; more than the limit is dropped, never left to block."""
        stream = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), pipe)
        try:
            while data := await stream.read(65536):
                self.add(data)
        finally:
            transport.close()

    def add(self, data: bytes) -> None:
        """Take some output."""
        self.taken += len(data)
        room = self.half - len(self.head)
        self.head += data[:room] if room > 0 else b""
        self.tail += data[max(room, 0) :]
        over = len(self.tail) - self.half
        if over > 0:
            self.left_out += over
            del self.tail[:over]

    def end(self, size: int) -> str:
        """Return the last part of what came so far, from the start of a line where there is one."""
        kept = bytes(self.tail[-size:]) if len(self.tail) >= size else bytes(self.head + self.tail)[-size:]
        if self.taken > len(kept):
            kept = kept.partition(b"\n")[2] or kept
        return kept.decode(errors="replace")

    def text(self) -> str:
        """Return what was kept, with the gap named."""
        gap = f"\n… {self.left_out} bytes left out …\n".encode() if self.left_out else b""
        return bytes(self.head + gap + self.tail).decode(errors="replace")


async def wait(process: asyncio.subprocess.Process, seconds: float | None) -> int:
    """Wait for a command's exit code; 124 when its time ran out, and then the command is ended."""
    try:
        async with asyncio.timeout(seconds or None):
            code = await process.wait()
    except TimeoutError:
        await end_group(process)
        return TIMED_OUT
    return code if code >= 0 else 128 - code


async def end_group(process: asyncio.subprocess.Process) -> None:
    """Ask a process group to end, and end it when it does not."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TERM_GRACE):
            await process.wait()
    kill_group(process.pid)
    await process.wait()


def kill_group(pid: int) -> None:
    """End what is left of a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)

"""A program in a sandbox elsewhere: started, asked and ended by short commands, over files.

A service that runs commands over HTTP has no pipes. The program's side of each is a file there: what it is sent is
uploaded and appended, what it answers is read by a command that waits until there is more.
"""

import asyncio
import base64
import contextlib
import logging
import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from react_agent.sandbox.frames import Incoming, Outgoing
from react_agent.sandbox.job import Running
from react_agent.sandbox.output import Capture
from react_agent.sandbox.protocol import KillReason, SandboxError
from react_agent.sandbox.watchdog import Breach, Limits

log = logging.getLogger(__name__)

SCRIPT = Path(__file__).with_name("remote_program.sh")
"""What stands in the sandbox and does the work there."""
_ROUNDS = 100
"""How often one command looks for news before it comes back without any: about 8 s."""
_CHUNK = 512 * 1024
_PAUSE = "0.25"
"""Seconds between two pieces of one answer, which then tell of much progress at once instead of each step."""
_BLOCK = 512
_GONE = 3
"""The script's exit code where a program's folder is no more."""


class SandboxLost(SandboxError):
    """A sandbox elsewhere is not there any more; the next use makes a new one."""


class Place(Protocol):
    """A sandbox elsewhere: it runs short commands and takes files in."""

    @property
    def folder(self) -> str:
        """Tell the folder that is ours there; the script stands in it."""
        ...

    async def run(self, command: str) -> tuple[int, str]:
        """Run a short command; returns its exit code and output. Raises SandboxLost."""
        ...

    async def put(self, path: str, data: bytes) -> None:
        """Write a file. Raises SandboxLost."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a program printed, its middle left out where it was too much."""

    text: str
    truncated: bool = False


class RemoteProgram:
    """One program there, what it answers, and its end."""

    def __init__(self, place: Place, *, limits: Limits, output: Capture | None = None) -> None:
        self._place = place
        self._limits = limits
        self._output = output
        self._folder = f"{place.folder}/programs/{secrets.token_hex(8)}"
        self._answered = 0
        self._pause = "0"
        self._code: int | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self.ended_by: Breach | None = None
        """Why it was ended, if it was."""

    @classmethod
    async def start(
        cls,
        place: Place,
        command: str,
        *,
        where: str,
        frames: bool = False,
        limits: Limits | None = None,
        output: Capture | None = None,
    ) -> Self:
        """Start a shell command in a folder; with `frames` it reads descriptor 3 and answers on 4.

        Raises:
            SandboxLost: the sandbox is not there any more.
        """
        limits = limits or Limits()
        program = cls(place, limits=limits, output=output)
        blocks = str(limits.file_mb * 1024 * 1024 // _BLOCK)
        starting = asyncio.create_task(program._ask("start", where, command, "frames" if frames else "plain", blocks))
        try:
            await asyncio.shield(starting)
        except BaseException:
            # A command that was sent cannot be taken back: it is let through first, and then ended.
            await asyncio.shield(asyncio.create_task(program._end_started(starting)))
            raise
        return program

    @property
    def pid(self) -> None:
        """None: the sandbox there holds it to its limits."""
        return

    @property
    def running(self) -> bool:
        """Whether it was not seen to end, and was not ended."""
        return self._code is None and self._stopping is None

    @property
    def refused(self) -> Breach | None:
        """Nothing that is known here: the service holds it to its limits."""
        return None

    async def send(self, data: bytes) -> None:
        """Hand bytes to the program.

        Raises:
            ConnectionError: it is not there any more.
        """
        name = secrets.token_hex(8)
        try:
            await self._place.put(f"{self._folder}/{name}", data)
            await self._ask("send", name)
            self._pause = "0"
        except SandboxError as error:
            self._lost(error)
            raise ConnectionError(str(error)) from None

    async def answer(self) -> bytes:
        """Wait for more of what the program answers; empty when it has ended or was ended."""
        while True:
            if self._stopping is not None:
                return b""
            try:
                reply = await self._ask("look", self._answered, self._limits.output_bytes, _ROUNDS, _CHUNK, self._pause)
            except SandboxError as error:
                self._lost(error)
                return b""
            state, _, encoded = reply.partition("\n")
            size, code = state.split()
            if int(size) > self._limits.output_bytes:
                what = f"it printed more than {self._limits.output_bytes} bytes"
                self.kill(Breach(reason=KillReason.OUTPUT, message=what))
                return b""
            if data := base64.b64decode(encoded):
                self._answered += len(data)
                self._pause = "0" if len(data) == _CHUNK else _PAUSE
                return data
            if code != "-":
                self._code = int(code)
                return b""

    async def wait(self) -> int:
        """Wait for its end; returns the exit code, 137 where it was ended."""
        while self._code is None and self._stopping is None:
            await self.answer()
        if self._stopping is not None:
            await asyncio.shield(self._stopping)
        if self._output is not None and not self._output.total:
            with contextlib.suppress(SandboxError):
                self._output.add((await self.printed(64 * 1024)).text.encode())
        return 137 if self._code is None else self._code

    async def printed(self, limit: int) -> Printed:
        """Read what it printed so far: all of it, or its beginning and end.

        Raises:
            SandboxLost: the sandbox is not there any more.
        """
        half = limit // 2
        size, head, *tail = (await self._ask("printed", half)).split("\n")
        first, last = base64.b64decode(head), base64.b64decode("".join(tail))
        left_out = int(size) - len(first) - len(last)
        if left_out <= 0:
            return Printed(text=(first + last).decode(errors="replace"))
        ends = [part.decode(errors="replace") for part in (first, last)]
        return Printed(text=f"\n[{left_out} bytes left out]\n".join(ends), truncated=True)

    def kill(self, breach: Breach | None = None) -> None:
        """End it and all that it started; the first reason given is kept."""
        if self._stopping is None:
            self.ended_by = self.ended_by or breach
            self._stopping = asyncio.create_task(self._stop())

    async def end(self) -> None:
        """End it and remove its folder; a cancelled caller does not stop that."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _stop(self) -> None:
        with contextlib.suppress(SandboxError):  # a sandbox that is gone has taken it along
            await self._ask("stop")

    async def _end(self) -> None:
        self.kill()
        assert self._stopping is not None
        await self._stopping
        with contextlib.suppress(SandboxError):
            await self._place.run(shlex.join(("rm", "-rf", self._folder)))

    async def _end_started(self, starting: asyncio.Task[str]) -> None:
        await asyncio.wait([starting])
        if not starting.cancelled() and not isinstance(starting.exception(), SandboxLost):
            await self.end()

    def _lost(self, error: SandboxError) -> None:
        log.info("%s", error)
        self.kill(Breach(reason=KillReason.DIED, message=str(error)))

    async def _ask(self, verb: str, *arguments: str | int) -> str:
        script = f"{self._place.folder}/{SCRIPT.name}"
        command: Sequence[str] = ("sh", script, verb, self._folder, *map(str, arguments))
        code, output = await self._place.run(shlex.join(command))
        if code == _GONE:
            raise SandboxLost(f"the program's folder is not in the sandbox any more ({verb})")
        if code != 0:
            raise SandboxError(f"the sandbox could not {verb} a program (exit code {code}): {output.strip()[-300:]}")
        return output


class Answers:
    """What a program answers, as a stream that is read when somebody waits for it."""

    def __init__(self, program: RemoteProgram) -> None:
        self._program = program
        self._buffer = bytearray()
        self._ended = False

    async def readexactly(self, n: int, /) -> bytes:
        """Give the next bytes.

        Raises:
            asyncio.IncompleteReadError: the program ended before.
        """
        while len(self._buffer) < n:
            data = await self._program.answer()
            if not data:
                self._ended = True
                raise asyncio.IncompleteReadError(bytes(self._buffer), n)
            self._buffer += data
        taken = bytes(self._buffer[:n])
        del self._buffer[:n]
        return taken

    def at_eof(self) -> bool:
        """Tell whether the program has ended."""
        return self._ended


class Questions:
    """What a program is sent, gathered until it is drained."""

    def __init__(self, program: RemoteProgram) -> None:
        self._program = program
        self._buffer = bytearray()

    def write(self, data: bytes, /) -> None:
        """Take bytes in."""
        self._buffer += data

    async def drain(self) -> None:
        """Send what was taken in; raises ConnectionError where the program is gone."""
        data, self._buffer = bytes(self._buffer), bytearray()
        await self._program.send(data)


if TYPE_CHECKING:

    def _runs(program: RemoteProgram) -> Running:
        return program

    def _reads(answers: Answers) -> Incoming:
        return answers

    def _writes(questions: Questions) -> Outgoing:
        return questions

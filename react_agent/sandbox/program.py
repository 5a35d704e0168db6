"""Start a program in a room of its own, and end it with everything it started."""

import asyncio
import atexit
import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from react_agent.sandbox.isolation import Descriptors, Room, bwrap_options, contents
from react_agent.sandbox.output import Capture
from react_agent.sandbox.pipes import close_all, pipe_holding, read_pipe
from react_agent.sandbox.protocol import KillReason
from react_agent.sandbox.watchdog import Breach, Limits, descendants

_LIMITED = 'ulimit -c 0; ulimit -f "$1"; ulimit -n 8192 2>/dev/null; shift; exec "$@"'
_BLOCK = 512


class Program:
    """One running program, its output, and its end."""

    def __init__(self, process: asyncio.subprocess.Process, *, inside: int | None, limits: Limits) -> None:
        self._process = process
        self._inside = inside
        self._limits = limits
        self._strays: set[int] = set()
        self._reading: asyncio.Task[None] | None = None
        self.ended_by: Breach | None = None
        """The limit that ended it, if one did."""

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        room: Room,
        bwrap: Path | None,
        output: Capture,
        limits: Limits | None = None,
        descriptors: Sequence[int] = (),
    ) -> Self:
        """Start a command; its standard output and error go to `output` together.

        Args:
            command: program and arguments.
            room: what it sees and may do.
            bwrap: what keeps it apart, or None where a person approved running without that.
            output: takes in what it prints.
            limits: what it may use.
            descriptors: further descriptors that it inherits under their own numbers.
        """
        limits = limits or Limits()
        printed, printing = os.pipe()
        inner: list[int] = []
        told: int | None = None
        try:
            if bwrap is not None:
                told, inner, command = _in_room(bwrap, room, command)
            where = "/" if bwrap is not None else room.folder or tempfile.gettempdir()
            blocks = str(limits.file_mb * 1024 * 1024 // _BLOCK)
            process = await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", _LIMITED, "sh", blocks, *command,
                stdin=asyncio.subprocess.DEVNULL, stdout=printing, stderr=printing,
                cwd=where, env=room.variables(isolated=bwrap is not None),
                pass_fds=(*descriptors, *inner), start_new_session=True,
            )  # fmt: skip
        except BaseException:
            close_all([printed] if told is None else [printed, told])
            raise
        finally:
            close_all([printing, *inner])
        program = cls(process, inside=None, limits=limits)
        RUNNING.add(program)
        program._reading = asyncio.create_task(program._read(printed, output))
        try:
            program._inside = None if told is None else await _first_inside(told)
        except BaseException:
            await program.end()
            raise
        return program

    @property
    def pid(self) -> int:
        """The process number here, outside."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    def kill(self, breach: Breach | None = None) -> None:
        """End it and everything it started, at once; the first reason given is kept."""
        self.ended_by = self.ended_by or breach
        if self._inside is not None:
            # The first process of a namespace takes all others with it, wherever they moved.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._inside, signal.SIGKILL)
        elif self.running:
            self._strays.update(descendants(self.pid))
        for group in (self.pid, *self._strays):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL) if group == self.pid else os.kill(group, signal.SIGKILL)
        self._strays.clear()

    async def wait(self) -> int:
        """Wait for its end and its last output; returns the exit code, 128 + n for signal n."""
        code = await self._process.wait()
        if self._inside is not None:
            await _gone(self._inside)
        if self._reading is not None:
            with contextlib.suppress(TimeoutError):
                # Without a room, something it left behind may keep the pipe open.
                await asyncio.wait_for(asyncio.shield(self._reading), timeout=0.5)
        return code if code >= 0 else 128 - code

    async def end(self) -> None:
        """End it and wait until nothing of it is left."""
        self.kill()
        await self.wait()
        self.kill()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        if self._inside is not None:
            os.close(self._inside)
            self._inside = None
        RUNNING.discard(self)

    async def _read(self, descriptor: int, output: Capture) -> None:
        async with read_pipe(descriptor) as reader:
            while data := await reader.read(65536):
                output.add(data)
                if output.total > self._limits.output_bytes and self.ended_by is None:
                    size = self._limits.output_bytes
                    self.kill(Breach(reason=KillReason.OUTPUT, message=f"it printed more than {size} bytes"))


RUNNING: set[Program] = set()
"""Programs that were started and not ended."""


def _in_room(bwrap: Path, room: Room, command: Sequence[str]) -> tuple[int, list[int], list[str]]:
    """Open what bubblewrap reads and writes; returns our end, its ends and the command."""
    told, telling = os.pipe()
    held = {name: pipe_holding(data) for name, data in contents(room).items()}
    options = bwrap_options(room, Descriptors(info=telling, **held))
    # By descriptor and not as arguments, which the program could read in /proc/1/cmdline.
    arguments = pipe_holding(b"\0".join(option.encode() for option in options) + b"\0")
    inner = [telling, arguments, *held.values()]
    return told, inner, [str(bwrap), "--args", str(arguments), "--", *command]


async def _first_inside(told: int) -> int | None:
    """Read from bubblewrap which process is the room's first, and hold on to it."""
    try:
        async with read_pipe(told) as reader:
            text = await reader.readuntil(b"}")
        return os.pidfd_open(json.loads(text)["child-pid"])
    except (asyncio.IncompleteReadError, ProcessLookupError):
        return None  # bubblewrap failed, and its output says why; or all is over already


async def _gone(pidfd: int) -> None:
    """Wait for a process that is not our child."""
    loop = asyncio.get_running_loop()
    gone = loop.create_future()
    loop.add_reader(pidfd, lambda: gone.done() or gone.set_result(None))
    try:
        await gone
    finally:
        loop.remove_reader(pidfd)


@atexit.register
def _end_all() -> None:
    for program in list(RUNNING):
        program.kill()

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
from react_agent.sandbox.task_limit import find_task_limit, joining, leave, refused
from react_agent.sandbox.watchdog import Breach, Limits, descendants

_LIMITED = '{ ulimit -c 0; ulimit -f "$1"; ulimit -n 8192; } 2>/dev/null; shift; exec "$@"'
_BLOCK = 512
_SET_UP = 30.0
"""How long bubblewrap may take to build a room."""
_GRACE = 2.0
"""How long bubblewrap may take to notice that its room is empty."""
_LAST_OUTPUT = 0.5


class Program:
    """One running program, its output, and its end."""

    def __init__(self, process: asyncio.subprocess.Process, *, limits: Limits, group: Path | None = None) -> None:
        self._process = process
        self._group = group
        self._inside: int | None = None
        self._empty = asyncio.Event()
        self._empty.set()
        self._limits = limits
        self._ending: asyncio.Task[None] | None = None
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
        starting = asyncio.create_task(
            cls._start(
                command, room=room, bwrap=bwrap, output=output, limits=limits or Limits(), descriptors=descriptors
            )
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # Ended half-way, bubblewrap could leave behind what it had just begun; so it is let through first.
            await asyncio.shield(asyncio.create_task(_end_started(starting)))
            raise

    @classmethod
    async def _start(
        cls,
        command: Sequence[str],
        *,
        room: Room,
        bwrap: Path | None,
        output: Capture,
        limits: Limits,
        descriptors: Sequence[int],
    ) -> Self:
        printed, printing = os.pipe()
        inner: list[int] = []
        told: int | None = None
        group: Path | None = None
        try:
            tasks = await asyncio.to_thread(find_task_limit)
            group = tasks.group(limits.tasks)
            if bwrap is not None:
                told, inner, command = _in_room(bwrap, room, tasks.inside(limits.tasks, command))
            where = "/" if bwrap is not None else room.folder or tempfile.gettempdir()
            blocks = str(limits.file_mb * 1024 * 1024 // _BLOCK)
            process = await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", _LIMITED, "sh", blocks, *joining(group, command),
                stdin=asyncio.subprocess.DEVNULL, stdout=printing, stderr=printing,
                cwd=where, env=room.variables(isolated=bwrap is not None),
                pass_fds=(*descriptors, *inner), start_new_session=True,
            )  # fmt: skip
        except BaseException:
            close_all([printed] if told is None else [printed, told])
            leave(group)
            raise
        finally:
            close_all([printing, *inner])
        program = cls(process, limits=limits, group=group)
        RUNNING.add(program)
        program._reading = asyncio.create_task(program._read(printed, output))
        try:
            program._hold(None if told is None else await _first_inside(told))
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

    @property
    def refused(self) -> Breach | None:
        """What the kernel refused it, where it can tell."""
        if not refused(self._group):
            return None
        message = f"the kernel refused it more than {self._limits.tasks} processes and threads"
        return Breach(reason=KillReason.PROCESSES, message=message)

    def kill(self, breach: Breach | None = None) -> None:
        """End it and everything it started, at once; the first reason given is kept."""
        self.ended_by = self.ended_by or breach
        if self._inside is not None:
            # The first process of a namespace takes all others with it, wherever they moved; bubblewrap
            # then ends by itself, having collected it.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._inside, signal.SIGKILL)
        else:
            self._kill_group()

    async def wait(self) -> int:
        """Wait for its end and its last output; returns the exit code, 128 + n for signal n."""
        code = await self._process.wait()
        await self._empty.wait()
        if code:
            self.ended_by = self.ended_by or self.refused
        if self._reading is not None:
            # Without a room, something it left behind may keep the pipe open.
            await asyncio.wait([self._reading], timeout=_LAST_OUTPUT)
        return code if code >= 0 else 128 - code

    async def end(self) -> None:
        """End it and wait until nothing of it is left; a cancelled caller does not stop that."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self.kill()
        try:
            await asyncio.wait_for(self.wait(), timeout=_GRACE)
        except TimeoutError:
            self._kill_group()
            await self.wait()
        if self._inside is not None:
            os.close(self._inside)
        else:
            self._kill_group()  # what it left behind, where it had no room of its own
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
        leave(self._group)
        RUNNING.discard(self)

    def _kill_group(self) -> None:
        below = descendants(self.pid) if self.running else []
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        for each in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)

    def _hold(self, inside: int | None) -> None:
        """Hold on to the room's first process, and notice when the room is empty."""
        if inside is None:
            return
        loop = asyncio.get_running_loop()
        self._inside = inside
        self._empty.clear()

        def emptied() -> None:
            loop.remove_reader(inside)
            self._empty.set()

        loop.add_reader(inside, emptied)

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


async def _end_started(starting: asyncio.Task[Program]) -> None:
    await asyncio.wait([starting])
    if not starting.cancelled() and starting.exception() is None:
        await starting.result().end()


async def _first_inside(told: int) -> int | None:
    """Read from bubblewrap which process is the room's first, and hold on to it."""
    try:
        async with read_pipe(told) as reader:
            text = await asyncio.wait_for(reader.readuntil(b"}"), timeout=_SET_UP)
        return os.pidfd_open(json.loads(text)["child-pid"])
    except (asyncio.IncompleteReadError, ProcessLookupError):
        return None  # bubblewrap failed, and its output says why; or all is over already


@atexit.register
def _end_all() -> None:
    for program in list(RUNNING):
        program.kill()

"""Our side of a worker: start it, ask it, and end it when it goes wrong."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

from react_agent.sandbox.frames import BadFrame, Incoming, Outgoing, read_frame, write_frame
from react_agent.sandbox.isolation import Room
from react_agent.sandbox.output import Capture
from react_agent.sandbox.pipes import close_all, read_pipe, write_pipe
from react_agent.sandbox.program import Program
from react_agent.sandbox.protocol import (
    Diagnostic,
    Job,
    JobKilled,
    JobRefused,
    JobTimedOut,
    KillReason,
    OnProgress,
    SandboxError,
    Toolchain,
)
from react_agent.sandbox.watchdog import Breach, Limits, breach, usage_of, watch

_LOG = 64 * 1024
_NO_MEMORY = ("java.lang.OutOfMemoryError", "Out of memory.")
"""What a JVM and .NET print before they end for want of memory."""
_NO_THREAD = "unable to create native thread"
"""Where a JVM may start no more threads, it says that it is out of memory."""
_LAST_LINES = 2000
_LAST_WORDS = 1.0
"""How long a worker whose pipe closed has to end by itself before it is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """How workers of one side start and what they may use."""

    inet: bool = False
    """Whether they may open Internet sockets, answered by their own loopback only."""
    processes: bool = False
    """Whether they may start processes, which only an engine of our own may need."""
    heap_mb: int = 512
    """What the runtime itself keeps its heap to."""
    limits: Limits = field(default_factory=lambda: Limits(memory_mb=1536, processes=8))
    start_seconds: float = 60
    """How long starting and warming up may take."""
    request_seconds: float = 120
    """How long a request may take that names no time of its own."""


class Running(Protocol):
    """What a worker runs as: a process here, or one in a sandbox elsewhere."""

    ended_by: Breach | None

    @property
    def pid(self) -> int | None:
        """The process number here; None where it runs elsewhere, held to its limits by that place."""
        ...

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        ...

    @property
    def refused(self) -> Breach | None:
        """What the system refused it, where that is known."""
        ...

    def kill(self, breach: Breach | None = None) -> None:
        """End it at once; the first reason given is kept."""
        ...

    async def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        ...

    async def end(self) -> None:
        """End it and wait until nothing of it is left."""
        ...


class Worker:
    """One worker process, good for one job."""

    def __init__(self, program: Running, output: Capture, settings: WorkerSettings) -> None:
        self._program = program
        self._output = output
        self._settings = settings
        self._pipes = AsyncExitStack()
        self._reader: Incoming
        self._writer: Outgoing
        self._watching: asyncio.Task[None] | None = None
        self._failure: SandboxError | None = None
        self._asked = 0
        self._asking = asyncio.Lock()
        self.engine: Mapping[str, Any] = {}

    @classmethod
    async def start(cls, toolchain: Toolchain, settings: WorkerSettings, *, bwrap: Path | None) -> Self:
        """Start a worker and wait until it is warm.

        Raises:
            JobTimedOut: it was not ready in time.
            JobKilled: it died, or said something else than that it is ready.
        """
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        room = Room(
            read_only=toolchain.read_only,
            environment=toolchain.environment,
            processes=settings.processes,
            inet=settings.inet,
        )
        command = toolchain.worker_argv(fd_in=theirs_in, fd_out=theirs_out, warm=True, memory_mb=settings.heap_mb)
        output = Capture(limit=_LOG)
        try:
            program = await Program.start(
                command, room=room, bwrap=bwrap, output=output, limits=settings.limits,
                descriptors=(theirs_in, theirs_out),
            )  # fmt: skip
        except BaseException:
            close_all([ours_in, ours_out])
            raise
        finally:
            close_all([theirs_in, theirs_out])
        worker = cls(program, output, settings)
        try:
            await worker._open(ours_in, ours_out)
            await worker._greet()
        except BaseException:
            await worker.end()
            raise
        return worker

    @classmethod
    async def over(
        cls, program: Running, output: Capture, settings: WorkerSettings, *, reader: Incoming, writer: Outgoing
    ) -> Self:
        """Take over a worker that was started elsewhere, and wait until it is warm.

        Raises:
            JobTimedOut: it was not ready in time.
            JobKilled: it died, or said something else than that it is ready.
        """
        worker = cls(program, output, settings)
        worker._reader, worker._writer = reader, writer
        try:
            await worker._greet()
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def log(self) -> str:
        """What the programs printed so far, capped."""
        return self._output.text()

    @property
    def running(self) -> bool:
        """Whether it can still be asked."""
        return self._failure is None and self._program.running and not self._reader.at_eof()

    def watch(self) -> None:
        """Hold it to its limits from here on; an idle worker runs nobody's code."""
        if self._watching is None and self._program.pid is not None:
            watching = watch(self._program.pid, self._settings.limits, self._program.kill)
            self._watching = asyncio.create_task(watching)

    async def request(
        self,
        op: str,
        payload: Mapping[str, Any],
        *,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the seam's word for it
    ) -> dict[str, Any]:
        """Ask for one thing and wait for its result.

        Requests are answered one after another. A caller that is cancelled ends the worker at once.

        Raises:
            JobRefused: the worker's own error; it can still be asked.
            JobTimedOut: no answer in time; the worker is gone.
            JobKilled: a limit or its own end stopped the worker.
        """
        async with self._asking:
            if self._failure is not None:
                raise self._failure
            self._asked += 1
            asked = {"id": self._asked, "op": op, **payload}
            seconds = self._settings.request_seconds if timeout is None else timeout
            reply = await self._exchange(op, asked, seconds, on_progress)
            if (found := self._over()) is not None:
                # What was refused may stand in the answer as the program's own failure.
                self._program.kill(found)
                await self._died(op)
        return self._result(op, reply)

    def kill(self) -> None:
        """End it at once."""
        self._program.kill()

    async def end(self) -> None:
        """End it and wait until nothing of it is left."""
        self._failure = self._failure or JobKilled(KillReason.DIED, "the job is over")
        if self._watching is not None:
            self._watching.cancel()
        await self._program.end()
        await self._pipes.aclose()

    async def _open(self, ours_in: int, ours_out: int) -> None:
        try:
            self._reader = await self._pipes.enter_async_context(read_pipe(ours_in))
        except BaseException:
            os.close(ours_out)
            raise
        self._writer = await self._pipes.enter_async_context(write_pipe(ours_out))

    async def _greet(self) -> None:
        greeting = await self._exchange("start", None, self._settings.start_seconds, None)
        engine = greeting.get("engine")
        if greeting.get("ready") is not True or not isinstance(engine, dict):
            await self._broken("start", "a first frame that does not say that it is ready")
        self.engine = engine

    async def _exchange(
        self,
        op: str,
        message: Mapping[str, Any] | None,
        seconds: float,
        on_progress: OnProgress | None,
    ) -> dict[str, Any]:
        """Send a message and read frames up to the one that is not about progress."""
        try:
            async with asyncio.timeout(seconds):
                if message is not None:
                    await write_frame(self._writer, message)
                return await self._reply(self._asked, on_progress)
        except TimeoutError:
            self.kill()
            self._failure = JobTimedOut(op, seconds)
            raise self._failure from None
        except BadFrame as error:
            await self._broken(op, str(error))
        except (EOFError, ConnectionError):
            await self._died(op)
        except BaseException:
            self._failure = JobKilled(KillReason.DIED, f"{op}: the caller gave up")
            self.kill()
            raise

    async def _reply(self, number: int, on_progress: OnProgress | None) -> dict[str, Any]:
        while True:
            frame = await read_frame(self._reader)
            if number and frame.get("id") != number:
                raise BadFrame(f"a reply to {frame.get('id')!r:.40}; {number} was asked")
            if frame.get("event") is None:
                return frame
            done, total = frame.get("done"), frame.get("total")
            if frame["event"] != "progress" or not (isinstance(done, int) and isinstance(total, int)):
                raise BadFrame(f"an event that is no progress: {frame['event']!r:.40}")
            if on_progress is not None:
                on_progress(done, total)

    def _result(self, op: str, reply: Mapping[str, Any]) -> dict[str, Any]:
        result, error = reply.get("result"), reply.get("error")
        if reply.get("ok") is True and isinstance(result, dict):
            return result
        if reply.get("ok") is False and isinstance(error, dict):
            diagnostics = [Diagnostic.from_json(each) for each in error.get("diagnostics") or ()]
            stage, message = str(error.get("stage") or op), str(error.get("message") or "")
            raise JobRefused(stage, message, diagnostics)
        self._failure = self._protocol(op, "a reply with neither a result nor an error")
        self.kill()
        raise self._failure

    def _over(self) -> Breach | None:
        """Look once more, for what happened since the watchdog last looked."""
        if self._watching is None or self._program.pid is None:
            return None
        usage = replace(usage_of(self._program.pid), cpu_seconds=0)
        return self._program.refused or breach(usage, self._settings.limits)

    async def _broken(self, op: str, what: str) -> NoReturn:
        self.kill()
        self._failure = self._protocol(op, what)
        raise self._failure

    def _protocol(self, op: str, what: str) -> JobKilled:
        message = f"{op}: the worker sent {what}; it was ended"
        return JobKilled(KillReason.PROTOCOL, message, self.log)

    async def _died(self, op: str) -> NoReturn:
        code: int | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS):
                code = await self._program.wait()
        self.kill()
        ended_by = self._program.ended_by or _own_end(code, self.log)
        message = f"{op}: the program was ended: {ended_by.message}"
        if not self.engine and (said := self.log.strip()):
            message = f"{message}; it said: {said.splitlines()[-1]}"  # nobody's code ran yet
        self._failure = JobKilled(ended_by.reason, message, self.log)
        raise self._failure


def _own_end(code: int | None, log: str) -> Breach:
    if _NO_THREAD in log[-_LAST_LINES:]:
        return Breach(reason=KillReason.PROCESSES, message="it started more threads than it may")
    if any(words in log[-_LAST_LINES:] for words in _NO_MEMORY):
        return Breach(reason=KillReason.MEMORY, message="its runtime ran out of the memory it was given")
    match code:
        case None:
            message = "it closed its pipe without an answer"
        case 137:
            message = "something else killed it (the system may have run out of memory)"
        case _:
            message = f"it ended by itself with exit code {code} before it answered"
    return Breach(reason=KillReason.DIED, message=message)


if TYPE_CHECKING:

    def _is_job(worker: Worker) -> Job:
        return worker

"""The two sides of a proof: programs that take instances and calls and give envelopes back.

The source side is live (a .NET worker) or recorded (what a .NET worker once answered); the target side is live.
A side opens its worker when it is first asked and opens a new one when the last was ended, so that a caller never
holds a dead process.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.sandbox.protocol import Job, JobKilled, JobTimedOut, Sandbox
from react_agent.sandbox.recordings import Recording

OnProgress = Callable[[int, int], None]
"""Called with (done, total) while calls run."""


def no_progress(_done: int, _total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one side answered: an envelope for each call, in order, and the engine that ran them."""

    envelopes: tuple[Mapping[str, Any], ...]
    engine: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What a compiler said of the sources: `answer` is the worker's own result."""

    answer: Mapping[str, Any]

    @property
    def forbidden(self) -> tuple[Mapping[str, Any], ...]:
        """Symbols outside the allowlist (the Java side)."""
        return tuple(self.answer.get("forbidden", ()))


class SourceSide(Protocol):
    """The side that is right by definition."""

    @property
    def recording(self) -> Recording | None:
        """The recording that is replayed; None where the programs run live."""
        ...

    async def compile(self) -> Compiled:
        """Build the sources. Raises JobRefused with the compiler's diagnostics."""
        ...

    async def describe(self, context: str) -> MappingModel:
        """Ask EF Core for its mapping of `context`."""
        ...

    async def run(
        self,
        context: str,
        instances: Sequence[Mapping[str, Any]],
        calls: Sequence[Mapping[str, Any]],
        on_progress: OnProgress = no_progress,
    ) -> Run:
        """Call the user's own methods over the instances."""
        ...

    async def close(self) -> None:
        """End the worker, if one runs."""
        ...


class _Worker:
    """One lent worker at a time, with the sources compiled in it."""

    def __init__(self, sandbox: Sandbox, compile_payload: Mapping[str, Any], timeout: float, *, approved: bool) -> None:
        self._sandbox = sandbox
        self._payload = compile_payload
        self._timeout = timeout
        self._approved = approved
        self._stack = AsyncExitStack()
        self._job: Job | None = None
        self._compiled: Mapping[str, Any] | None = None

    async def compiled(self) -> Mapping[str, Any]:
        if self._job is None:
            self._job = await self._stack.enter_async_context(self._sandbox.job(approved=self._approved))
        if self._compiled is None:
            self._compiled = await self._ask("compile", self._payload, no_progress)
        return self._compiled

    async def ask(self, op: str, payload: Mapping[str, Any], on_progress: OnProgress = no_progress) -> dict[str, Any]:
        await self.compiled()
        return await self._ask(op, payload, on_progress)

    async def _ask(self, op: str, payload: Mapping[str, Any], on_progress: OnProgress) -> dict[str, Any]:
        assert self._job is not None
        try:
            return await self._job.request(op, payload, on_progress=on_progress, timeout=self._timeout)
        except (JobTimedOut, JobKilled):
            await self.close()
            raise
        except BaseException:
            if self._compiled is None or op == "run":
                await self.close()
            raise

    async def close(self) -> None:
        stack, self._stack = self._stack, AsyncExitStack()
        self._job = self._compiled = None
        await stack.aclose()


class LiveSource:
    """C# that runs now, on EF Core over SQLite in memory."""

    def __init__(
        self, sandbox: Sandbox, files: Sequence[SourceFile], *, timeout: float, approved: bool = False
    ) -> None:
        sources = [{"path": f.path, "text": f.text} for f in files]
        self._worker = _Worker(sandbox, {"sources": sources}, timeout, approved=approved)

    @property
    def recording(self) -> Recording | None:
        """None: the programs run live."""
        return None

    async def compile(self) -> Compiled:
        """Build the C#."""
        return Compiled(answer=await self._worker.compiled())

    async def describe(self, context: str) -> MappingModel:
        """Ask EF Core for its mapping of `context`."""
        answer = await self._worker.ask("describe", {"context": context})
        return MappingModel.from_json(answer["model"])

    async def run(
        self,
        context: str,
        instances: Sequence[Mapping[str, Any]],
        calls: Sequence[Mapping[str, Any]],
        on_progress: OnProgress = no_progress,
    ) -> Run:
        """Call the user's own methods over the instances."""
        payload = {"context": context, "instances": list(instances), "calls": list(calls)}
        answer = await self._worker.ask("run", payload, on_progress)
        return Run(envelopes=tuple(answer["envelopes"]), engine=answer["engine"])

    async def close(self) -> None:
        """End the worker."""
        await self._worker.close()


class NotRecorded(Exception):
    """A recording does not hold the call that was asked for; only what was recorded can be replayed."""


class RecordedSource:
    """C# that ran once: its answers are read from a recording, for the recording's own instances and calls."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._by_call = {envelope["call"]: envelope for envelope in recording.envelopes}

    @property
    def recording(self) -> Recording | None:
        """The recording that is replayed."""
        return self._recording

    async def compile(self) -> Compiled:
        """Give what the compiler said when it was recorded."""
        return Compiled(answer=self._recording.compiled)

    async def describe(self, context: str) -> MappingModel:
        """Give EF Core's mapping as it was recorded."""
        model = MappingModel.from_json(self._recording.model)
        if context and model.context != context:
            raise NotRecorded(f"the recording is of {model.context}, not of {context}")
        return model

    async def run(
        self,
        context: str,  # noqa: ARG002 - a recording is of one context
        instances: Sequence[Mapping[str, Any]],  # noqa: ARG002 - and of its own instances
        calls: Sequence[Mapping[str, Any]],
        on_progress: OnProgress = no_progress,
    ) -> Run:
        """Give the recorded envelopes of these calls.

        Raises:
            NotRecorded: a call is not in the recording.
        """
        missing = [call["id"] for call in calls if call["id"] not in self._by_call]
        if missing:
            raise NotRecorded(f"the recording does not hold call {missing[0]} ({len(missing)} of {len(calls)} missing)")
        on_progress(len(calls), len(calls))
        found = tuple(self._by_call[call["id"]] for call in calls)
        return Run(envelopes=found, engine=self._recording.engine)

    async def close(self) -> None:
        """Nothing runs."""


class TargetSide:
    """Java that runs now, on Spring Data MongoDB over an embedded engine."""

    def __init__(
        self,
        sandbox: Sandbox,
        files: Sequence[SourceFile],
        *,
        release: int,
        timeout: float,
        approved: bool = False,
    ) -> None:
        sources = [{"path": f.path, "text": f.text} for f in files if f.path.endswith(".java")]
        self._worker = _Worker(sandbox, {"sources": sources, "release": release}, timeout, approved=approved)

    async def compile(self) -> Compiled:
        """Build the Java. Raises JobRefused with the compiler's diagnostics."""
        return Compiled(answer=await self._worker.compiled())

    async def run(
        self,
        configuration: str,
        instances: Sequence[Mapping[str, Any]],
        calls: Sequence[Mapping[str, Any]],
        on_progress: OnProgress = no_progress,
    ) -> Run:
        """Call the translated methods over the instances."""
        payload = {"configuration": configuration, "instances": list(instances), "calls": list(calls)}
        answer = await self._worker.ask("run", payload, on_progress)
        return Run(envelopes=tuple(answer["envelopes"]), engine=answer["engine"])

    async def close(self) -> None:
        """End the worker."""
        await self._worker.close()

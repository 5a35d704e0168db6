"""Workbench: the live ends of one translation: workers, the candidate, what ran. Plain data stays in the state.

A node finds its workbench by the name of the run; after a restart the workbench is made again from the state's
references. Workers that nobody asks for a while are ended.
"""

import asyncio
import json
import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import TypeAdapter

from react_agent.context import Context, recordings_folder
from react_agent.draft import Draft, by_rules, draft
from react_agent.frameworks import FrameworkEnum
from react_agent.listing import CLASS, with_listing
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import EntryPair, SourceFile
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance
from react_agent.proof.suite import Suite
from react_agent.proof.userdata import read_calls, read_data
from react_agent.runs import Runs, Sides
from react_agent.samples import is_sample
from react_agent.sandbox.artifacts import ArtifactRef, ArtifactStore
from react_agent.sandbox.clients import client_of
from react_agent.sandbox.protocol import Sandbox, SandboxType, ToolchainMissing
from react_agent.sandbox.recordings import find_recording, folders, source_hash
from react_agent.sandbox.sides import LiveSource, RecordedSource, SourceSide, TargetSide
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.sources import read_json
from react_agent.variants import NONE, Variants, variants_of

log = logging.getLogger(__name__)

IDLE_SECONDS = 180.0
"""How long workers are kept for a translation that asks for nothing."""


def artifact_store() -> ArtifactStore:
    """The store beside the checkpoints, in the user's state folder."""
    return ArtifactStore(Path(platformdirs.user_state_path("uom")) / "artifacts")


async def sandbox_of(kind: SandboxType, context: Context) -> Sandbox:
    """The warm sandbox of one side, as the settings want it."""
    return await ValidationSandbox.get_sandbox(client_of(context), kind, log.info)


async def open_source(files: Sequence[SourceFile], context: Context) -> SourceSide:
    """Open the source side: live where a .NET SDK is found, else from a recording of just these files.

    Raises:
        ToolchainMissing: neither is there; the hint names both ways out.
    """
    try:
        sandbox = await sandbox_of(SandboxType.DOTNET_10_SANDBOX, context)
    except ToolchainMissing as missing:
        places = folders(recordings_folder(context))
        recording = await find_recording(source_hash((f.path, f.text) for f in files), places)
        if recording is None:
            hint = f"{missing.hint} Or record the source where .NET is installed (`uom translate … --record DIR`)."
            raise ToolchainMissing(missing.what, hint) from None
        return RecordedSource(recording)
    timeout = context.sandbox_execution_timeout
    return LiveSource(sandbox, files, timeout=timeout, approved=is_sample(files))


async def open_target(files: Sequence[SourceFile], context: Context, *, approved: bool) -> TargetSide:
    """Open the target side.

    Raises:
        ToolchainMissing: there is no JDK or no Maven.
    """
    sandbox = await sandbox_of(SandboxType.JAVA_25_SANDBOX, context)
    timeout = context.sandbox_execution_timeout
    return TargetSide(sandbox, files, release=context.release, timeout=timeout, approved=approved)


@dataclass(kw_only=True)
class Workbench:
    """The live ends of one translation."""

    context: Context
    sources: tuple[SourceFile, ...]
    target: FrameworkEnum
    candidate: Draft | None = None
    suite: Suite | None = None
    runs: Runs | None = None
    variants: Variants = NONE
    yardstick: Draft | None = None
    """The translation that the variants are neighbours of: the candidate, or the rules' own where that is foreign."""
    data: Instance | None = None
    """A person's own rows, if they gave any."""
    calls: tuple[Call, ...] = ()
    """A person's own calls, if they gave any."""
    recorded_at: str = ""
    """When the source side was recorded; empty where it runs live."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds by stage."""
    _source: SourceSide | None = None
    _java: TargetSide | None = None
    _rules: TargetSide | None = None
    _java_files: tuple[SourceFile, ...] = ()
    _idle: asyncio.TimerHandle | None = field(default=None, repr=False)

    async def source(self) -> SourceSide:
        """The source side, opened when first asked for."""
        if self._source is None:
            self._source = await open_source(self.sources, self.context)
            self.recorded_at = self._source.recording.recorded_at if self._source.recording else ""
        return self._source

    async def java(self) -> TargetSide:
        """The target side of the candidate, with its variants beside it."""
        assert self.candidate is not None
        beside = () if self.candidate.foreign else self.variants.files
        files = (*self.candidate.translation.files, *beside)
        if self._java is None or files != self._java_files:
            if self._java is not None:
                await self._java.close()
            self._java = await open_target(files, self.context, approved=is_sample(self.sources))
            self._java_files = files
        return self._java

    async def measured(self) -> TargetSide:
        """The target side that holds the variants: foreign Java's documents may not fit the variants' code."""
        assert self.yardstick is not None
        if self.yardstick is self.candidate:
            return await self.java()
        if self._rules is None:
            files = (*self.yardstick.translation.files, *self.variants.files)
            self._rules = await open_target(files, self.context, approved=is_sample(self.sources))
        return self._rules

    async def sides(self) -> Sides:
        """Both sides."""
        return Sides(source=await self.source(), target=await self.java())

    def take(self, candidate: Draft) -> None:
        """Work on this candidate from now on; what ran before is forgotten."""
        self.candidate = candidate
        self.yardstick = by_rules(candidate)
        self.variants = variants_of(self.yardstick)
        self.suite = self.runs = None
        if self.context.proof_data:
            self.data = read_data(read_json(Path(self.context.proof_data)), candidate.mapping)
        if self.context.proof_calls:
            self.calls = read_calls(read_json(Path(self.context.proof_calls)), candidate.reading.queries)

    @contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Measure a stage for the report."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start

    async def close(self) -> None:
        """End the workers; the candidate stays."""
        if self._idle is not None:
            self._idle.cancel()
        ends = (self._source, self._java, self._rules)
        self._source = self._java = self._rules = None
        for side in ends:
            if side is not None:
                await side.close()


_BENCHES: dict[str, Workbench] = {}
_CLOSING: set[asyncio.Task[None]] = set()


def bench_named(run: str) -> Workbench | None:
    """Find the workbench of a run in this process, and keep its workers a while longer."""
    bench = _BENCHES.get(run)
    if bench is not None:
        _touch(run, bench)
    return bench


def keep_bench(run: str, bench: Workbench) -> Workbench:
    """Remember a workbench under its run's name."""
    _BENCHES[run] = bench
    _touch(run, bench)
    return bench


async def drop_bench(run: str) -> None:
    """End a run's workers and forget it."""
    bench = _BENCHES.pop(run, None)
    if bench is not None:
        await bench.close()


async def close_benches() -> None:
    """End the workers of every run; call it before the loop ends."""
    for run in list(_BENCHES):
        await drop_bench(run)


def _touch(run: str, bench: Workbench) -> None:
    loop = asyncio.get_running_loop()
    if bench._idle is not None:  # noqa: SLF001 - the registry owns the benches' clocks
        bench._idle.cancel()  # noqa: SLF001
    bench._idle = loop.call_later(IDLE_SECONDS, _expire, run)  # noqa: SLF001


def _expire(run: str) -> None:
    task = asyncio.get_running_loop().create_task(drop_bench(run))
    _CLOSING.add(task)
    task.add_done_callback(_CLOSING.discard)


_FILES = TypeAdapter(tuple[SourceFile, ...])
_PAIRS = TypeAdapter(tuple[EntryPair, ...])


async def store_json(value: Any) -> dict[str, str]:
    """Keep plain data in the store; returns its reference for the state."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return (await artifact_store().put(data, "json")).to_json()


async def load_json(ref: Mapping[str, str]) -> Any:
    """Read plain data back from the store."""
    data = await artifact_store().get(ArtifactRef.from_json(ref))
    return json.loads(data.decode("utf-8", "surrogatepass"))


async def store_sources(files: Sequence[SourceFile]) -> dict[str, str]:
    """Keep source files; returns their reference."""
    return await store_json(_FILES.dump_python(tuple(files)))


async def load_sources(ref: Mapping[str, str]) -> tuple[SourceFile, ...]:
    """Read source files back."""
    return _FILES.validate_python(await load_json(ref))


async def store_candidate(candidate: Draft) -> dict[str, str]:
    """Keep a candidate: EF's mapping, the Java and the entry pairs; the rest follows from the sources."""
    return await store_json({
        "mapping": candidate.mapping.to_json(),
        "files": _FILES.dump_python(candidate.translation.files),
        "entries": _PAIRS.dump_python(candidate.translation.entries, mode="json"),
        "decisions": dict(candidate.decisions),
        "foreign": candidate.foreign,
    })


async def load_java(ref: Mapping[str, str]) -> tuple[tuple[SourceFile, ...], tuple[EntryPair, ...]]:
    """Read a candidate's Java and its entry pairs alone."""
    value = await load_json(ref)
    return _FILES.validate_python(value["files"]), _PAIRS.validate_python(value["entries"])


async def load_candidate(ref: Mapping[str, str], bench: Workbench) -> Draft:
    """Read a candidate back."""
    value = await load_json(ref)
    mapping = MappingModel.from_json(value["mapping"])
    files, entries = _FILES.validate_python(value["files"]), _PAIRS.validate_python(value["entries"])
    listing = any(pair.class_name == CLASS for pair in entries)
    if listing:
        bench.sources = with_listing(bench.sources, mapping)
    made = await asyncio.to_thread(
        draft,
        bench.sources,
        bench.target,
        mapping=mapping,
        decisions=value["decisions"],
        release=bench.context.release,
        listing=listing,
    )
    closed = {pair.entry for pair in entries}
    return replace(
        made,
        reading=replace(made.reading, gaps=tuple(gap for gap in made.reading.gaps if gap.entry not in closed)),
        translation=replace(
            made.translation,
            files=files,
            entries=entries,
            gaps=tuple(gap for gap in made.translation.gaps if gap.entry not in closed),
        ),
        foreign=value["foreign"],
    )

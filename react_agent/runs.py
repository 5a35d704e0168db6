"""Runs: both programs over one suite, at the same time; one entry that breaks its program does not take the others."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from react_agent.draft import Draft
from react_agent.harness.jobs import source_instances, target_calls, target_instances
from react_agent.model.values import BadCell
from react_agent.proof import states
from react_agent.proof.calls import Call
from react_agent.proof.envelopes import BadEnvelope, Envelope, of_target
from react_agent.proof.suite import Suite
from react_agent.sandbox.protocol import JobKilled, JobTimedOut, KillReason
from react_agent.sandbox.sides import Run, SourceSide, TargetSide

OnProgress = Callable[[str, str, int, int], None]
"""Called with (stage, side, done, total)."""

SECONDS_ALONE = 15.0
"""What an entry that runs alone is given at least, should its share of the whole time be less."""

T = TypeVar("T")
U = TypeVar("U")


def quiet(_stage: str, _side: str, _done: int, _total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The two programs of a proof."""

    source: SourceSide
    target: TargetSide


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What both sides answered, by call id, and the engines that answered.

    `again` is what the Java answered when it was called once more, in the opposite order, with nothing kept from
    before; `unsteady` names the entries of which that is the wrong answer. `failures` names the entries whose own
    program was ended before it answered, and what ended it.
    """

    source: Mapping[str, Envelope]
    target: Mapping[str, Envelope]
    engines: Mapping[str, Mapping[str, Any]]
    failures: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, Envelope] = field(default_factory=dict)
    unsteady: frozenset[str] = frozenset()


async def run_both(
    draft: Draft, suite: Suite, sides: Sides, on_progress: OnProgress = quiet, *, seconds: float
) -> Runs:
    """Run every call on both sides, at the same time; the wall time is that of the slower one.

    Where a program is ended on the way, each entry runs again by itself, so that only the guilty one is without a
    result. `seconds` is the time that all of them share then.

    Raises:
        SandboxError: a side could not do its work at all; the other is stopped.
    """
    calls = _written(draft, suite)
    try:
        source, (target, again) = await together(
            _source(draft, suite, calls, sides, on_progress), _twice(draft, suite, calls, sides, on_progress)
        )
        return _with_again(draft, suite, _runs(draft, suite, calls, source, target), calls, again)
    except (JobTimedOut, JobKilled):
        return await _one_by_one(draft, suite, calls, sides, seconds)


def entry_of(call: Call) -> str:
    """The entry that a call calls, by its name in reports."""
    return f"{call.class_name}.{call.method}"


def _written(draft: Draft, suite: Suite) -> list[Call]:
    entries = {pair.entry for pair in draft.translation.entries}
    return [call for call in suite.calls if entry_of(call) in entries]


async def run_calls(
    draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, on_progress: OnProgress = quiet
) -> Runs:
    """Run these calls on both sides, in one job each.

    Raises:
        SandboxError: a side could not do its work; the other is stopped.
    """
    source, target = await together(
        _source(draft, suite, calls, sides, on_progress), _target(draft, suite, calls, sides, on_progress)
    )
    return _runs(draft, suite, calls, source, target)


def _source(
    draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, on_progress: OnProgress = quiet
) -> Awaitable[Run]:
    return sides.source.run(
        draft.mapping.context,
        source_instances(suite.instances),
        [call.to_json() for call in calls],
        lambda done, total: on_progress("run", "source", done, total),
    )


def _target(
    draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, on_progress: OnProgress = quiet
) -> Awaitable[Run]:
    return sides.target.run(
        draft.translation.configuration,
        target_instances(suite.instances, draft.mapping, draft.translation),
        target_calls(calls, {pair.entry: pair for pair in draft.translation.entries}),
        lambda done, total: on_progress("run", "target", done, total),
    )


async def _twice(
    draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, on_progress: OnProgress = quiet
) -> tuple[Run, Run]:
    """Run the Java in one order and then in the other; each run loads its classes anew."""
    first = await _target(draft, suite, calls, sides, on_progress)
    return first, await _target(draft, suite, calls[::-1], sides)


def _with_again(draft: Draft, suite: Suite, runs: Runs, calls: Sequence[Call], again: Run) -> Runs:
    answers = by_call("target", again.envelopes, [call.id for call in calls])
    pairs = {call.id: with_states(draft, suite, call, runs.source[call.id], answers[call.id]) for call in calls}
    return replace(
        runs,
        source={**runs.source, **{name: source for name, (source, _) in pairs.items()}},
        again={name: target for name, (_, target) in pairs.items()},
    )


def _runs(draft: Draft, suite: Suite, calls: Sequence[Call], source: Run, target: Run) -> Runs:
    asked = [call.id for call in calls]
    one, other = by_call("source", source.envelopes, asked), by_call("target", target.envelopes, asked)
    pairs = {call.id: with_states(draft, suite, call, one[call.id], other[call.id]) for call in calls}
    return Runs(
        source={name: source for name, (source, _) in pairs.items()},
        target={name: target for name, (_, target) in pairs.items()},
        engines={"source": dict(source.engine), "target": dict(target.engine)},
    )


async def _one_by_one(draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, seconds: float) -> Runs:
    """Give each entry a program of its own; what ends it is kept under the entry's name."""
    entries = list(dict.fromkeys(entry_of(call) for call in calls))
    share = max(seconds / max(1, len(entries)), min(seconds, SECONDS_ALONE))
    source: dict[str, Envelope] = {}
    target: dict[str, Envelope] = {}
    again: dict[str, Envelope] = {}
    engines: dict[str, Mapping[str, Any]] = {}
    failures: dict[str, str] = {}
    for entry in entries:
        own = [call for call in calls if entry_of(call) == entry]
        try:
            ran = await _alone(draft, suite, own, sides, share)
        except (JobTimedOut, JobKilled) as error:
            failures[entry] = str(error)
            continue
        source |= ran.source
        target |= ran.target
        again |= ran.again
        engines |= ran.engines
    return Runs(source=source, target=target, engines=engines, failures=failures, again=again)


async def _alone(draft: Draft, suite: Suite, calls: Sequence[Call], sides: Sides, seconds: float) -> Runs:
    """Run one entry: the source first, so that its program's end is told apart from the Java's.

    Raises:
        JobTimedOut, JobKilled: its program was ended; the message begins with the side.
    """
    source = await _within(seconds, "source", sides.source.compile, lambda: _source(draft, suite, calls, sides))
    target, again = await _within(seconds, "target", sides.target.compile, lambda: _twice(draft, suite, calls, sides))
    return _with_again(draft, suite, _runs(draft, suite, calls, source, target), calls, again)


async def _within(seconds: float, side: str, build: Callable[[], Awaitable[Any]], run: Callable[[], Awaitable[T]]) -> T:
    """Run within a share of the time; starting and building a new program does not count."""
    try:
        await build()
        async with asyncio.timeout(seconds):
            return await run()
    except TimeoutError:
        raise JobTimedOut(f"{side}: run", seconds) from None
    except JobTimedOut as error:
        raise JobTimedOut(f"{side}: {error.stage}", error.seconds) from None
    except JobKilled as error:
        raise JobKilled(error.reason, f"{side}: {error.message}", error.log) from None


async def together(one: Awaitable[T], other: Awaitable[U]) -> tuple[T, U]:
    """Await two things at the same time; the first failure ends the other and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(_awaited(one)), group.create_task(_awaited(other))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return first.result(), second.result()


async def _awaited(what: Awaitable[T]) -> T:
    return await what


def with_states(
    draft: Draft, suite: Suite, call: Call, source: Envelope, target: Envelope
) -> tuple[Envelope, Envelope]:
    """Give both envelopes of a call that wrote the state of every table."""
    return states.with_states(source, target, suite.instance(call.instance), draft.mapping, draft.translation.documents)


def by_call(side: str, envelopes: Sequence[Mapping[str, Any]], asked: Sequence[str]) -> dict[str, Envelope]:
    """Read envelopes, by the id of their call.

    Raises:
        JobKilled: they are not the answers to what was asked; a program can reach its worker's pipe.
    """
    try:
        reader = of_target if side == "target" else Envelope.from_json
        read = {envelope.call: envelope for envelope in map(reader, envelopes)}
    except (BadEnvelope, BadCell, KeyError, TypeError) as error:
        raise JobKilled(KillReason.PROTOCOL, f"{side}: an answer that does not read: {error}") from None
    if missing := [name for name in asked if name not in read]:
        raise JobKilled(KillReason.PROTOCOL, f"{side}: no answer to the call {missing[0]}")
    return read

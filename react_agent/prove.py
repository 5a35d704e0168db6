"""Prove: run both sides over one suite, compare, look for the smallest witness, and ask whether the suite can tell.

The stages are functions of their own, so that a graph's nodes can run them one by one; `prove` runs them all.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from react_agent.draft import Draft
from react_agent.harness.jobs import source_instances, target_call, target_calls, target_instances
from react_agent.proof.calls import Call
from react_agent.proof.compare import Difference, DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.instances import Instance
from react_agent.proof.order import OrderRule, order_rule
from react_agent.proof.shrink import shrink
from react_agent.proof.suite import Suite, make_suite
from react_agent.sandbox.protocol import SandboxError
from react_agent.sandbox.sides import SourceSide, TargetSide
from react_agent.variants import NONE, Variant, Variants

OnProgress = Callable[[str, str, int, int], None]
"""Called with (stage, side, done, total)."""

FIRST_CALLS = 24
"""How many calls of an entry each of its variants runs first; those not told apart then run the rest."""

SHRINK_SECONDS = 20.0
"""How long the search for a smaller witness may take; the smallest one found by then is shown."""

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
    """What both sides answered, by call id, and the engines that answered."""

    source: Mapping[str, Envelope]
    target: Mapping[str, Envelope]
    engines: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The smallest database found on which one call differs, with what both sides answered."""

    call: Call
    instance: Instance
    source: Envelope
    target: Envelope
    difference: Difference

    def to_json(self) -> dict[str, Any]:
        """Write the witness for a report, a panel or a repair round."""
        return {
            "call": self.call.to_json(),
            "rows": self.instance.to_json()["tables"],
            "difference": self.difference.to_json(),
            "source": self.source.to_json(),
            "target": self.target.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Adequacy:
    """How many of an entry's variants the suite told apart from it; `survivors` says what each other one changed."""

    live: int = 0
    killed: int = 0
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """All that was learnt about one entry: pairs of envelopes by call, the first difference, the variants."""

    entry: str
    calls: tuple[Call, ...]
    differences: Mapping[str, Difference] = field(default_factory=dict)
    witness: Witness | None = None
    adequacy: Adequacy = Adequacy()


def choose_suite(
    draft: Draft,
    source: SourceSide,
    seed: int | None,
    *,
    data: Instance | None = None,
    calls: tuple[Call, ...] = (),
) -> Suite:
    """Choose what both sides are given: the recording's own data where one is replayed, else made anew.

    A fresh seed for each proof defeats Java that answers from memory.
    """
    recording = source.recording
    if recording is not None:
        return Suite(
            seed=None,
            instances=tuple(Instance.from_json(value) for value in recording.instances),
            calls=tuple(Call.from_json(value) for value in recording.calls),
        )
    methods = [draft.method(pair.entry) for pair in draft.translation.entries]
    chosen = secrets.randbelow(2**31) if seed is None else seed
    return make_suite(draft.mapping, draft.reading.queries, methods, chosen, data=data, calls=calls)


async def run_both(draft: Draft, suite: Suite, sides: Sides, on_progress: OnProgress = quiet) -> Runs:
    """Run every call on both sides, at the same time; the wall time is that of the slower one.

    Raises:
        SandboxError: a side could not do its work; the other is stopped.
    """
    pairs = {pair.entry: pair for pair in draft.translation.entries}
    calls = [call for call in suite.calls if f"{call.class_name}.{call.method}" in pairs]
    source, target = await together(
        sides.source.run(
            draft.mapping.context,
            source_instances(suite.instances),
            [call.to_json() for call in calls],
            lambda done, total: on_progress("run", "source", done, total),
        ),
        sides.target.run(
            draft.translation.configuration,
            target_instances(suite.instances, draft.mapping, draft.translation),
            target_calls(calls, pairs),
            lambda done, total: on_progress("run", "target", done, total),
        ),
    )
    return Runs(
        source=_by_call(source.envelopes),
        target=_by_call(target.envelopes),
        engines={"source": dict(source.engine), "target": dict(target.engine)},
    )


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


def _by_call(envelopes: Sequence[Mapping[str, Any]]) -> dict[str, Envelope]:
    read = (Envelope.from_json(value) for value in envelopes)
    return {envelope.call: envelope for envelope in read}


def rule_of(draft: Draft, call: Call, source: Envelope) -> OrderRule:  # noqa: ARG001 - unpaged rows will come with it
    """The order rule of one call."""
    return order_rule(draft.method(f"{call.class_name}.{call.method}"), draft.mapping, dict(call.args))


def differences(draft: Draft, calls: Sequence[Call], runs: Runs) -> dict[str, Difference]:
    """Compare both envelopes of each call; calls that agree are left out."""
    found: dict[str, Difference] = {}
    for call in calls:
        source, target = runs.source[call.id], runs.target[call.id]
        difference = compare(source, target, rule_of(draft, call, source))
        if difference is not None:
            found[call.id] = difference
    return found


async def examine(
    draft: Draft,
    entry: str,
    suite: Suite,
    runs: Runs,
    sides: Sides,
    variants: Variants = NONE,
    on_progress: OnProgress = quiet,
) -> Finding:
    """Learn all about one entry: where it differs, the smallest witness, or whether the suite could have told."""
    calls = suite.of(draft.method(entry))
    found = differences(draft, calls, runs)
    real = {c: d for c, d in found.items() if d.kind != DifferenceKind.UNDETERMINED}
    if real:
        first = min((c for c in calls if c.id in real), key=lambda c: suite.instance(c.instance).size)
        witness = Witness(
            call=first,
            instance=suite.instance(first.instance),
            source=runs.source[first.id],
            target=runs.target[first.id],
            difference=real[first.id],
        )
        if sides.source.recording is None:
            witness = await _smaller(draft, witness, sides, on_progress)
        return Finding(entry=entry, calls=calls, differences=found, witness=witness)
    adequacy = await tell_apart(draft, variants.by_entry.get(entry, ()), calls, suite, runs, sides.target, on_progress)
    return Finding(entry=entry, calls=calls, differences=found, adequacy=adequacy)


async def _smaller(draft: Draft, witness: Witness, sides: Sides, on_progress: OnProgress) -> Witness:
    """Shrink a witness row by row; a side that fails on the way ends the search, not the proof."""
    search = shrink(witness.instance, draft.mapping)
    until = time.monotonic() + SHRINK_SECONDS
    best, tries = witness, 0
    try:
        candidate = next(search)
        while time.monotonic() < until:
            tries += 1
            on_progress("shrink", "both", tries, tries)
            seen = await _differs_on(draft, witness.call, candidate, sides)
            best = seen or best
            candidate = search.send(seen is not None)
    except (StopIteration, SandboxError):
        pass
    return best


async def _differs_on(draft: Draft, call: Call, instance: Instance, sides: Sides) -> Witness | None:
    moved = replace(call, instance=instance.id)
    suite = Suite(seed=None, instances=(instance,), calls=(moved,))
    runs = await run_both(draft, suite, sides)
    found = differences(draft, (moved,), runs).get(moved.id)
    if found is None or found.kind == DifferenceKind.UNDETERMINED:
        return None
    return Witness(
        call=moved, instance=instance, source=runs.source[moved.id], target=runs.target[moved.id], difference=found
    )


async def tell_apart(
    draft: Draft,
    variants: Sequence[Variant],
    calls: Sequence[Call],
    suite: Suite,
    runs: Runs,
    target: TargetSide,
    on_progress: OnProgress = quiet,
) -> Adequacy:
    """Run the variants over the same calls: each must differ from the source somewhere, or is named as a survivor."""
    ordered = sorted(calls, key=lambda c: (runs.source[c.id].outcome == "none", c.id))
    spread = ordered[:: max(1, len(ordered) // FIRST_CALLS)][:FIRST_CALLS]
    rest = [c for c in ordered if c not in spread]
    alive = list(variants)
    for batch in (spread, rest):
        if alive and batch:
            alive = await _survivors(draft, alive, batch, suite, runs, target, on_progress)
    survivors = tuple(v.mutant.description for v in alive)
    return Adequacy(live=len(variants), killed=len(variants) - len(alive), survivors=survivors)


async def _survivors(
    draft: Draft,
    variants: Sequence[Variant],
    calls: Sequence[Call],
    suite: Suite,
    runs: Runs,
    target: TargetSide,
    on_progress: OnProgress,
) -> list[Variant]:
    asked = {f"{number}|{call.id}": (variant, call) for number, variant in enumerate(variants) for call in calls}
    needed = {call.instance for call in calls}
    instances = [i for i in suite.instances if i.id in needed]
    answer = await target.run(
        draft.translation.configuration,
        target_instances(instances, draft.mapping, draft.translation),
        [target_call(call, variant.pair, name) for name, (variant, call) in asked.items()],
        lambda done, total: on_progress("variants", "target", done, total),
    )
    killed: set[int] = set()
    for name, envelope in _by_call(answer.envelopes).items():
        variant, call = asked[name]
        source = runs.source[call.id]
        difference = compare(source, envelope, rule_of(draft, call, source))
        if difference is not None and difference.kind != DifferenceKind.UNDETERMINED:
            killed.add(int(name.split("|", 1)[0]))
        del variant
    return [variant for number, variant in enumerate(variants) if number not in killed]

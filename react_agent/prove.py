"""Prove: compare what both sides answered, entry by entry, and look for the smallest rows that show a difference."""

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from react_agent.adequacy import NOT_MEASURED, Adequacy, tell_apart
from react_agent.draft import Draft
from react_agent.proof.calls import Call
from react_agent.proof.capabilities import may_deviate, source_deviations
from react_agent.proof.compare import Difference, DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.inexact import magnitude
from react_agent.proof.instances import Instance
from react_agent.proof.order import OrderRule, order_rule
from react_agent.proof.pages import with_unpaged
from react_agent.proof.reading import disagreement
from react_agent.proof.shrink import shrink
from react_agent.proof.suite import Suite, make_suite
from react_agent.runs import OnProgress, Runs, Sides, entry_of, quiet, run_calls
from react_agent.sandbox.protocol import SandboxError
from react_agent.sandbox.sides import SourceSide, TargetSide
from react_agent.variants import NONE, Variants

SHRINK_SECONDS = 20.0
"""How long the search for a smaller witness may take; the smallest one found by then is shown."""


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
class Finding:
    """All that was learnt about one entry: the order rule of each call, the differences, the variants.

    `misread` says on which call our reading of the query is not EF's, and in what.
    """

    entry: str
    calls: tuple[Call, ...]
    rules: Mapping[str, OrderRule] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    witness: Witness | None = None
    adequacy: Adequacy = NOT_MEASURED
    misread: str = ""


Yardstick = tuple[Draft, TargetSide]
"""The translation that an entry's variants are neighbours of, and the program that holds both."""


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


def rule_of(draft: Draft, call: Call, instance: Instance, source: Envelope) -> OrderRule:
    """The order rule of one call, with the rows that a page is cut from where they are known."""
    method, args = draft.method(entry_of(call)), dict(call.args)
    rule = order_rule(method, draft.mapping, args)
    if any(part.inexact for part in rule.parts):
        rule = rule.with_magnitude(magnitude(instance.tables))
    return with_unpaged(rule, method, draft.mapping, instance, call, source)


def differences(calls: Sequence[Call], runs: Runs, rules: Mapping[str, OrderRule]) -> dict[str, Difference]:
    """Compare both envelopes of each call; calls that agree are left out."""
    compared = {call.id: compare(runs.source[call.id], runs.target[call.id], rules[call.id]) for call in calls}
    return {name: difference for name, difference in compared.items() if difference is not None}


def misread(draft: Draft, calls: Sequence[Call], suite: Suite, runs: Runs, rules: Mapping[str, OrderRule]) -> str:
    """Say on which call our reading of an entry's query disagrees with EF, and in what; empty where on none."""
    for call in calls:
        method, tables = draft.method(entry_of(call)), suite.instance(call.instance).tables
        found = disagreement(method, draft.mapping, tables, dict(call.args), runs.source[call.id], rules[call.id])
        if found:
            return f"our reading of the query disagrees with EF on call {call.id}: {found}"
    return ""


async def examine(
    draft: Draft,
    entry: str,
    suite: Suite,
    runs: Runs,
    sides: Sides,
    variants: Variants = NONE,
    on_progress: OnProgress = quiet,
    *,
    yardstick: Yardstick | None = None,
) -> Finding:
    """Learn all about one entry: where it differs, the smallest witness, or whether the suite could have told.

    The variants are neighbours of `yardstick` and run beside it; without one, of the draft on its own side.
    """
    calls = suite.of(draft.method(entry))
    rules = {call.id: rule_of(draft, call, suite.instance(call.instance), runs.source[call.id]) for call in calls}
    found = differences(calls, runs, rules)
    real = {c: d for c, d in found.items() if d.kind != DifferenceKind.UNDETERMINED}
    wrong = misread(draft, calls, suite, runs, rules)
    if not real:
        # Neighbours of a query that is not the user's say nothing of what the suite can tell.
        own = variants.by_entry.get(entry, ()) if not wrong else ()
        near, target = yardstick or (draft, sides.target)
        try:
            adequacy = await tell_apart(near, own, calls, suite, runs, rules, target, on_progress)
        except SandboxError:
            if near is draft:
                raise
            adequacy = NOT_MEASURED  # The rules' Java is not what is judged.
        return Finding(entry=entry, calls=calls, rules=rules, differences=found, adequacy=adequacy, misread=wrong)
    first = min((c for c in calls if c.id in real), key=lambda c: _blames_source(draft, c, suite.instance(c.instance)))
    witness = Witness(
        call=first,
        instance=suite.instance(first.instance),
        source=runs.source[first.id],
        target=runs.target[first.id],
        difference=real[first.id],
    )
    if sides.source.recording is None:
        witness = await _smaller(draft, witness, sides, on_progress)
    return Finding(entry=entry, calls=calls, rules=rules, differences=found, witness=witness, misread=wrong)


def _blames_source(draft: Draft, call: Call, instance: Instance) -> tuple[bool, int]:
    """Order calls that differ: first those that the source's own engine cannot have made differ, then small ones."""
    method = draft.method(entry_of(call))
    deviates = bool(source_deviations(method)) and may_deviate(method, draft.mapping, instance.tables, dict(call.args))
    return deviates, instance.size


async def _smaller(draft: Draft, witness: Witness, sides: Sides, on_progress: OnProgress) -> Witness:
    """Shrink a witness row by row; a side that fails or hangs on the way ends the search, not the proof."""
    search = shrink(witness.instance, draft.mapping)
    until = time.monotonic() + SHRINK_SECONDS
    best, tries = witness, 0
    try:
        candidate = next(search)
        while (left := until - time.monotonic()) > 0:
            tries += 1
            on_progress("shrink", "both", tries, tries)
            async with asyncio.timeout(left):
                seen = await _differs_on(draft, witness.call, candidate, sides)
            best = seen or best
            candidate = search.send(seen is not None)
    except (StopIteration, SandboxError, TimeoutError):
        pass
    return best


async def _differs_on(draft: Draft, call: Call, instance: Instance, sides: Sides) -> Witness | None:
    moved = replace(call, instance=instance.id)
    suite = Suite(seed=None, instances=(instance,), calls=(moved,))
    runs = await run_calls(draft, suite, (moved,), sides)
    source, target = runs.source[moved.id], runs.target[moved.id]
    found = compare(source, target, rule_of(draft, moved, instance, source))
    if found is None or found.kind == DifferenceKind.UNDETERMINED:
        return None
    return Witness(call=moved, instance=instance, source=source, target=target, difference=found)

"""Adequacy: whether the suite can tell a wrong translation from the right one, measured with variants of each entry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from react_agent.draft import Draft
from react_agent.harness.jobs import target_call, target_instances
from react_agent.proof.calls import Call
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.order import OrderRule
from react_agent.proof.suite import Suite
from react_agent.runs import OnProgress, Runs, by_call, quiet, with_states
from react_agent.sandbox.sides import TargetSide
from react_agent.variants import Variant

FIRST_CALLS = 24
"""How many calls of an entry each of its variants runs first; those not told apart then run the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adequacy:
    """How many of an entry's variants the suite told apart from it; `survivors` says what each other one changed."""

    live: int = 0
    killed: int = 0
    survivors: tuple[str, ...] = ()


NOT_MEASURED = Adequacy()
"""Nothing was asked: the entry differs already, or has no variants."""


async def tell_apart(
    draft: Draft,
    variants: Sequence[Variant],
    calls: Sequence[Call],
    suite: Suite,
    runs: Runs,
    rules: Mapping[str, OrderRule],
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
            alive = await _survivors(draft, alive, batch, suite, runs, rules, target, on_progress)
    survivors = tuple(v.mutant.description for v in alive)
    return Adequacy(live=len(variants), killed=len(variants) - len(alive), survivors=survivors)


async def _survivors(
    draft: Draft,
    variants: Sequence[Variant],
    calls: Sequence[Call],
    suite: Suite,
    runs: Runs,
    rules: Mapping[str, OrderRule],
    target: TargetSide,
    on_progress: OnProgress,
) -> list[Variant]:
    # An instance is loaded once for all variants: loading costs more than a call does.
    in_turn = sorted(calls, key=lambda call: call.instance)
    asked = {f"{number}|{call.id}": (variant, call) for call in in_turn for number, variant in enumerate(variants)}
    needed = {call.instance for call in calls}
    instances = [i for i in suite.instances if i.id in needed]
    answer = await target.run(
        draft.translation.configuration,
        target_instances(instances, draft.mapping, draft.translation),
        [target_call(call, variant.pair, name) for name, (variant, call) in asked.items()],
        lambda done, total: on_progress("variants", "target", done, total),
    )
    killed: set[int] = set()
    for name, envelope in by_call("target", answer.envelopes, list(asked)).items():
        call = asked[name][1]
        source, answered = with_states(draft, suite, call, runs.source[call.id], envelope)
        difference = compare(source, answered, rules[call.id])
        if difference is not None and difference.kind != DifferenceKind.UNDETERMINED:
            killed.add(int(name.split("|", 1)[0]))
    return [variant for number, variant in enumerate(variants) if number not in killed]

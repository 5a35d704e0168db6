"""Steady: hold what the Java answers a second time, in another order, against the source too. Pure.

A class that remembers earlier calls may be right the first time and wrong ever after.
"""

from dataclasses import replace

from react_agent.draft import Draft
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.suite import Suite
from react_agent.proof.verdict import EntryVerdict, Verdict
from react_agent.prove import rule_of
from react_agent.runs import Runs, entry_of

UNSTEADY = "the Java does not always answer the same: so it answered when the calls were made again, in another order"


def settled(draft: Draft, suite: Suite, runs: Runs) -> Runs:
    """Take the second answer of each call that was right at first and is wrong then."""
    target, unsteady = dict(runs.target), set(runs.unsteady)
    for call in suite.calls:
        again = runs.again.get(call.id)
        if again is None or again == runs.target[call.id]:
            continue
        source = runs.source[call.id]
        rule = rule_of(draft, call, suite.instance(call.instance), source)
        first, second = (compare(source, answer, rule) for answer in (runs.target[call.id], again))
        if first is None and second is not None and second.kind != DifferenceKind.UNDETERMINED:
            target[call.id] = again
            unsteady.add(entry_of(call))
    return replace(runs, target=target, unsteady=frozenset(unsteady))


def said_of(verdict: EntryVerdict, runs: Runs) -> EntryVerdict:
    """Say in the reason of a difference that it depends on the calls before."""
    if verdict.verdict != Verdict.DIFFERENT or verdict.entry not in runs.unsteady:
        return verdict
    return replace(verdict, reason=f"{verdict.reason}; {UNSTEADY}")

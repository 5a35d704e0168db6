"""Assess: from what was learnt about each entry to its verdict. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from react_agent.draft import Draft
from react_agent.listing import CLASS
from react_agent.model.documents import Loss
from react_agent.model.query import From, Member, QueryMethod, walk
from react_agent.proof.capabilities import (
    Reason,
    cannot_judge,
    may_deviate,
    ordered_by_chance,
    refused,
    source_deviations,
    source_reservations,
)
from react_agent.proof.chance import by_chance
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import OrderRule
from react_agent.proof.suite import Suite
from react_agent.proof.untranslated import untranslated
from react_agent.proof.vacuity import observe
from react_agent.proof.verdict import EntryVerdict, Evidence, MutantScore, Pair, Verdict, decide
from react_agent.prove import Finding
from react_agent.runs import Runs

ENOUGH = 0.95
"""The share of variants that a suite should tell apart; below it the survivors are named as a reservation."""


MEASURED_ON_RULES = "the suite's strength was measured on variants of the rules' own translation, not of this Java"
NOT_MEASURED_HERE = "the suite's strength was not measured: no variant of the query could be run"


def verdict_of(draft: Draft, finding: Finding, suite: Suite, runs: Runs, recorded_at: str = "") -> EntryVerdict:
    """Come to the verdict of an entry that ran on both sides; a source that was replayed is named in the reason."""
    method = draft.method(finding.entry)
    pairs = pairs_of(draft, finding, suite, runs)
    score = MutantScore(
        live=finding.adequacy.live, killed=finding.adequacy.killed, survivors=finding.adequacy.survivors
    )
    seen = observe(
        method,
        draft.mapping,
        [(suite.instance(call.instance).tables, dict(call.args)) for call in finding.calls],
        tuple(pair.source for pair in pairs),
    )
    sql = [statement for call in finding.calls for statement in runs.source[call.id].sql]
    verdict = decide(
        Evidence(
            entry=finding.entry,
            pairs=pairs,
            vacuity=seen,
            mutants=score,
            losses=_losses(draft, method),
            reservations=(
                *draft.reservations.get(finding.entry, ()),
                *source_reservations(method, draft.mapping, sql),
                *seen.notes,
                *_weak(method, score),
                *_apart(method, pairs),
                *_measured(draft, finding, score),
            ),
            hazards=hazards(draft, finding.entry),
            deviations=source_deviations(method),
            misread=finding.misread,
        )
    )
    if finding.witness is not None and verdict.witness is not None:
        verdict = replace(verdict, witness=finding.witness.to_json())
    if finding.witness is not None and verdict.verdict == Verdict.DIFFERENT:
        verdict = replace(verdict, reason=finding.witness.difference.message)
    reason = [verdict.reason, f"source: recorded on {recorded_at}" if recorded_at else ""]
    return replace(verdict, reason="; ".join(part for part in reason if part))


def pairs_of(draft: Draft, finding: Finding, suite: Suite, runs: Runs) -> tuple[Pair, ...]:
    """Both envelopes of each call of an entry, with what neither engine can be trusted in."""
    method = draft.method(finding.entry)
    engine = str(runs.engines["target"].get("name", ""))
    return tuple(
        Pair(
            source=runs.source[call.id],
            target=runs.target[call.id],
            rule=finding.rules[call.id],
            cannot_judge=(
                *untranslated(runs.source[call.id]),
                *_unable(draft, engine, runs.target[call.id], finding.rules[call.id]),
            ),
            may_deviate=call.id in finding.differences
            and may_deviate(method, draft.mapping, suite.instance(call.instance).tables, dict(call.args)),
        )
        for call in finding.calls
    )


def _unable(draft: Draft, engine: str, target: Envelope, rule: OrderRule) -> tuple[Reason, ...]:
    silent = (
        *by_chance(target.statements),
        *cannot_judge(engine, target.statements, draft.translation.documents),
    )
    if (rule.keys and target.outcome == "rows") or any(rows.keys for _, rows in rule.within):
        silent = (*silent, *ordered_by_chance(engine, target.statements))
    # An engine that refuses a statement throws; the same statement may be right on a real server.
    return (*silent, *refused(engine, target.statements, target.exception)) if target.outcome == "throws" else silent


def _weak(method: QueryMethod, score: MutantScore) -> tuple[str, ...]:
    if not method.is_read:
        return ("no rule reads this query, so nothing measured what the suite can tell apart here",)
    if score.ratio >= ENOUGH:
        return ()
    names = "; ".join(score.survivors)
    return (f"the suite told {score.killed} of {score.live} variants of the query apart; not: {names}",)


APART = "EF Core sends one statement where Java sends several: without a transaction another writer can come between"


def _apart(method: QueryMethod, pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    """Say that a command is not atomic, where some call of it took more statements than it has commands."""
    asked = len(method.changes) + (method.query is not None)
    several = any(len(pair.target.statements) > asked for pair in pairs)
    return (APART,) if method.changes and several else ()


def _measured(draft: Draft, finding: Finding, score: MutantScore) -> tuple[str, ...]:
    """How the suite's strength is known where the Java is not ours."""
    if not draft.foreign or finding.witness is not None:
        return ()
    return (MEASURED_ON_RULES if score.live else NOT_MEASURED_HERE,)


def _losses(draft: Draft, method: QueryMethod) -> tuple[Loss, ...]:
    nodes = list(walk(method.asked))
    types = [node.type for node in nodes if isinstance(node, Member)]
    touched = {node.entity for node in nodes if isinstance(node, From)}
    touched |= {(kind.element or kind).name for kind in types}
    return tuple(loss for loss in draft.translation.documents.losses if loss.where.split(".")[0] in touched)


def hazards(draft: Draft, entry: str) -> tuple[str, ...]:
    """The hazards of an entry, as the writer met them."""
    pair = next((p for p in draft.translation.entries if p.entry == entry), None)
    return pair.hazards if pair else ()


def unsupported(draft: Draft) -> tuple[EntryVerdict, ...]:
    """The verdicts of entries that were not translated, each with its gaps."""
    written = {pair.entry for pair in draft.translation.entries}
    return tuple(
        decide(Evidence(entry=method.entry, unsupported=_gaps_of(draft, method.entry)))
        for method in draft.reading.queries.methods
        if method.entry not in written
    )


def _gaps_of(draft: Draft, entry: str) -> str:
    own = [str(gap) for gap in draft.gaps if gap.entry == entry]
    return "; ".join(own) or "; ".join(str(gap) for gap in draft.gaps if not gap.entry) or "not translated"


def not_run(draft: Draft, failure: Mapping[str, str]) -> tuple[EntryVerdict, ...]:
    """The verdicts of written entries that did not run, for one reason that all share."""
    is_missing = failure["verdict"] == Verdict.NOT_EXECUTED
    missing = failure["message"] if is_missing else ""
    broken = "" if is_missing else failure["message"]
    return tuple(
        decide(Evidence(entry=pair.entry, hazards=pair.hazards, not_executed=missing, harness_error=broken))
        for pair in draft.translation.entries
    )


def ended(draft: Draft, runs: Runs) -> tuple[EntryVerdict, ...]:
    """The verdicts of entries whose own program was ended before it answered."""
    return tuple(
        decide(Evidence(entry=entry, hazards=hazards(draft, entry), harness_error=what))
        for entry, what in runs.failures.items()
    )


def notes(draft: Draft, suite: Suite | None, recorded_at: str) -> tuple[str, ...]:
    """Sentences that belong to the whole proof."""
    found: list[str] = []
    if recorded_at:
        found.append(f"source: recorded on {recorded_at}; it did not run again here")
    if draft.foreign:
        found.append("the Java was written or changed by a person, a model or another tool")
    if any(pair.class_name == CLASS for pair in draft.translation.entries):
        found.append(f"no query was to be moved: the entries of {CLASS} load rows into each entity and read them back")
    if suite is not None and suite.seed is not None:
        found.append(f"seed {suite.seed} makes the same data again (--seed {suite.seed})")
    return tuple(found)


def in_order(draft: Draft, verdicts: Sequence[EntryVerdict]) -> tuple[EntryVerdict, ...]:
    """Verdicts in the order of the C# source."""
    by_entry = {verdict.entry: verdict for verdict in verdicts}
    return tuple(by_entry[m.entry] for m in draft.reading.queries.methods if m.entry in by_entry)

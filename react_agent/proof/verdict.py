"""Verdicts: what the evidence for one entry comes to. "Equivalent" stands only where both programs ran and agreed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from react_agent.model.documents import Loss
from react_agent.proof.capabilities import Reason
from react_agent.proof.compare import Difference, DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.inexact import TOLERANCE
from react_agent.proof.order import OrderRule
from react_agent.proof.vacuity import Vacuity, is_telling


class Verdict(StrEnum):
    """What is known of an entry."""

    EQUIVALENT_ON_SUITE = "equivalent_on_suite"
    DIFFERENT = "different"
    VACUOUS = "vacuous"
    UNDETERMINED = "undetermined"
    HARNESS_ERROR = "harness_error"
    UNSUPPORTED = "unsupported"
    NOT_EXECUTED = "not_executed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantScore:
    """How many mutants of the query behave differently somewhere (live), and how many of those the suite told apart."""

    live: int = 0
    killed: int = 0
    survivors: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """Killed of live; one where there was nothing to kill."""
        return self.killed / self.live if self.live else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVerdict:
    """One entry of the report."""

    entry: str
    verdict: Verdict
    reason: str = ""
    instances: int = 0
    calls: int = 0
    mutants: MutantScore = MutantScore()
    losses: tuple[Loss, ...] = ()
    reservations: tuple[str, ...] = ()
    witness: Mapping[str, Any] | None = None
    hazards: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Write the report's entry."""
        return {
            "entry": self.entry,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "instances": self.instances,
            "calls": self.calls,
            "mutants": {
                "live": self.mutants.live,
                "killed": self.mutants.killed,
                "survivors": list(self.mutants.survivors),
            },
            "losses": [{"what": loss.what, "where": loss.where, "hazard": loss.hazard} for loss in self.losses],
            "reservations": list(self.reservations),
            "witness": dict(self.witness) if self.witness is not None else None,
            "hazards": list(self.hazards),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "EntryVerdict":
        """Read a report's entry."""
        mutants = value.get("mutants", {})
        return cls(
            entry=value["entry"],
            verdict=Verdict(value["verdict"]),
            reason=value.get("reason", ""),
            instances=value.get("instances", 0),
            calls=value.get("calls", 0),
            mutants=MutantScore(
                live=mutants.get("live", 0),
                killed=mutants.get("killed", 0),
                survivors=tuple(mutants.get("survivors", ())),
            ),
            losses=tuple(Loss(**loss) for loss in value.get("losses", ())),
            reservations=tuple(value.get("reservations", ())),
            witness=value.get("witness"),
            hazards=tuple(value.get("hazards", ())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Both envelopes of one call, the rule they are compared by, and what the target's engine cannot judge of it.

    `may_deviate` is false where the source's known deviations cannot have made a difference on this call.
    """

    source: Envelope
    target: Envelope
    rule: OrderRule
    cannot_judge: tuple[Reason, ...] = ()
    may_deviate: bool = True

    def difference(self) -> Difference | None:
        """Compare the two."""
        return compare(self.source, self.target, self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything known of an entry when its verdict is asked for.

    `unsupported` names the construct that is not translated, `not_executed` what is missing and how to get it,
    `harness_error` the stage and message of a failure that is not the translation's. `deviations` say how the source's
    engine differs from the user's in what this query touches: a difference there is not the translation's. `misread`
    says in what our reading of the query is not EF's: its order rule may be wrong then, so no agreement is final.
    """

    entry: str
    pairs: tuple[Pair, ...] = ()
    vacuity: Vacuity | None = None
    mutants: MutantScore = MutantScore()
    losses: tuple[Loss, ...] = ()
    reservations: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()
    unsupported: str = ""
    not_executed: str = ""
    harness_error: str = ""
    deviations: tuple[str, ...] = ()
    misread: str = ""


def decide(evidence: Evidence) -> EntryVerdict:
    """Come to one entry's verdict, the strongest statement that the evidence bears.

    A difference that an engine may have made itself is no difference, and an agreement of two engines on a statement
    that one of them cannot judge is no agreement.
    """
    early = ((Verdict.UNSUPPORTED, evidence.unsupported), (Verdict.NOT_EXECUTED, evidence.not_executed))
    for verdict, reason in (*early, (Verdict.HARNESS_ERROR, evidence.harness_error)):
        if reason:
            return _entry(evidence, verdict, reason)
    if not evidence.pairs:
        return _entry(evidence, Verdict.NOT_EXECUTED, "no call of this entry ran on both sides")
    judged = [pair for pair in evidence.pairs if not pair.cannot_judge]
    found = [(pair, difference) for pair in judged if (difference := pair.difference()) is not None]
    real = [(pair, d) for pair, d in found if d.kind != DifferenceKind.UNDETERMINED]
    sure = real if not evidence.deviations else [(pair, d) for pair, d in real if not pair.may_deviate]
    if sure:
        pair, difference = sure[0]
        return _entry(evidence, Verdict.DIFFERENT, difference.message, witness=witness(pair, difference))
    return _undecided(evidence, found, real) or _agreed(evidence, judged)


def _undecided(
    evidence: Evidence, found: list[tuple[Pair, Difference]], real: list[tuple[Pair, Difference]]
) -> EntryVerdict | None:
    if real:
        reason = f"{real[0][1].message}, where the source's engine itself deviates: {'; '.join(evidence.deviations)}"
        return _entry(evidence, Verdict.UNDETERMINED, reason, witness=witness(*real[0]))
    reasons = Counter(r.text for pair in evidence.pairs for r in pair.cannot_judge)
    if reasons:
        return _entry(evidence, Verdict.UNDETERMINED, "; ".join(sorted(reasons)))
    if evidence.misread:
        return _entry(evidence, Verdict.UNDETERMINED, evidence.misread)
    opened = next((pair.rule.undetermined for pair in evidence.pairs if pair.rule.undetermined), "")
    if opened or found:
        return _entry(evidence, Verdict.UNDETERMINED, opened or found[0][1].message)
    return None


def _agreed(evidence: Evidence, judged: list[Pair]) -> EntryVerdict:
    telling = [pair for pair in judged if is_telling(pair.source) and is_telling(pair.target)]
    if not telling:
        return _entry(
            evidence, Verdict.VACUOUS, "no call returned anything that tells a right translation from a wrong one"
        )
    if evidence.vacuity is not None and evidence.vacuity.missing:
        return _entry(evidence, Verdict.VACUOUS, "; ".join(evidence.vacuity.missing))
    hidden = any(not pair.rule.visible for pair in judged)
    notes = ["rows do not show every sort key: their order was judged only as far as it shows"] if hidden else []
    if any(rule.inexact for pair in judged for rule in pair.rule.parts):
        notes.append(f"sums of doubles count as equal within {TOLERANCE:g} of what was summed")
    return _entry(evidence, Verdict.EQUIVALENT_ON_SUITE, "", reservations=tuple(notes))


def _entry(
    evidence: Evidence,
    verdict: Verdict,
    reason: str,
    *,
    witness: Mapping[str, Any] | None = None,
    reservations: tuple[str, ...] = (),
) -> EntryVerdict:
    return EntryVerdict(
        entry=evidence.entry,
        verdict=verdict,
        reason=reason,
        instances=len({pair.source.instance for pair in evidence.pairs}),
        calls=len(evidence.pairs),
        mutants=evidence.mutants,
        losses=evidence.losses,
        reservations=(*_said(evidence.misread), *evidence.reservations, *evidence.deviations, *reservations),
        witness=witness,
        hazards=evidence.hazards,
    )


def _said(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def witness(pair: Pair, difference: Difference) -> dict[str, Any]:
    """What shows a difference: the call, both envelopes' results and the statements sent, as plain data."""
    return {
        "call": pair.source.call,
        "instance": pair.source.instance,
        "args": [{"name": name, "value": cell.to_json()} for name, cell in pair.source.args],
        "difference": difference.to_json(),
        "source": _result(pair.source),
        "target": _result(pair.target),
        "sql": list(pair.source.sql),
        "statements": list(pair.target.statements),
    }


def _result(envelope: Envelope) -> dict[str, Any]:
    out: dict[str, Any] = {"outcome": envelope.outcome, "row_count": envelope.row_count}
    if envelope.outcome == "throws":
        return out | {"exception": envelope.exception, "kind": envelope.kind}
    if envelope.rows:
        return out | {"first_rows": [row.to_json() for row in envelope.rows[:5]]}
    return out | {"value": envelope.value.to_json() if envelope.value is not None else None}


def exit_code(verdicts: Iterable[EntryVerdict]) -> int:
    """0 where every entry is equivalent on the suite, 1 where one is different, 3 where something is not proven."""
    found = {v.verdict for v in verdicts}
    if Verdict.DIFFERENT in found:
        return 1
    return 0 if found == {Verdict.EQUIVALENT_ON_SUITE} else 3

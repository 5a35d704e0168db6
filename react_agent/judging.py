"""Judging: from a workbench whose programs ran to verdicts and the report; the nodes and the command line share it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from react_agent.assess import ended, in_order, not_run, notes, unsupported, verdict_of
from react_agent.proof.freeze import judge_hash
from react_agent.proof.verdict import EntryVerdict
from react_agent.prove import Finding, examine
from react_agent.report import Report
from react_agent.steady import said_of, settled
from react_agent.workbench import Workbench

OnEntry = Callable[[int, int], None]
"""Called with (number, total) before each entry is examined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdicts in the order of the source, and what was learnt about each entry that ran."""

    verdicts: tuple[EntryVerdict, ...]
    findings: tuple[Finding, ...]


async def judge(bench: Workbench, on_entry: OnEntry) -> Judgement:
    """Examine every entry that ran, and give those that were not translated their verdict."""
    assert bench.candidate is not None
    assert bench.suite is not None
    assert bench.runs is not None
    assert bench.yardstick is not None
    bench.runs = settled(bench.candidate, bench.suite, bench.runs)
    sides = await bench.sides()
    yardstick = (bench.yardstick, await bench.measured())
    verdicts: list[EntryVerdict] = [*unsupported(bench.candidate), *ended(bench.candidate, bench.runs)]
    findings: list[Finding] = []
    pairs = [pair for pair in bench.candidate.translation.entries if pair.entry not in bench.runs.failures]
    for number, pair in enumerate(pairs, 1):
        on_entry(number, len(pairs))
        finding = await examine(
            bench.candidate, pair.entry, bench.suite, bench.runs, sides, bench.variants, yardstick=yardstick
        )
        findings.append(finding)
        verdict = verdict_of(bench.candidate, finding, bench.suite, bench.runs, bench.recorded_at)
        verdicts.append(said_of(verdict, bench.runs))
    return Judgement(verdicts=in_order(bench.candidate, verdicts), findings=tuple(findings))


def judge_not_run(bench: Workbench, failure: dict[str, str]) -> tuple[EntryVerdict, ...]:
    """Give every entry its verdict where the programs did not run: what is missing, or what failed."""
    assert bench.candidate is not None
    return in_order(bench.candidate, [*unsupported(bench.candidate), *not_run(bench.candidate, failure)])


def report_of(bench: Workbench, verdicts: tuple[EntryVerdict, ...]) -> Report:
    """Put the report together."""
    assert bench.candidate is not None
    return Report(
        entries=verdicts,
        gaps=bench.candidate.gaps,
        decisions=bench.candidate.translation.documents.decisions,
        engines=bench.runs.engines if bench.runs is not None else {},
        notes=notes(bench.candidate, bench.suite, bench.recorded_at),
        seed=bench.suite.seed if bench.suite else None,
        timings=bench.timings,
    )


def proof_of(bench: Workbench) -> dict[str, Any]:
    """What both sides were given and answered, as plain data: it can be kept, and judged again."""
    assert bench.suite is not None
    assert bench.runs is not None
    return {
        "judge": judge_hash(),
        "seed": bench.suite.seed,
        "instances": [instance.to_json() for instance in bench.suite.instances],
        "calls": [call.to_json() for call in bench.suite.calls],
        "user_calls": list(bench.suite.user_calls),
        "source": [envelope.to_json() for envelope in bench.runs.source.values()],
        "target": [envelope.to_json() for envelope in bench.runs.target.values()],
        "engines": dict(bench.runs.engines),
    }

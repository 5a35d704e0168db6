"""compare_results: decide entry by entry, and look for the smallest rows that show a difference."""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from react_agent.assess import in_order, not_run, notes, unsupported, verdict_of
from react_agent.context import Context
from react_agent.nodes.run_harnesses import run_harnesses
from react_agent.nodes.working import bench_of, failed, progress
from react_agent.proof.explain import explain
from react_agent.proof.verdict import EntryVerdict, Verdict
from react_agent.prove import Finding, examine
from react_agent.repair import repairable, witness_feedback
from react_agent.report import Report
from react_agent.routes import Outcome
from react_agent.sandbox.protocol import SandboxError
from react_agent.state import State
from react_agent.workbench import Workbench


async def compare_results(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Compare what ran; what differs goes back to the translator with its witness, not with a log."""
    bench = await bench_of(state, runtime)
    again = {} if bench.runs is not None else await run_harnesses(state, runtime)
    if bench.runs is None or bench.suite is None:
        return again
    try:
        verdicts, findings = await _examine_all(bench)
    except SandboxError as error:
        return again | failed(state, "compare", error)
    different = [v for v in verdicts if v.verdict == Verdict.DIFFERENT]
    update = again | {
        "report": await report_of(bench, verdicts),
        "query_equivalence_deep_diffs": {f.entry: _explained(f) for f in findings if f.witness is not None},
        "outcome": Outcome.GO_ON,
    }
    if different:
        feedback = witness_feedback(different)
        update |= {
            "outcome": Outcome.FAULTY if repairable(bench.context) else Outcome.FINAL,
            "translation_messages": [HumanMessage(feedback)],
            "explanation_message": "\n".join(f"{v.entry} differs: {v.reason}" for v in different),
        }
    return update


async def _examine_all(bench: Workbench) -> tuple[tuple[EntryVerdict, ...], list[Finding]]:
    assert bench.candidate is not None
    assert bench.suite is not None
    assert bench.runs is not None
    write, tell = get_stream_writer(), progress("compare")
    sides = await bench.sides()
    verdicts: list[EntryVerdict] = list(unsupported(bench.candidate))
    findings: list[Finding] = []
    pairs = bench.candidate.translation.entries
    for number, pair in enumerate(pairs, 1):
        tell("both", number, len(pairs))
        finding = await examine(bench.candidate, pair.entry, bench.suite, bench.runs, sides, bench.variants)
        findings.append(finding)
        verdicts.append(verdict_of(bench.candidate, finding, bench.suite, bench.runs))
    ordered = in_order(bench.candidate, verdicts)
    for verdict in ordered:
        write({"type": "verdict", **verdict.to_json()})
    return ordered, findings


async def report_of(bench: Workbench, verdicts: tuple[EntryVerdict, ...]) -> dict[str, Any]:
    """Put the report together, in the form of `uom translate --report`."""
    assert bench.candidate is not None
    recording = (await bench.source()).recording if bench.runs is not None else None
    return Report(
        entries=verdicts,
        gaps=bench.candidate.gaps,
        decisions=bench.candidate.translation.documents.decisions,
        engines=bench.runs.engines if bench.runs is not None else {},
        notes=notes(bench.candidate, bench.suite, recording.recorded_at if recording else ""),
        seed=bench.suite.seed if bench.suite else None,
    ).to_json()


async def report_not_run(bench: Workbench, failure: dict[str, str]) -> dict[str, Any]:
    """The report where the programs did not run: what is missing, or what failed, for every entry."""
    assert bench.candidate is not None
    verdicts = in_order(bench.candidate, [*unsupported(bench.candidate), *not_run(bench.candidate, failure)])
    write = get_stream_writer()
    for verdict in verdicts:
        write({"type": "verdict", **verdict.to_json()})
    return await report_of(bench, verdicts)


def _explained(finding: Finding) -> dict[str, Any]:
    assert finding.witness is not None
    found = finding.witness
    return explain(found.difference, found.source, found.target).to_json()

"""compare_results: decide entry by entry, and look for the smallest rows that show a difference."""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.judging import judge, report_of
from react_agent.nodes.run_harnesses import run_harnesses
from react_agent.nodes.working import bench_of, failed, progress, tell_verdicts
from react_agent.proof.explain import explain
from react_agent.proof.verdict import Verdict
from react_agent.prove import Finding
from react_agent.repair import repairable, witness_feedback
from react_agent.routes import Outcome
from react_agent.sandbox.protocol import SandboxError
from react_agent.state import State


async def compare_results(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Compare what ran; what differs goes back to the translator with its witness, not with a log."""
    bench = await bench_of(state, runtime)
    # After a restart the envelopes are of dead workers: a witness can only be shrunk where both sides run.
    again = {} if bench.runs is not None else await run_harnesses(state, runtime)
    if bench.runs is None or bench.suite is None:
        return again
    tell = progress("compare")
    try:
        with bench.timed("compare"):
            judgement = await judge(bench, lambda number, total: tell("both", number, total))
    except SandboxError as error:
        return again | failed(state, "compare", error)
    tell_verdicts(judgement.verdicts)
    update = again | {
        "report": report_of(bench, judgement.verdicts).to_json(),
        "query_equivalence_deep_diffs": {f.entry: _explained(f) for f in judgement.findings if f.witness is not None},
        "outcome": Outcome.GO_ON,
    }
    different = [v for v in judgement.verdicts if v.verdict == Verdict.DIFFERENT]
    if different:
        update |= {
            "outcome": Outcome.FAULTY if repairable(bench.context) else Outcome.FINAL,
            "translation_messages": [HumanMessage(witness_feedback(different))],
            "explanation_message": "\n".join(f"{v.entry} differs: {v.reason}" for v in different),
        }
    return update


def _explained(finding: Finding) -> dict[str, Any]:
    assert finding.witness is not None
    found = finding.witness
    return explain(found.difference, found.source, found.target).to_json()

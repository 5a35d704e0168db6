"""evaluate: judge what was proven and how it reads; write the closing explanation."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from react_agent import prompts
from react_agent.asking import ask
from react_agent.context import Context
from react_agent.fences import fenced
from react_agent.judging import judge_not_run, report_of
from react_agent.nodes.working import bench_of, say, tell_verdicts
from react_agent.repair import repairable
from react_agent.report import markdown
from react_agent.routes import Outcome
from react_agent.state import State
from react_agent.utils import get_message_text


async def evaluate(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Explain the verdicts; where the programs could not run, say why for each entry."""
    bench = await bench_of(state, runtime)
    report = state.report
    if state.outcome == Outcome.HARNESS and state.failure is not None:
        verdicts = judge_not_run(bench, state.failure)
        tell_verdicts(verdicts)
        report = report_of(bench, verdicts).to_json()
    assert report is not None
    explanation = f"{headline(report)}\n\n{markdown(report)}"
    if repairable(bench.context):
        assert bench.candidate is not None
        explanation += await _review(fenced(bench.candidate.translation.files), bench.context)
    return {"outcome": Outcome.GO_ON, "report": report, "explanation_message": explanation}


def headline(report: Mapping[str, Any]) -> str:
    """Say in one sentence what was proven."""
    entries = report["entries"]
    proven = sum(entry["verdict"] == "equivalent_on_suite" for entry in entries)
    if not entries:
        return "No entry was found: nothing was proven."
    if proven == len(entries):
        return f"All {proven} entries are equivalent on the suite: both sides ran and agreed."
    return f"{proven} of {len(entries)} entries are equivalent on the suite; the others are not proven."


async def _review(code: str, context: Context) -> str:
    """Ask the model what a reviewer would object to; its opinion decides nothing."""
    say("evaluate", "asking the model for a review")
    answer = await ask(context, [SystemMessage(prompts.EVALUATE), HumanMessage(code)])
    if answer is None:
        return ""
    return f"\n\nReview by {context.model} (an opinion, not part of the proof):\n{get_message_text(answer).strip()}"

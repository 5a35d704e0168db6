"""compile_harnesses: build both sides in their sandboxes, at the same time."""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.nodes.working import bench_of, failed, say
from react_agent.repair import compiler_feedback, forbidden_feedback, repairable
from react_agent.routes import Outcome
from react_agent.runs import together
from react_agent.sandbox.protocol import JobRefused, SandboxError
from react_agent.state import State


async def compile_harnesses(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Build the user's C# and the candidate's Java; what `javac` finds goes back to the translator, distilled."""
    bench = await bench_of(state, runtime)
    say("compile", "building both sides")
    try:
        sides = await bench.sides()
        with bench.timed("compile"):
            _, java = await together(sides.source.compile(), sides.target.compile())
    except JobRefused as refused:
        return _faulty(bench.context, compiler_feedback(refused))
    except SandboxError as error:
        return failed(state, "compile", error)
    forbidden = [item for item in java.forbidden if item["file"] not in {f.path for f in bench.variants.files}]
    if forbidden:
        return _faulty(bench.context, forbidden_feedback(forbidden))
    return {"outcome": Outcome.GO_ON}


def _faulty(context: Context, feedback: str) -> dict[str, Any]:
    return {
        "outcome": Outcome.FAULTY if repairable(context) else Outcome.FINAL,
        "translation_messages": [HumanMessage(feedback)],
        "explanation_message": feedback,
    }

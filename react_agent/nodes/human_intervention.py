"""human_intervention_node: ask a person about a translation that could not be proven.

The node runs again from its start when it is resumed, so nothing with effects stands before the interrupt.
"""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.types import interrupt

from react_agent.fences import code_fields
from react_agent.llm_outputs import HumanInterventionResponse
from react_agent.routes import Outcome
from react_agent.state import State
from react_agent.workbench import load_java

INSTRUCTION = (
    "The translation could not be proven. Accept it as it is, labelled not proven, "
    "or reject it with feedback to have it written again."
)


async def human_intervention_node(state: State) -> dict[str, Any]:
    """Show the best candidate and apply the person's decision."""
    answer = interrupt({
        "instruction": INSTRUCTION,
        "state": {
            **await _code(state),
            "explanation_message": state.explanation_message,
            "query_equivalence_deep_diffs": state.query_equivalence_deep_diffs,
        },
    })
    response = HumanInterventionResponse.model_validate(answer)
    if response.decision == "accept":
        return {"outcome": Outcome.ACCEPTED}
    feedback = response.feedback or "The person rejected the translation and gave no reason."
    return {
        "outcome": Outcome.REJECTED,
        "translation_loop_count": 0,
        "harness_error_count": 0,
        "translation_messages": [HumanMessage(feedback)],
    }


async def _code(state: State) -> dict[str, str | None]:
    """Read the candidate back from the store, where it stands instead of in every checkpoint."""
    if state.translation is None:
        return {"translated_query_code": None, "translated_schema_code": None}
    files, entries = await load_java(state.translation)
    return {**code_fields(files, [pair.java_class for pair in entries])}

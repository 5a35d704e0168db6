"""Words a person says while a turn runs, brought in before the agent's next step."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

Steering = Callable[[], Sequence[HumanMessage]]
"""Gives what was said since it was last asked, and forgets it."""


class SteeringMiddleware(AgentMiddleware[Any, Any, Any]):
    """Adds what was said before each call of the model, and after its last one, which is then not the last."""

    def __init__(self, said: Steering) -> None:
        super().__init__()
        self._said = said

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - the library's signature
        """Put the words where the model reads them next."""
        said = list(self._said())
        return {"messages": said} if said else None

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - the library's signature
        """Go on where an answer without calls would end the turn although something was said meanwhile."""
        if state["messages"][-1].tool_calls:
            return None
        said = list(self._said())
        return {"messages": said, "jump_to": "model"} if said else None

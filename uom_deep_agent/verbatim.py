"""The translator gets the user's own words, whatever the model wrote.

The prompt asks the model to pass the user's input on unchanged. This middleware makes it so. What the
user said is captured once, in the step after the model's message, and kept in the store until the agent ends; the
graph's state holds its key alone. When the `task` call runs again after an interrupt it finds the same
text, also when a file has changed since.
"""

import hashlib
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, NotRequired

from deepagents.backends.protocol import BackendProtocol
from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Command

from react_agent.request import original_bytes, pack
from uom_deep_agent.references import request_blocks
from uom_deep_agent.translator import delegates
from uom_deep_agent.workspace import WorkspaceFiles

NAMESPACE = ("delegations",)
"""Where captured requests stand in the store, by SHA-256 and a number of their own."""


class VerbatimState(AgentState):
    """The captured request of the message whose calls are running."""

    _delegation: NotRequired[Annotated[str, PrivateStateAttr]]
    """Key of the packed request, or why there is none, after `!`."""


class VerbatimDelegation(AgentMiddleware[VerbatimState]):
    """Replaces what the model wrote to the translator by what the user wrote."""

    state_schema = VerbatimState

    def __init__(self, *, root: Path, files: WorkspaceFiles, search: BackendProtocol, store: BaseStore) -> None:
        super().__init__()
        self._root = root
        self._files = files
        self._search = search
        self._store = store

    async def aafter_model(
        self,
        state: VerbatimState,
        runtime: Runtime[Any],  # noqa: ARG002 LangChain's signature
    ) -> dict[str, Any] | None:
        """Capture what the user said when the model hands the work over."""
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not any(map(delegates, last.tool_calls)):
            return None
        try:
            blocks = await request_blocks(state["messages"], root=self._root, files=self._files, search=self._search)
        except ValueError as error:
            return {"_delegation": f"!{error}"}
        await self._drop(state)
        packed = pack(blocks)
        captured = f"{hashlib.sha256(original_bytes(packed)).hexdigest()}-{uuid.uuid4().hex}"
        await self._store.aput(NAMESPACE, captured, {"request": packed}, index=False)
        return {"_delegation": captured}

    async def aafter_agent(
        self,
        state: VerbatimState,
        runtime: Runtime[Any],  # noqa: ARG002 LangChain's signature
    ) -> dict[str, Any] | None:
        """Drop what was captured: no call can ask for it any more."""
        if not state.get("_delegation"):
            return None
        await self._drop(state)
        return {"_delegation": ""}

    async def _drop(self, state: VerbatimState) -> None:
        captured = state.get("_delegation") or "!"
        if not captured.startswith("!"):
            await self._store.adelete(NAMESPACE, captured)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command]],
    ) -> ToolMessage | Command:
        """Run the translator on the captured request."""
        call = request.tool_call
        if not delegates(call):
            return await handler(request)
        captured = str(request.state.get("_delegation") or "!nothing was captured")
        if captured.startswith("!"):
            return _not_delegated(call, captured[1:])
        item = await self._store.aget(NAMESPACE, captured)
        if item is None:
            return _not_delegated(call, "the captured request is gone; the user must ask again")
        args = {**call["args"], "description": item.value["request"]}
        return await handler(request.override(tool_call={**call, "args": args}))


def _not_delegated(call: ToolCall, why: str) -> ToolMessage:
    return ToolMessage(
        f"The translation did not start: {why}.",
        name=call["name"],
        tool_call_id=call["id"],
        status="error",
    )

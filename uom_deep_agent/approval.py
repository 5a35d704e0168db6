"""What needs a person's word, and asking for it at the tool call itself.

The gate stands at the tool call of every agent that holds tools, so no agent and no order of middleware
gets round it, and it reads the mode when a call's turn comes: a switch counts from the next call on.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.config import get_config
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt

from uom_deep_agent.one_at_a_time import OneAtATime
from uom_deep_agent.preview import Preview
from uom_deep_agent.session_context import ApprovalMode

Handler = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command]]


class Effect(StrEnum):
    """What a tool call does to the world."""

    NONE = "none"
    EDIT = "edit"
    PLAN = "plan"
    COMMAND = "command"


EFFECTS: Mapping[str, Effect] = {
    "ls": Effect.NONE,
    "read_file": Effect.NONE,
    "glob": Effect.NONE,
    "grep": Effect.NONE,
    "compact_conversation": Effect.NONE,
    "task": Effect.NONE,
    "write_file": Effect.EDIT,
    "edit_file": Effect.EDIT,
    "delete": Effect.EDIT,
    "write_todos": Effect.PLAN,
    "execute": Effect.COMMAND,
}
"""What each tool does; `task` starts an agent whose own calls are gated. A tool that is not here counts
as a command, because nobody said that it changes nothing."""

ASKS: Mapping[ApprovalMode, frozenset[Effect]] = {
    ApprovalMode.ASK_BEFORE_EDITS: frozenset({Effect.EDIT, Effect.PLAN, Effect.COMMAND}),
    ApprovalMode.ACCEPT_EDITS: frozenset({Effect.PLAN, Effect.COMMAND}),
    ApprovalMode.ACCEPT_EVERYTHING: frozenset(),
}
"""Which effects each mode asks about."""


QUESTIONS = ("questions",)
"""Where open questions stand in the store, with a hash of what was shown; so a restart forgets none."""


def effect_of(call: ToolCall, state: Mapping[str, Any]) -> Effect:
    """Return what a call does; ticking off steps of the plan in place does nothing that is asked about.

    A change below `.git` counts as a command: git runs what stands there.
    """
    effect = EFFECTS.get(call["name"], Effect.COMMAND)
    if effect is Effect.EDIT and ".git" in str(call["args"].get("file_path", "")).lower().split("/"):
        return Effect.COMMAND
    if effect is Effect.PLAN and _steps(call["args"].get("todos")) == _steps(state.get("todos")):
        return Effect.NONE
    return effect


def _steps(todos: object) -> list[str]:
    """Return the steps of a plan without their status."""
    if not isinstance(todos, Sequence):
        return []
    return [str(todo.get("content")) for todo in todos if isinstance(todo, Mapping)]


class ApprovalGate(AgentMiddleware):
    """Asks before a call where the mode says so, one call of a message after another."""

    def __init__(self, mode: Callable[[], ApprovalMode], preview: Preview, store: BaseStore) -> None:
        super().__init__()
        self._mode = mode
        self._preview = preview
        self._store = store
        self._order = OneAtATime()

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> ToolMessage | Command:
        """Run a call when its turn has come and the mode or a person allows it."""
        call, state = request.tool_call, request.state
        if effect_of(call, state) is Effect.NONE:
            return await handler(request)
        message = _message_of(call, state)
        calls = [str(c["id"]) for c in message.tool_calls if effect_of(c, state) is not Effect.NONE]
        thread = get_config().get("configurable", {}).get("thread_id")
        async with self._order.turn((thread, message.id, *calls), calls, str(call["id"])):
            question = hashlib.sha256(repr((thread, message.id, call["id"])).encode()).hexdigest()
            refusal = await self._ask(question, call, effect_of(call, state))
            return refusal or await handler(request)

    async def _ask(self, question: str, call: ToolCall, effect: Effect) -> ToolMessage | None:
        """Return why a call must not run; None when it may.

        A question that was put is answered, also when the mode would no longer ask it.
        """
        put = await self._store.aget(QUESTIONS, question)
        if put is None and effect not in ASKS[self._mode()]:
            return None
        preview = await self._preview.of(call)
        if preview.fault:
            await self._store.adelete(QUESTIONS, question)
            return refused(call, preview.fault)
        seen = hashlib.sha256(repr(preview.value).encode()).hexdigest()
        if put is None:
            await self._store.aput(QUESTIONS, question, {"seen": seen}, index=False)
        answer = interrupt({
            "type": "tool_approval",
            "tool_call_id": call["id"],
            "name": call["name"],
            "args": call["args"],
            "preview": preview.value,
        })
        await self._store.adelete(QUESTIONS, question)
        return _decided(call, answer, changed=put is not None and put.value["seen"] != seen)


def _decided(call: ToolCall, answer: object, *, changed: bool) -> ToolMessage | None:
    """Read a person's answer; anything that is no plain approval is a rejection."""
    given = answer if isinstance(answer, Mapping) else {}
    if given.get("decision") != "approve":
        feedback = str(given.get("feedback") or "").strip()
        said = f" They said: {feedback}" if feedback else " They gave no reason."
        return refused(call, f"The user rejected this call; nothing was done.{said}")
    if changed:
        return refused(
            call,
            "The file changed after the user was shown this change; nothing was done. Read it again "
            "and make the change on what it holds now.",
        )
    return None


def refused(call: ToolCall, why: str) -> ToolMessage:
    """Return the result of a call that was not run."""
    return ToolMessage(why, name=call["name"], tool_call_id=call["id"], status="error")


def _message_of(call: ToolCall, state: Mapping[str, Any]) -> AIMessage:
    """Return the message a call belongs to."""
    for message in reversed(state.get("messages") or []):
        if isinstance(message, AIMessage) and any(c["id"] == call["id"] for c in message.tool_calls):
            return message
    return AIMessage("", tool_calls=[call])

"""The translator's graph as a sub-agent."""

from collections.abc import Awaitable, Callable
from typing import Any

from deepagents import CompiledSubAgent
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.types import Command

from react_agent.rules_model import TRANSLATOR

DESCRIPTION = """\
Translates a data layer from one object mapper to another (C# with Entity Framework Core to Java with \
Spring Data MongoDB), runs both sides and compares what they return. Give it the \
user's full input, unchanged; it reads the files the user named by itself. It answers with the Java files \
as fenced blocks whose info string holds `path=`, and a table of verdicts."""


def translator_subagent(graph: Runnable[Any, Any]) -> CompiledSubAgent:
    """Wrap the translator: it gets its messages and gives its last one back.

    The rest of the two states stays apart: the deep agent has no channels for the translator's fields.
    """
    return {
        "name": TRANSLATOR,
        "description": DESCRIPTION,
        "runnable": RunnableLambda(_messages_only) | graph | RunnableLambda(_last_message_only),
    }


def delegates(call: ToolCall) -> bool:
    """Whether a call starts the translator."""
    return call["name"] == "task" and call["args"].get("subagent_type") == TRANSLATOR


class FilesAndWholeTranslations(FilesystemMiddleware):
    """deepagents' file tools, which set a large result aside and show its beginning; a translation stays whole.

    The model writes the files from the result, so a preview of it would be a loss.
    """

    @property
    def name(self) -> str:
        """Take the place of deepagents' own middleware, which is found by this name."""
        return FilesystemMiddleware.__name__

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command]],
    ) -> ToolMessage | Command:
        """Run a call; only another tool's large result is set aside."""
        if delegates(request.tool_call):
            return await handler(request)
        return await super().awrap_tool_call(request, handler)


def _messages_only(state: dict[str, Any]) -> dict[str, Any]:
    return {"messages": state["messages"]}


def _last_message_only(state: dict[str, Any]) -> dict[str, Any]:
    return {"messages": state["messages"][-1:]}

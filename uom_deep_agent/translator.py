"""The translator's graph as a sub-agent."""

from typing import Any

from deepagents import CompiledSubAgent
from langchain_core.runnables import Runnable, RunnableLambda

TRANSLATOR = "universal-object-mapping-translator"

DESCRIPTION = """\
Translates a data layer from one object mapper to another (C# with Entity Framework Core to Java with \
Spring Data MongoDB or Spring Data Neo4j), runs both sides and compares what they return. Give it the \
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


def _messages_only(state: dict[str, Any]) -> dict[str, Any]:
    return {"messages": state["messages"]}


def _last_message_only(state: dict[str, Any]) -> dict[str, Any]:
    return {"messages": state["messages"][-1:]}

"""The real deep agent on a scripted model, with a translator that a test chooses."""

from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import openai
from langchain_core.messages import AIMessage, AnyMessage
from langchain_openai import ChatOpenAI
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from pydantic import SecretStr

from uom_acp.conversations import Conversations
from uom_acp.mcp_servers import connect
from uom_deep_agent.approval import ApprovalMode
from uom_deep_agent.uom_agent import build_deep_agent


class Translation(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def translator(
    events: list[dict[str, Any]], *, review: dict[str, Any] | None = None, answers: list[Any] | None = None
) -> Any:
    """A translator that reports the given events, may ask for a review, and then says what it was told."""

    async def work(_: Translation) -> dict[str, Any]:
        for event in events:
            get_stream_writer()(event)
        told: Any = None
        while review is not None and (told is None or told["decision"] == "reject"):
            told = interrupt(review)
            (answers if answers is not None else []).append(told)
        return {"messages": [AIMessage(f"translated; review: {told}")]}

    graph = StateGraph(Translation)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    return graph.compile()


CLIENTS: list[openai.DefaultAsyncHttpxClient] = []


def scripted(url: str) -> ChatOpenAI:
    """A client of the scripted model, with connections that `close_clients` closes."""
    CLIENTS.append(openai.DefaultAsyncHttpxClient())
    key = SecretStr("sk-scripted-secret")
    return ChatOpenAI(
        model="scripted",
        base_url=url,
        api_key=key,
        max_retries=0,
        http_async_client=CLIENTS[-1],
        stream_usage=True,
    )


async def close_clients() -> None:
    while CLIENTS:
        await CLIENTS.pop().aclose()


def deep_agent(url: str, *, translation: Any = None, memory: Conversations | None = None) -> Callable[[Any], Any]:
    """A factory of deep agents that speak to a scripted model."""
    remembered = memory or Conversations(None)

    async def factory(context: Any) -> Any:
        tools, faults = await connect(context.mcp_servers, context.cwd)
        for fault in faults:
            context.tell(fault)
        return build_deep_agent(
            model=scripted(url),
            translator=translation or translator([]),
            context=context,
            approval=lambda: ApprovalMode(context.approval()),
            checkpointer=remembered.saver,
            store=remembered.store,
            workspace_files=context.workspace_files,
            workspace_shell=context.workspace_shell,
            tools=tools,
            steering=context.steering,
        )

    return factory

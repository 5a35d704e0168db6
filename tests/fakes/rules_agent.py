"""A program that serves `uom/rules` on stdio, with a translator whose answer is known."""

import asyncio
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages

from react_agent.context import Context
from react_agent.models import load_chat_model
from uom_acp.log import to_stderr
from uom_acp.main import NO_KEY, RULES, modes, serve_stdio
from uom_acp.server import AgentServerACP
from uom_deep_agent.approval import ApprovalMode
from uom_deep_agent.uom_agent import build_deep_agent

JAVA = "package bikes;\n\npublic record Repair(int id) {}\n"
VERDICTS = "| Entry | Verdict |\n| --- | --- |\n| Repairs.All | equivalent_on_suite |\n"
ANSWER = f"```java path=src/main/java/bikes/Repair.java\n{JAVA}```\n\n{VERDICTS}"


class Translation(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


async def translate(state: Translation) -> dict[str, Any]:
    tell = get_stream_writer()
    tell({"type": "progress", "stage": "translate", "side": "both", "done": 1, "total": 2, "message": ""})
    if "slowly" in state["messages"][-1].text:
        await asyncio.sleep(300)
    verdict = {"entry": "Repairs.All", "verdict": "equivalent_on_suite", "reason": "", "instances": 12, "witness": None}
    tell({"type": "verdict", **verdict})
    return {"messages": [AIMessage(ANSWER)]}


def translator() -> Any:
    graph = StateGraph(Translation)
    graph.add_node("translate", translate)
    graph.add_edge(START, "translate")
    return graph.compile()


SAVER = InMemorySaver()


async def build(context: Any) -> Any:
    return build_deep_agent(
        model=await load_chat_model(RULES.id, Context(model=RULES.id)),
        translator=translator(),
        context=context,
        approval=lambda: ApprovalMode(context.approval()),
        checkpointer=SAVER,
        workspace_files=context.workspace_files,
    )


if __name__ == "__main__":
    to_stderr()
    serve_stdio(lambda: AgentServerACP(build, modes=modes(production=True), models=[RULES], notice=lambda _: NO_KEY))

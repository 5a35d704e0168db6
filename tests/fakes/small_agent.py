"""A small graph with the shape of the real agent: a model, tools, the approval gate, a delegated sub-graph."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send, interrupt

from uom_acp.approvals import asks


class Conversation(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def tool(name: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


TOOLS = [
    tool("read_file", file_path="string"),
    tool("write_file", file_path="string", content="string"),
    tool("edit_file", file_path="string", old_string="string", new_string="string"),
    tool("execute", command="string"),
    tool("task", description="string", subagent_type="string"),
    tool("write_todos", todos="array"),
]


async def preview_of(name: str, args: dict[str, Any], context: Any) -> dict[str, Any]:
    if name == "execute":
        return {"command": args["command"], "cwd": str(context.cwd)}
    try:
        old = (await context.workspace_files.read_bytes(args["file_path"])).decode()
    except FileNotFoundError:
        old = None
    new = args["content"] if name == "write_file" else (old or "").replace(args["old_string"], args["new_string"])
    return {"path": args["file_path"], "old_text": old, "new_text": new}


async def execute(command: str, cwd: Any) -> str:
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-c",
        command,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        raise
    return f"{output.decode(errors='replace')}exit code {process.returncode}"


async def run(call: dict[str, Any], context: Any, translator: Any) -> str:
    name, args = call["name"], call["args"]
    match name:
        case "execute":
            return await execute(args["command"], context.cwd)
        case "write_file" | "edit_file":
            preview = await preview_of(name, args, context)
            await context.workspace_files.write_bytes(args["file_path"], preview["new_text"].encode())
            return f"wrote {args['file_path']}"
        case "read_file":
            return (await context.workspace_files.read_bytes(args["file_path"])).decode()
        case "task":
            state = await translator.ainvoke({"messages": [("user", args["description"])]})
            return state["messages"][-1].text
        case "write_todos":
            return "plan kept"
    raise AssertionError(name)


def small_agent(url: str, *, translator: Any = None, checkpointer: Any = None) -> Callable[[Any], Any]:
    """A factory of agents that speak to a scripted model."""
    saver = checkpointer or InMemorySaver()

    async def factory(context: Any) -> Any:
        model = ChatOpenAI(model="scripted", base_url=url, api_key="sk-scripted-secret", max_retries=0).bind_tools(
            TOOLS
        )

        async def think(state: Conversation) -> dict[str, Any]:
            return {"messages": [await model.ainvoke(state["messages"])]}

        async def act(call: dict[str, Any]) -> dict[str, Any]:
            name = call["name"]
            if asks(context.approval(), name):
                preview = await preview_of(name, call["args"], context) if name != "write_todos" else {}
                asked = {"type": "tool_approval", "tool_call_id": call["id"], "name": name, "args": call["args"]}
                answer = interrupt({**asked, "preview": preview})
                if answer["decision"] == "reject":
                    told = ToolMessage(answer["feedback"], tool_call_id=call["id"], name=name, status="error")
                    return {"messages": [told]}
            try:
                told = ToolMessage(await run(call, context, translator), tool_call_id=call["id"], name=name)
            except OSError as error:
                told = ToolMessage(str(error), tool_call_id=call["id"], name=name, status="error")
            return {"messages": [told]}

        def route(state: Conversation) -> Any:
            last = state["messages"][-1]
            assert isinstance(last, AIMessage)
            return [Send("tools", call) for call in last.tool_calls] or END

        graph = StateGraph(Conversation)
        graph.add_node("model", think)
        graph.add_node("tools", act)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", route, ["tools", END])
        graph.add_edge("tools", "model")
        return graph.compile(checkpointer=saver)

    return factory

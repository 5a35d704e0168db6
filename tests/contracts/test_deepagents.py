"""What we found deepagents and LangGraph to do, and build on or work around.

A test that fails after an upgrade says that the behaviour changed: look at the code that it names, and change
or remove what compensates for it.
"""

from collections.abc import Awaitable, Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, LocalShellBackend, StateBackend, StoreBackend
from deepdiff import DeepDiff
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.errors import GraphInterrupt
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, SecretStr

from tests.fakes.llm_server import FakeLlm


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


def agent(llm: FakeLlm, **options: Any) -> Any:
    model = ChatOpenAI(model="m", base_url=llm.url, api_key=SecretStr("k"), max_retries=0)
    return create_deep_agent(model=model, checkpointer=InMemorySaver(), **options)


async def run(graph: Any, step: Any, thread: str = "t") -> dict[str, Any]:
    if isinstance(step, str):
        step = {"messages": [{"role": "user", "content": step}]}
    return await graph.ainvoke(step, {"configurable": {"thread_id": thread}})


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


class Watch(AgentMiddleware):
    """Notes the calls that pass."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    async def awrap_tool_call(
        self, request: Any, handler: Callable[[Any], Awaitable[ToolMessage | Command]]
    ) -> ToolMessage | Command:
        self.seen.append(request.tool_call["name"])
        return await handler(request)


async def test_general_purpose_subagent_is_added_and_passes_by_our_middleware(llm: FakeLlm) -> None:
    """Hence `uom_agent.py` names a sub-agent of this name with the gate in it."""
    watch = Watch()
    llm.call("task", subagent_type="general-purpose", description="write")
    llm.call("write_file", file_path="/a.txt", content="x")
    llm.say("written")
    llm.say("done")
    await run(agent(llm, middleware=[watch]), "go")
    assert watch.seen == ["task"]


async def test_named_general_purpose_subagent_takes_its_place(llm: FakeLlm) -> None:
    watch = Watch()
    llm.call("task", subagent_type="general-purpose", description="write")
    llm.call("write_file", file_path="/a.txt", content="x")
    llm.say("written")
    llm.say("done")
    own: Any = {"name": "general-purpose", "description": "d", "system_prompt": "p", "middleware": [watch]}
    await run(agent(llm, subagents=[own]), "go")
    assert watch.seen == ["write_file"]


async def test_composite_backend_runs_every_command_on_the_default(tmp_path: Path) -> None:
    """Hence `routed_execution.py`."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    backend = CompositeBackend(
        default=LocalShellBackend(root_dir=tmp_path / "a", virtual_mode=True),
        routes={"/b/": LocalShellBackend(root_dir=tmp_path / "b", virtual_mode=True)},
    )
    assert (await backend.aexecute("cd /b/ 2>/dev/null; pwd")).output.strip() == str(tmp_path / "a")


async def test_library_edit_turns_other_line_endings_into_line_feeds(tmp_path: Path) -> None:
    """Hence `files_backend.py` edits bytes."""
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\r\n")
    await FilesystemBackend(root_dir=tmp_path, virtual_mode=True).aedit("/a.txt", "a", "A")
    assert (tmp_path / "a.txt").read_bytes() == b"A\nb\n"


async def test_local_shell_loses_output_that_is_no_utf8(tmp_path: Path) -> None:
    """Hence `shell.py` decodes by itself."""
    output = (await LocalShellBackend(root_dir=tmp_path, virtual_mode=True).aexecute(r"printf 'a\351'")).output
    assert "codec can't decode" in output


async def test_large_results_are_written_into_the_default_backend(llm: FakeLlm, tmp_path: Path) -> None:
    """Hence `backend.py` has a route for each folder of middleware."""
    llm.call("execute", command="seq 1 40000")
    llm.say("done")
    backend = LocalShellBackend(root_dir=tmp_path, virtual_mode=True)
    await run(agent(llm, backend=backend), "go")
    assert names(tmp_path) == ["large_tool_results"]


async def test_two_routes_of_state_share_their_keys(llm: FakeLlm) -> None:
    """Hence each route of `backend.py` is a namespace of the store."""
    backend = CompositeBackend(
        default=StateBackend(), routes={"/memories/": StateBackend(), "/conversation_history/": StateBackend()}
    )
    llm.call("write_file", file_path="/memories/a.md", content="memory")
    llm.call("write_file", file_path="/conversation_history/a.md", content="history")
    llm.say("done")
    state = await run(agent(llm, backend=backend), "go")
    assert {path: f["content"] for path, f in state["files"].items()} == {"/a.md": "history"}


async def test_two_namespaces_of_the_store_do_not() -> None:
    store = InMemoryStore()
    one, two = (StoreBackend(store=store, namespace=lambda _, n=n: (n,)) for n in ("one", "two"))
    await one.awrite("/a.md", "1")
    await two.awrite("/a.md", "2")
    assert [d.content for d in await one.adownload_files(["/a.md"])] == [b"1"]


async def test_later_changes_of_one_file_in_one_message_are_refused(llm: FakeLlm) -> None:
    """`approval.py` need not order them: they never come to the gate."""
    watch = Watch()
    step = llm.call("write_file", file_path="/a.txt", content="1")
    step.call("write_file", file_path="/a.txt", content="2")
    llm.expect(tool_result="parallel file mutations").say("done")
    await run(agent(llm, middleware=[watch]), "go")
    assert watch.seen == ["write_file"]


class Color(StrEnum):
    RED = "red"


class Point(BaseModel):
    x: int


def test_strict_serializer_gives_back_strings_and_dicts() -> None:
    """Hence enums are compared by `==` and models rebuilt at a node's door."""
    strict = JsonPlusSerializer(allowed_msgpack_modules=None)
    color, point = strict.loads_typed(strict.dumps_typed([Color.RED, Point(x=1)]))
    assert (type(color), color == Color.RED) == (str, True)
    assert point == {"x": 1}


def test_serializer_with_an_allowlist_gives_the_types_back() -> None:
    listed = JsonPlusSerializer(allowed_msgpack_modules=[(__name__, "Color"), (__name__, "Point")])
    back = listed.loads_typed(listed.dumps_typed([Color.RED, Point(x=1)]))
    assert [type(v) for v in back] == [Color, Point]


def test_deep_diff_is_kept_as_json_only() -> None:
    """Hence the state holds a difference's JSON text."""
    diff = DeepDiff({"a": 1}, {"a": "1"})
    with pytest.raises(TypeError, match="serializable"):
        JsonPlusSerializer().dumps_typed(diff.to_dict())
    assert "type_changes" in diff.to_json()


def asking(name: str) -> Any:
    def work(_: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"{name}: {interrupt(name)}")]}

    builder: Any = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    return builder.compile()


async def interrupts(graph: Any, step: Any) -> list[Any]:
    config = {"configurable": {"thread_id": "t"}}
    parts = [p async for _, p in graph.astream(step, config, stream_mode="updates", subgraphs=True)]
    return [i for part in parts for i in part.get("__interrupt__", ())]


async def test_subgraphs_interrupt_comes_twice_with_one_id_and_two_are_answered_at_once(llm: FakeLlm) -> None:
    """Hence whoever reads a stream keys interrupts by their id."""
    subagents: Any = [{"name": n, "description": n, "runnable": asking(n)} for n in ("one", "two")]
    step = llm.call("task", subagent_type="one", description="x")
    step.call("task", subagent_type="two", description="x")
    llm.expect(tool_result="one: yes to one").say("done")
    graph = agent(llm, subagents=subagents)
    found = await interrupts(graph, {"messages": [{"role": "user", "content": "go"}]})
    assert sorted(i.value for i in found) == ["one", "one", "two", "two"]
    questions = {i.id: i.value for i in found}
    assert len(questions) == 2
    answers = {i: f"yes to {value}" for i, value in questions.items()}
    state = await run(graph, Command(resume=answers))
    assert [m.text for m in state["messages"] if isinstance(m, ToolMessage)] == ["one: yes to one", "two: yes to two"]


async def test_interrupted_node_runs_again_from_its_start() -> None:
    """Hence nothing with effects stands before an interrupt, and the captured request is read from the store."""
    ran: list[str] = []

    def work(_: MessagesState) -> dict[str, Any]:
        ran.append("start")
        interrupt("?")
        return {}

    builder: Any = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    graph = builder.compile(checkpointer=InMemorySaver())
    await run(graph, "go")
    await run(graph, Command(resume="ok"))
    assert ran == ["start", "start"]


async def test_empty_interrupt_leaves_a_task_to_run_again_without_a_question() -> None:
    """`one_at_a_time.py` ends a task with it whose turn has not come."""
    ran: list[int] = []

    def work(state: dict[str, Any]) -> dict[str, Any]:
        number = state["number"]
        ran.append(number)
        if number == 2 and ran.count(2) == 1:
            raise GraphInterrupt(())
        return {"messages": [AIMessage(f"{number}: {interrupt('?') if number == 1 else 'done'}")]}

    builder: Any = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_conditional_edges(START, lambda _: [Send("work", {"number": n}) for n in (1, 2)], ["work"])
    graph = builder.compile(checkpointer=InMemorySaver())
    [question] = await interrupts(graph, {"messages": []})
    state = await run(graph, Command(resume={question.id: "yes"}))
    assert [m.text for m in state["messages"]] == ["1: yes", "2: done"]
    assert ran == [1, 2, 1, 2]


async def test_subagents_result_is_its_last_text_alone(llm: FakeLlm) -> None:
    """Hence verdicts go out as custom stream events."""

    def work(_: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("verdict: equivalent"), AIMessage("the end")]}

    builder: Any = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    subagents: Any = [{"name": "one", "description": "d", "runnable": builder.compile()}]
    llm.call("task", subagent_type="one", description="x")
    llm.expect(tool_result="the end").say("done")
    state = await run(agent(llm, subagents=subagents), "go")
    assert all("verdict" not in m.text for m in state["messages"])

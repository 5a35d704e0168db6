from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt

from react_agent.context import Context
from tests.fakes.deep_agent import close_clients, scripted
from tests.fakes.llm_server import FakeLlm
from uom_deep_agent import AgentSessionContext, ApprovalMode, build_deep_agent


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


def chat(llm: FakeLlm) -> ChatOpenAI:
    return scripted(llm.url)


@pytest.fixture(autouse=True)
async def clients() -> AsyncIterator[None]:
    """The scripted model's clients, closed in the loop that they belong to."""
    yield
    await close_clients()


@dataclass
class Translations:
    """What the translator was given, and what it answers."""

    received: list[str] = field(default_factory=list)
    answer: Callable[[str], str] = lambda _: "translated"

    def graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        def translate(state: MessagesState) -> dict[str, Any]:
            text = str(state["messages"][-1].content)
            self.received.append(text)
            return {"messages": [AIMessage(self.answer(text))]}

        builder: StateGraph[Any, Any, Any, Any] = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type] langgraph's own state
        builder.add_node("translate", translate)
        builder.add_edge(START, "translate")
        builder.add_edge("translate", END)
        return builder.compile()


@dataclass
class Session:
    """One session with the agent: its mode, and what it asked."""

    workspace: Path
    agent: CompiledStateGraph[Any, Any, Any, Any]
    modes: list[ApprovalMode]
    thread: str = "t1"
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def send(self, step: Any, *, answer: Callable[[dict[str, Any]], Any] | None = None) -> list[AnyMessage]:
        """Run a turn to its end, with an answer for each question."""
        if isinstance(step, str):
            step = {"messages": [{"role": "user", "content": step}]}
        while questions := await self.lap(step):
            assert answer, f"nobody was to be asked, but: {[q.value for q in questions]}"
            step = Command(resume={q.id: answer(q.value) for q in questions})
        state = await self.agent.aget_state({"configurable": {"thread_id": self.thread}})
        assert not state.next, f"the turn ended before its end: {state.next}"
        return state.values["messages"]

    async def lap(self, step: Any) -> list[Interrupt]:
        """Run until the graph ends or asks."""
        found: dict[str, Interrupt] = {}
        config = {"configurable": {"thread_id": self.thread}}
        async for part in self.stream(step, config):
            for question in part.get("__interrupt__", ()):
                found[question.id] = question
        self.asked += [q.value for q in found.values()]
        return list(found.values())

    async def stream(self, step: Any, config: Any) -> AsyncIterator[Any]:
        context = Context(model="einfra/kimi-k2.6")
        async for _, part in self.agent.astream(step, config, context=context, stream_mode="updates", subgraphs=True):
            yield part


@pytest.fixture
def translations() -> Translations:
    return Translations()


@pytest.fixture
def open_session(workspace: Path, llm: FakeLlm, translations: Translations) -> Callable[..., Session]:
    def build(mode: ApprovalMode = ApprovalMode.ASK_BEFORE_EDITS, **options: Any) -> Session:
        modes = [mode]
        options.setdefault("checkpointer", InMemorySaver())
        agent = build_deep_agent(
            model=options.pop("model", None) or chat(llm),
            translator=options.pop("translator", None) or translations.graph(),
            context=AgentSessionContext(cwd=workspace, mode=mode, model="einfra/kimi-k2.6"),
            approval=lambda: modes[-1],
            **options,
        )
        return Session(workspace, agent, modes)

    return build


def results(messages: list[AnyMessage]) -> list[ToolMessage]:
    return [m for m in messages if isinstance(m, ToolMessage)]


def approve(_: object) -> dict[str, str]:
    return {"decision": "approve", "feedback": ""}


def reject(_: object) -> dict[str, str]:
    return {"decision": "reject", "feedback": "not this file"}

"""What a conversation leaves in the database: its own words and results, not the steps by which they came about."""

import asyncio
import contextlib
import itertools
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from react_agent.graph import builder
from react_agent.sandbox.validation import ValidationSandbox
from tests.fakes.deep_agent import Translation, deep_agent
from tests.fakes.ide import FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from tests.react_agent.test_graph import LOUD, answer, request
from tests.stories.conftest import MODELS
from uom_acp.archive import Archive
from uom_acp.conversations import Conversations
from uom_acp.main import modes
from uom_acp.server import AgentServerACP

TRANSLATOR = "universal-object-mapping-translator"
REVIEW = {"instruction": "look", "state": {"translated_query_code": "class Q {}"}}
FILLER = "".join(f"// remark {n} on what a choir may sing in its season\n" for n in range(1000))
MOST = 1024 * 1024


def heavy_translator(steps: int, *, asks: bool) -> Any:
    """A translator that carries much from step to step, and may ask for a review at its end."""

    async def step(_: Translation) -> dict[str, Any]:
        return {"messages": [AIMessage("log " * 25_000)]}

    async def last(_: Translation) -> dict[str, Any]:
        return {"messages": [AIMessage(f"translated; {interrupt(REVIEW) if asks else 'done'}")]}

    graph = StateGraph(Translation)
    names = [START, *(f"step{n}" for n in range(steps)), "last"]
    for name in names[1:]:
        graph.add_node(name, last if name == "last" else step)
    for before, after in itertools.pairwise(names):
        graph.add_edge(before, after)
    return graph.compile()


@contextlib.asynccontextmanager
async def editor(llm: FakeLlm, state: Path, translation: Any) -> AsyncIterator[FakeIde]:
    memory = await Conversations(state).open()
    try:
        agent = deep_agent(llm.url, memory=memory, translation=translation)
        server = AgentServerACP(
            agent, modes=modes(production=False), models=MODELS, archive=Archive(state), memory=memory
        )
        async with connected(server) as ide:
            await ide.initialize()
            yield ide
    finally:
        await memory.close()


def stored(state: Path) -> tuple[int, int]:
    """Tell how many steps of sub-graphs are kept, and how many bytes are in use."""
    with contextlib.closing(sqlite3.connect(state / "conversations.db")) as database:
        [steps] = database.execute("SELECT count(*) FROM checkpoints WHERE checkpoint_ns <> ''").fetchone()
        [writes] = database.execute("SELECT count(*) FROM writes WHERE checkpoint_ns <> ''").fetchone()
        pages, free, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
    return steps + writes, (pages - free) * size


def delegate(llm: FakeLlm) -> None:
    llm.expect().call("task", subagent_type=TRANSLATOR, description="translate")


async def test_steps_of_a_translation_go_when_the_turn_is_over(llm: FakeLlm, tmp_path: Path, workspace: Path) -> None:
    state = tmp_path / "state"
    async with editor(llm, state, heavy_translator(12, asks=False)) as ide:
        await ide.new_session(workspace)
        llm.say("Hello.")
        await ide.prompt("hello")
        _, before = stored(state)
        for _ in range(2):
            delegate(llm)
            llm.expect(tool_result="translated").say("Done.")
            assert await ide.prompt(f"translate {FILLER}") == "end_turn"
        steps, after = stored(state)
    assert steps == 0
    assert after - before <= 2 * MOST


async def test_steps_stay_while_a_review_is_open_in_another_process(
    llm: FakeLlm, tmp_path: Path, workspace: Path
) -> None:
    state = tmp_path / "state"
    delegate(llm)
    async with editor(llm, state, heavy_translator(2, asks=True)) as ide:
        await ide.new_session(workspace)
        ide.answers("reject_once")
        assert await ide.prompt("translate class A { }") == "end_turn"
        session = ide.session
    assert stored(state)[0] > 0
    llm.expect(tool_result="too long").say("Done.")
    async with editor(llm, state, heavy_translator(2, asks=True)) as ide:
        ide.session = session
        await ide.request("session/resume", {"sessionId": session, "cwd": str(workspace), "mcpServers": []})
        assert await ide.prompt("too long") == "end_turn"
    assert stored(state)[0] == 0


@pytest.mark.slow
@pytest.mark.jvm
@pytest.mark.dotnet
@pytest.mark.timeout(600)
async def test_fifty_kilobytes_and_three_retries_add_at_most_a_megabyte(
    llm: FakeLlm, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_URL", llm.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-scripted-secret")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    state = tmp_path / "state"
    text = str(request()["messages"][0].content).replace("namespace Choir;", f"namespace Choir;\n{FILLER}")
    assert len(text) > 50_000
    async with editor(llm, state, builder.compile()) as ide:
        await ide.new_session(workspace)
        llm.say("Hello.")
        await ide.prompt("hello")
        _, before = stored(state)
        delegate(llm)
        llm.say(answer(LOUD))
        for _ in range(3):
            llm.expect("does not compile").say(answer(LOUD))
        llm.expect().say("Done.")
        ide.answers("allow_once")
        async with asyncio.timeout(400):
            await ide.prompting(text)
        steps, after = stored(state)
    await ValidationSandbox.close()
    assert steps == 0
    assert after - before <= MOST

"""Sessions outlive the process: listed, loaded, resumed, forked, deleted; what was asked is asked again."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.deep_agent import deep_agent
from tests.fakes.ide import AgentError, FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from tests.stories.conftest import MODELS
from tests.stories.test_stdio import started
from uom_acp.archive import PAGE, Archive
from uom_acp.conversations import Conversations
from uom_acp.main import modes
from uom_acp.server import AgentServerACP


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@contextlib.asynccontextmanager
async def editor(llm: FakeLlm, state: Path, **offers: Any) -> AsyncIterator[FakeIde]:
    """An editor with an agent of its own, over the same stored sessions."""
    memory = await Conversations(state).open()
    try:
        server = AgentServerACP(
            deep_agent(llm.url, memory=memory),
            modes=modes(production=True),
            models=MODELS,
            archive=Archive(state),
            memory=memory,
        )
        async with connected(server) as ide:
            await ide.initialize(**offers)
            yield ide
    finally:
        await memory.close()


async def open_again(ide: FakeIde, how: str, session: str, cwd: Path) -> Any:
    ide.session = session
    return await ide.request(f"session/{how}", {"sessionId": session, "cwd": str(cwd), "mcpServers": []})


async def spoken(llm: FakeLlm, state: Path, workspace: Path) -> str:
    """A session in which a file was written."""
    llm.expect("write it").call("write_file", call_id="w1", file_path="/a.txt", content="new\n")
    llm.expect().say("Written, and well.")
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        ide.answers("allow_once")
        assert await ide.prompt("write it") == "end_turn"
        return ide.session


async def test_load_shows_everything_again(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    async with editor(llm, state) as ide:
        result = await open_again(ide, "load", session, workspace)
        assert result["modes"]["currentModeId"] == "ask_before_edits"
        shown = ide.transcript.updates()
        kinds = [update["sessionUpdate"] for update in shown]
        kinds = [kind for kind in kinds if kind != "available_commands_update"]
        assert kinds == ["user_message_chunk", "session_info_update", "tool_call", "agent_message_chunk"]
        assert shown[0]["content"] == {"type": "text", "text": "write it"}
        card = shown[2]
        assert (card["status"], card["kind"], card["title"]) == ("completed", "edit", "Write a.txt")
        assert card["content"][0]["newText"] == "new\n"
        assert ide.transcript.text() == "Written, and well."
        assert not ide.transcript.asked("session/request_permission")


async def test_resume_shows_nothing_and_remembers(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    async with editor(llm, state) as ide:
        await open_again(ide, "resume", session, workspace)
        assert {update["sessionUpdate"] for update in ide.transcript.updates()} <= {"available_commands_update"}
        llm.expect("and now?").say("Now more.")
        assert await ide.prompt("and now?") == "end_turn"
    history = [message["content"] for message in llm.requests[-1]["messages"] if message["role"] == "user"]
    assert history == ["write it", "and now?"]


async def test_list_goes_page_by_page(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    archive = Archive(state)
    stored, shown = await archive.load(session)
    for number in range(PAGE + 3):
        await archive.copy(session, f"uom-{number:032x}")
    async with editor(llm, state) as ide:
        first = await ide.request("session/list", {"cwd": str(workspace)})
        rest = await ide.request("session/list", {"cwd": str(workspace), "cursor": first["nextCursor"]})
        both = [each["sessionId"] for page in (first, rest) for each in page["sessions"]]
        assert len(first["sessions"]) == PAGE
        assert len(set(both)) == len(both) == PAGE + 4
        assert both[-1] == session
        assert rest.get("nextCursor") is None
        assert {each["title"] for each in first["sessions"]} == {"write it"}
        assert (await ide.request("session/list", {"cwd": "/elsewhere"}))["sessions"] == []
        with pytest.raises(AgentError, match="32602"):
            await ide.request("session/list", {"cursor": "bm9uZQ=="})
    assert (stored.title, len(shown)) == ("write it", 4)


async def test_deleted_session_is_gone_with_its_conversation(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    async with editor(llm, state) as ide:
        await ide.request("session/delete", {"sessionId": session})
        await ide.request("session/delete", {"sessionId": session})
        assert (await ide.request("session/list", {}))["sessions"] == []
        with pytest.raises(AgentError, match="32002"):
            await open_again(ide, "load", session, workspace)
    with contextlib.closing(sqlite3.connect(state / "conversations.db")) as database:
        assert database.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


async def test_session_that_nobody_spoke_in_is_not_kept(llm: FakeLlm, state: Path, workspace: Path) -> None:
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        assert (await ide.request("session/list", {}))["sessions"] == []
    assert not list((state / "leases").glob("*")) if (state / "leases").exists() else True


async def test_session_of_another_editor_is_refused_until_it_is_closed(
    llm: FakeLlm, state: Path, workspace: Path
) -> None:
    llm.expect("hello").say("Hello.")
    async with editor(llm, state) as one, editor(llm, state) as other:
        await one.new_session(workspace)
        await one.prompt("hello")
        for method in ("load", "resume"):
            with pytest.raises(AgentError, match="open in another editor"):
                await open_again(other, method, one.session, workspace)
        with pytest.raises(AgentError, match="open in another editor"):
            await other.request("session/delete", {"sessionId": one.session})
        await one.request("session/close", {"sessionId": one.session})
        await open_again(other, "load", one.session, workspace)
        assert other.transcript.text() == "Hello."


async def test_loading_an_open_session_leaves_its_turn_alone(llm: FakeLlm, state: Path, workspace: Path) -> None:
    step = llm.expect("slowly").say("one two").hold()
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        running = ide.prompting("slowly")
        await asyncio.to_thread(llm.wait_for_requests, 1)
        await open_again(ide, "load", ide.session, workspace)
        assert not running.done()
        ide.cancel()
        assert (await running)["stopReason"] == "cancelled"
        step.gate.set()


async def test_fork_goes_on_by_itself(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    async with editor(llm, state) as ide:
        asked = {"sessionId": session, "cwd": str(workspace), "mcpServers": []}
        result = await ide.request("session/fork", asked, judged=False)
        ide.session = result["sessionId"]
        assert ide.session != session
        llm.expect("in the copy").say("Here.")
        await ide.prompt("in the copy")
        await open_again(ide, "load", session, workspace)
        assert "in the copy" not in str(ide.transcript.updates("user_message_chunk"))
    assert "write it" in str(llm.requests[-1]["messages"])


async def test_another_format_is_refused_and_the_agent_still_serves(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    with contextlib.closing(sqlite3.connect(state / "sessions.db")) as database:
        database.execute("PRAGMA user_version = 99")
    llm.expect("hello").say("Hello.")
    llm.expect("again").say("Again.")
    async with editor(llm, state) as ide:
        with pytest.raises(AgentError, match="format 99"):
            await open_again(ide, "load", session, workspace)
        await ide.new_session(workspace)
        assert await ide.prompt("hello") == "end_turn"
        assert await ide.prompt("again") == "end_turn"
        assert "This conversation is not kept" in ide.transcript.text()


async def test_session_of_an_older_format_is_refused(llm: FakeLlm, state: Path, workspace: Path) -> None:
    session = await spoken(llm, state, workspace)
    with contextlib.closing(sqlite3.connect(state / "sessions.db")) as database, database:
        database.execute("UPDATE sessions SET format = 0")
    async with editor(llm, state) as ide:
        with pytest.raises(AgentError, match="stored in format 0"):
            await open_again(ide, "resume", session, workspace)


async def test_damaged_file_is_said(llm: FakeLlm, state: Path, workspace: Path) -> None:
    await spoken(llm, state, workspace)
    for name in ("sessions.db-wal", "sessions.db-shm"):
        (state / name).unlink(missing_ok=True)
    (state / "sessions.db").write_bytes(b"not a database at all" * 100)
    async with editor(llm, state) as ide:
        with pytest.raises(AgentError, match="move that file away"):
            await ide.request("session/list", {})


async def test_what_is_not_stored_is_not_offered(ide: FakeIde) -> None:
    capabilities = (await ide.initialize())["agentCapabilities"]
    assert capabilities["loadSession"] is False
    assert set(capabilities["sessionCapabilities"]) == {"close"}
    with pytest.raises(AgentError, match="32601"):
        await ide.request("session/list", {})


async def test_question_is_asked_again_after_the_process_was_killed(llm: FakeLlm, state: Path, workspace: Path) -> None:
    program = ("-m", "tests.fakes.stdio_agent", llm.url, str(state))
    llm.expect("write it").call("write_file", call_id="w1", file_path="/a.txt", content="new\n")
    async with started(*program) as (ide, process):
        await ide.initialize()
        await ide.new_session(workspace)
        ide.answers("never")
        ide.prompting("write it")
        await ide.until(lambda seen: seen.asked("session/request_permission"))
        process.kill()
        await process.wait()
        session = ide.session
    assert not (workspace / "a.txt").exists()
    llm.expect(tool_result="a.txt").say("Written.")
    llm.expect("go on").say("Going on.")
    async with started(*program) as (ide, _):
        await ide.initialize()
        await open_again(ide, "load", session, workspace)
        ide.answers("allow_once")
        assert await ide.prompt("go on") == "end_turn"
        (asked,) = ide.transcript.asked("session/request_permission")
        assert asked["toolCall"]["toolCallId"] == "w1"
        assert ide.transcript.statuses("w1")[-1] == "completed"
        assert ide.transcript.text() == "Written.Going on."
    assert (workspace / "a.txt").read_text() == "new\n"


async def test_review_is_asked_again_after_the_process_was_killed(llm: FakeLlm, state: Path, workspace: Path) -> None:
    program = ("-m", "tests.fakes.stdio_agent", llm.url, str(state))
    kind = "universal-object-mapping-translator"
    llm.expect("Translate").call("task", call_id="task_1", description="Translate", subagent_type=kind)
    async with started(*program) as (ide, process):
        await ide.initialize()
        await ide.new_session(workspace)
        ide.answers("never")
        ide.prompting("Translate")
        await ide.until(lambda seen: seen.asked("session/request_permission"))
        process.kill()
        await process.wait()
        session = ide.session
    async with started(*program) as (ide, process):
        await ide.initialize()
        await open_again(ide, "resume", session, workspace)
        ide.answers("reject_once")
        assert await ide.prompt("go on") == "end_turn"
        assert "your next message" in ide.transcript.text()
        process.kill()
        await process.wait()
    llm.expect(tool_result="'accept'").say("Published.")
    async with started(*program) as (ide, _):
        await ide.initialize()
        await open_again(ide, "load", session, workspace)
        ide.answers("allow_once")
        assert await ide.prompt("Use COALESCE") == "end_turn"
        assert ide.transcript.statuses("task_1")[-1] == "completed"
        assert ide.transcript.text().endswith("Published.")


async def test_turn_that_the_person_stopped_is_not_gone_on_with(llm: FakeLlm, state: Path, workspace: Path) -> None:
    llm.expect("write it").call("write_file", call_id="w1", file_path="/a.txt", content="new\n")
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        ide.answers("never")
        running = ide.prompting("write it")
        await ide.until(lambda seen: seen.asked("session/request_permission"))
        ide.cancel()
        assert (await running)["stopReason"] == "cancelled"
        session = ide.session
    llm.expect("something else").say("Else.")
    async with editor(llm, state) as ide:
        await open_again(ide, "load", session, workspace)
        assert ide.transcript.updates("tool_call")[-1]["status"] == "failed"
        assert await ide.prompt("something else") == "end_turn"
        assert not ide.transcript.asked("session/request_permission")

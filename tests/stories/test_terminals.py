"""Commands in the editor's terminals: shown live, ended with the turn, given back always."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.eventually import alive, eventually, number_in
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_sessions import editor, open_again

pytestmark = pytest.mark.parametrize("offers", [{"terminal": True}])


def run(llm: FakeLlm, command: str, told: str, **more: object) -> None:
    llm.expect("run").call("execute", call_id="e", command=command, **more)
    llm.expect(tool_result=told).say("Ran.")


async def test_command_runs_in_a_terminal_on_its_card(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    run(llm, "pwd; echo 'a  b'; exit 3", "a  b")
    await ide.set_mode("accept_everything")
    assert await ide.prompt("run") == "end_turn"
    updates = ide.transcript.cards()["e"]
    shown = [update["content"] for update in updates if update.get("content")]
    assert [item["type"] for content in shown for item in content] == ["terminal"]
    assert str(workspace) in str(llm.requests[-1]["messages"][-1]["content"])
    assert ide.transcript.statuses("e") == ["pending", "in_progress", "completed"]
    assert (ide.terminals.released, ide.terminals.open) == (1, {})


async def test_command_that_takes_too_long_is_ended(ide: FakeIde, llm: FakeLlm) -> None:
    run(llm, "echo begun; sleep 300", "ended after 1 s", timeout=1)
    await ide.set_mode("accept_everything")
    assert await ide.prompt("run") == "end_turn"
    assert ide.terminals.open == {}


async def test_cancel_ends_the_command_and_gives_the_terminal_back(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    llm.expect("run").call("execute", call_id="e", command="echo $$ > pid; sleep 300")
    await ide.set_mode("accept_everything")
    turn = ide.prompting("run")
    pid = await eventually(lambda: number_in(workspace / "pid"))
    ide.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    await eventually(lambda: not alive(pid), 10)
    await eventually(lambda: ide.terminals.released == 1)
    assert ide.transcript.statuses("e")[-1] == "failed"


async def test_loaded_session_shows_the_text_of_the_terminal(
    llm: FakeLlm, tmp_path: Path, workspace: Path, offers: dict[str, Any]
) -> None:
    run(llm, "echo told", "told")
    async with editor(llm, tmp_path / "state", **offers) as ide:
        await ide.new_session(workspace)
        await ide.set_mode("accept_everything")
        await ide.prompt("run")
    async with editor(llm, tmp_path / "state") as again:
        await open_again(again, "load", ide.session, workspace)
        (card,) = again.transcript.updates("tool_call")
        assert card["status"] == "completed"
        assert "told" in card["content"][0]["content"]["text"]

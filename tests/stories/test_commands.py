"""What a person types after `/`, and what "always in this workspace" keeps."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.deep_agent import translator
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_sessions import editor, open_again

LOSS = {"what": "ticks are lost", "where": "Order.At", "hazard": "S11"}
VERDICT = {"type": "verdict", "entry": "Orders.Late", "verdict": "equivalent_on_suite", "losses": [LOSS]}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def translation() -> Any:
    return translator([VERDICT])


def write(llm: FakeLlm, path: str) -> None:
    llm.expect("write").call("write_file", file_path=path, content="x\n")
    llm.expect().say("Done.")


def here(params: dict[str, Any]) -> dict[str, Any]:
    """Choose "always in this workspace"."""
    chosen = next(option for option in params["options"] if option["name"].endswith("in this workspace"))
    return {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}


async def names(ide: FakeIde) -> list[str]:
    update = (await ide.until(lambda seen: seen.updates("available_commands_update")))[-1]
    return [command["name"] for command in update["availableCommands"]]


async def test_always_in_this_workspace_outlives_the_process_and_can_be_revoked(
    llm: FakeLlm, state: Path, workspace: Path
) -> None:
    write(llm, "/src/a.txt")
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        ide.answers(here)
        await ide.prompt("write")
        (asked,) = ide.transcript.asked("session/request_permission")
        offered = [option["name"] for option in asked["options"]]
        assert offered[1:3] == [
            "Always allow edits in this session",
            "Always allow edits below `src/` in this workspace",
        ]
    (kept,) = (state / "permissions").glob("*.json")
    assert json.loads(kept.read_text())["rules"] == [{"allow": "edit", "path": "src/"}]
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        write(llm, "/src/deep/b.txt")
        await ide.prompt("write")
        assert not ide.transcript.asked("session/request_permission")
        for path in ("/other/c.txt", "/src.txt", "/src/.git/hooks/x"):
            write(llm, path)
            ide.answers("reject_once")
            await ide.prompt("write")
        assert len(ide.transcript.asked("session/request_permission")) == 3
        await ide.prompt("/permissions")
        assert "1. edits below `src/`" in ide.transcript.text()
        await ide.prompt("/permissions revoke 1")
        write(llm, "/src/d.txt")
        ide.answers("reject_once")
        await ide.prompt("write")
        assert len(ide.transcript.asked("session/request_permission")) == 4
    assert not (workspace / "src" / "d.txt").exists()


async def test_a_command_is_allowed_by_its_signature_in_this_workspace_only(
    llm: FakeLlm, state: Path, workspace: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with editor(llm, state) as ide:
        for folder, answer in ((workspace, here), (workspace, None), (elsewhere, "reject_once")):
            await ide.new_session(folder)
            llm.expect("run").call("execute", command="git status")
            llm.expect().say("Done.")
            ide.answers(*([answer] if answer else []))
            await ide.prompt("run")
        asked = ide.transcript.asked("session/request_permission")
        assert [params["sessionId"] == ide.session for params in asked] == [False, True]


async def test_edits_below_git_are_never_always_allowed(ide: FakeIde, llm: FakeLlm) -> None:
    write(llm, "/a.txt")
    ide.answers("allow_always")
    await ide.set_mode("ask_before_edits")
    await ide.prompt("write")
    write(llm, "/.git/hooks/pre-commit")
    ide.answers("reject_once")
    await ide.prompt("write")
    assert [option["kind"] for option in ide.transcript.asked("session/request_permission")[-1]["options"]] == [
        "allow_once",
        "reject_once",
    ]


async def test_commands_are_offered_when_they_apply(ide: FakeIde, llm: FakeLlm) -> None:
    assert await names(ide) == ["translate", "model", "doctor"]
    await ide.prompt("/report")
    assert "Nothing was proven" in ide.transcript.text()
    kind = "universal-object-mapping-translator"
    llm.expect("/translate a.cs").call("task", call_id="t", description="x", subagent_type=kind)
    llm.expect().say("Done.")
    await ide.prompt("/translate a.cs")
    assert "report" in await names(ide)
    await ide.prompt("/report")
    assert "- loss: Order.At: ticks are lost [S11]" in ide.transcript.text()


async def test_model_command_moves_the_selector(ide: FakeIde) -> None:
    await ide.prompt("/model scripted/two")
    (update,) = ide.transcript.updates("config_option_update")
    assert update["configOptions"][1]["currentValue"] == "scripted/two"
    await ide.prompt("/model nothing")
    assert "Choose one of: scripted/one, scripted/two" in ide.transcript.text()


async def test_a_slash_that_is_no_command_goes_to_the_agent(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect("/etc/hosts is what?").say("A file.")
    await ide.prompt("/etc/hosts is what?")
    assert ide.transcript.text() == "A file."


async def test_a_command_leaves_an_open_question_open(llm: FakeLlm, state: Path, workspace: Path) -> None:
    llm.expect("write").call("write_file", call_id="w", file_path="/a.txt", content="x\n")
    async with editor(llm, state) as ide:
        await ide.new_session(workspace)
        ide.answers("never")
        ide.prompting("write")
        await ide.until(lambda seen: seen.asked("session/request_permission"))
    async with editor(llm, state) as again:
        await open_again(again, "load", ide.session, workspace)
        await again.prompt("/permissions")
        assert not again.transcript.asked("session/request_permission")
        llm.expect(tool_result="a.txt").say("Written.")
        llm.expect("on").say("On.")
        again.answers("allow_once")
        await again.prompt("on")
        assert (workspace / "a.txt").read_text() == "x\n"

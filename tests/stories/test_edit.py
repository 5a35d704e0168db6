"""Each mode with an edit, a write, a command and a plan: what is asked, and what happens after each answer."""

from pathlib import Path

import pytest

from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import Chunking, FakeLlm

MODES = ["ask_before_edits", "accept_edits", "accept_everything"]
CRLF = b"class A\r\n{\r\n  int old;\r\n}\r\n"


def script(llm: FakeLlm, tool: str, **arguments: object) -> None:
    llm.expect("do it").call(tool, call_id="call_1", **arguments)
    llm.expect().say("Done.")


@pytest.mark.parametrize("mode", MODES)
async def test_edit_keeps_line_ends_and_shows_the_whole_file(
    ide: FakeIde, llm: FakeLlm, workspace: Path, mode: str
) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    script(llm, "edit_file", file_path="/A.cs", old_string="old", new_string="renamed")
    ide.answers("allow_once")
    await ide.set_mode(mode)

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "A.cs").read_bytes() == CRLF.replace(b"old", b"renamed")
    assert len(ide.transcript.asked("session/request_permission")) == (mode == "ask_before_edits")
    assert ide.transcript.statuses("call_1") == ["pending", "in_progress", "completed"]
    last = ide.transcript.cards()["call_1"][-1]
    (diff,) = last["content"]
    assert (diff["type"], diff["path"]) == ("diff", str(workspace / "A.cs"))
    assert (diff["oldText"], diff["newText"]) == (CRLF.decode(), CRLF.replace(b"old", b"renamed").decode())
    assert last["locations"] == [{"path": str(workspace / "A.cs"), "line": 3}]
    assert ide.transcript.text() == "Done."


@pytest.mark.parametrize("mode", MODES)
async def test_new_file_has_no_old_text(ide: FakeIde, llm: FakeLlm, workspace: Path, mode: str) -> None:
    script(llm, "write_file", file_path="/sub/New.java", content="class New {}\n")
    ide.answers("allow_once")
    await ide.set_mode(mode)

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "sub/New.java").read_bytes() == b"class New {}\n"
    (diff,) = ide.transcript.cards()["call_1"][-1]["content"]
    assert "oldText" not in diff
    assert diff["newText"] == "class New {}\n"
    assert len(ide.transcript.asked("session/request_permission")) == (mode == "ask_before_edits")


@pytest.mark.parametrize("mode", MODES)
async def test_command_asks_unless_everything_is_accepted(
    ide: FakeIde, llm: FakeLlm, workspace: Path, mode: str
) -> None:
    script(llm, "execute", command="echo made > out.txt; echo shown")
    ide.answers("allow_once")
    await ide.set_mode(mode)

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "out.txt").read_text() == "made\n"
    assert len(ide.transcript.asked("session/request_permission")) == (mode != "accept_everything")
    last = ide.transcript.cards()["call_1"][-1]
    assert last["status"] == "completed"
    assert "shown" in last["content"][0]["content"]["text"]


async def test_question_carries_the_call_it_is_about(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    script(llm, "edit_file", file_path="/A.cs", old_string="old", new_string="renamed")
    ide.answers("allow_once")
    await ide.set_mode("ask_before_edits")
    await ide.prompt("do it")

    (asked,) = ide.transcript.asked("session/request_permission")
    call = asked["toolCall"]
    assert (call["toolCallId"], call["kind"], call["title"]) == ("call_1", "edit", "Edit A.cs")
    assert call["content"][0]["oldText"] == CRLF.decode()
    assert call["locations"] == [{"path": str(workspace / "A.cs"), "line": 3}]
    kinds = {option["kind"]: option["name"] for option in asked["options"]}
    assert kinds == {
        "allow_once": "Allow once",
        "allow_always": "Always allow edits in this session",
        "reject_once": "Reject",
    }
    assert ide.transcript.statuses("call_1") == ["pending", "in_progress", "completed"]


async def test_rejected_edit_leaves_the_file_and_fails_its_card(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    llm.expect("do it").call("edit_file", call_id="call_1", file_path="/A.cs", old_string="old", new_string="new")
    llm.expect(tool_result="rejected").say("I left it as it was.")
    ide.answers("reject_once")
    await ide.set_mode("ask_before_edits")

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "A.cs").read_bytes() == CRLF
    assert ide.transcript.statuses("call_1") == ["pending", "failed"]
    assert ide.transcript.text() == "I left it as it was."


async def test_always_is_asked_once(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    llm.expect("do it").call("write_file", file_path="/a.txt", content="a")
    llm.expect().call("write_file", file_path="/b.txt", content="b")
    llm.expect().call("execute", command="true")
    llm.expect().say("Done.")
    ide.answers("allow_always", "reject_once")
    await ide.set_mode("ask_before_edits")

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "b.txt").read_text() == "b"
    asked = [question["toolCall"]["kind"] for question in ide.transcript.asked("session/request_permission")]
    assert asked == ["edit", "execute"]


async def test_mode_switched_in_mid_turn_makes_the_next_write_a_question(
    ide: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    llm.expect("do it").call("write_file", call_id="first", file_path="/a.txt", content="a")
    held = llm.expect().call("write_file", call_id="second", file_path="/b.txt", content="b").hold()
    llm.expect(tool_result="rejected").say("Only the first.")
    ide.answers("reject_once")
    turn = ide.prompting("do it")
    await ide.until(lambda seen: "first" in seen.cards() and "completed" in seen.statuses("first"))
    await ide.set_mode("ask_before_edits")
    held.gate.set()

    assert (await turn)["stopReason"] == "end_turn"
    assert (workspace / "a.txt").exists()
    assert not (workspace / "b.txt").exists()
    (asked,) = ide.transcript.asked("session/request_permission")
    assert asked["toolCall"]["toolCallId"] == "second"


async def test_error_of_a_tool_fails_its_card(ide: FakeIde, llm: FakeLlm) -> None:
    script(llm, "read_file", file_path="/missing.cs")

    assert await ide.prompt("do it") == "end_turn"
    assert ide.transcript.statuses("call_1")[-1] == "failed"


async def test_plan_is_shown_once_it_is_allowed(ide: FakeIde, llm: FakeLlm) -> None:
    script(llm, "write_todos", todos=[{"content": "Entities", "status": "in_progress"}])
    ide.answers("allow_once")

    assert await ide.prompt("do it") == "end_turn"
    (plan,) = ide.transcript.updates("plan")
    assert plan["entries"] == [{"content": "Entities", "priority": "medium", "status": "in_progress"}]


async def test_refused_call_beside_an_edit_of_the_same_file_fails_alone(
    ide: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    (workspace / "A.cs").write_bytes(b"one\ntwo\n")
    step = llm.expect("do it")
    step.call("edit_file", call_id="first", file_path="/A.cs", old_string="one", new_string="1")
    step.call("edit_file", call_id="second", file_path="/A.cs", old_string="two", new_string="2")
    llm.expect(tool_result="same path").say("Done.")

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "A.cs").read_bytes() == b"1\ntwo\n"
    first, second = (ide.transcript.cards()[call][-1] for call in ("first", "second"))
    assert (first["content"][0]["oldText"], first["content"][0]["newText"]) == ("one\ntwo\n", "1\ntwo\n")
    assert second["status"] == "failed"


@pytest.mark.parametrize("chunking", ["whole", "token", "char", "byte"])
async def test_how_an_answer_arrives_never_changes_what_is_shown(
    ide: FakeIde, llm: FakeLlm, workspace: Path, chunking: Chunking
) -> None:
    llm.chunking = chunking
    llm.expect("do it").think("First\n").say("Writing ").call(
        "write_file", call_id="c", file_path="/\u00e9.txt", content="\u00e9\r\n"
    )
    llm.expect().say("D\u00f6ne.")

    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "\u00e9.txt").read_bytes() == "\u00e9\r\n".encode()
    assert ide.transcript.text() == "Writing D\u00f6ne."
    assert ide.transcript.statuses("c") == ["pending", "in_progress", "completed"]
    assert len(ide.transcript.cards()["c"]) == 3

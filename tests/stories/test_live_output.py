"""Commands without a terminal of the editor: their output is on the card while they run, in few and small frames."""

from pathlib import Path
from typing import Any

from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm


def shown(ide: FakeIde) -> list[str]:
    """What the card of the command showed, one text an update."""
    contents: list[Any] = [update["content"] for update in ide.transcript.cards().get("c", []) if update.get("content")]
    return ["".join(item["content"]["text"] for item in content) for content in contents]


async def test_output_is_shown_while_the_command_runs(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    command = "echo started; while [ ! -e go ]; do sleep 0.02; done; seq 1 3"
    llm.expect("run").call("execute", call_id="c", command=command)
    llm.expect(tool_result="started\n1\n2\n3").say("Done.")
    await ide.set_mode("accept_everything")
    turn = ide.prompting("run")
    await ide.until(lambda _: shown(ide))
    assert shown(ide) == ["```\nstarted\n\n```"]
    assert ide.transcript.statuses("c")[-1] == "in_progress"
    (workspace / "go").touch()
    assert (await turn)["stopReason"] == "end_turn"
    assert ide.transcript.statuses("c")[-1] == "completed"
    assert "started\n1\n2\n3" in shown(ide)[-1]


async def test_much_output_is_shown_in_few_small_frames(ide: FakeIde, llm: FakeLlm) -> None:
    command = "for i in 1 2 3; do yes line | head -c 3000000; sleep 0.3; done"
    llm.expect("run").call("execute", call_id="c", command=command)
    llm.expect().say("Done.")
    await ide.set_mode("accept_everything")
    await ide.prompt("run")
    *running, ended = shown(ide)
    assert 0 < len(running) < 20
    assert {line for text in running for line in text.splitlines()} <= {"```", "line", "lin", "li", "l", ""}
    assert all(len(text) <= 8 * 1024 + 10 for text in running)
    assert "truncated" in ended

"""kill -9 in each stage of a turn, then load: what was shown as done is there, and nothing runs twice."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.eventually import eventually
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_sessions import open_again
from tests.stories.test_stdio import started

APPEND = "echo ran >> runs.txt"
MODE = "accept_everything"


def silent(llm: FakeLlm) -> None:
    llm.expect("do it").say("never said").hold()


def running(llm: FakeLlm) -> None:
    llm.expect("do it").call("execute", call_id="c", command=f"{APPEND}; sleep 300")


def done(llm: FakeLlm) -> None:
    llm.expect("do it").call("execute", call_id="c", command=APPEND)
    llm.expect(tool_result="succeeded").say("never said").hold()


def several(llm: FakeLlm) -> None:
    step = llm.expect("do it").call("execute", call_id="c", command=APPEND)
    step.call("execute", call_id="d", command="sleep 300")


def ran(_: FakeIde, folder: Path) -> bool:
    return (folder / "runs.txt").exists()


def shown_done(ide: FakeIde, _: Path) -> bool:
    return "c" in ide.transcript.cards() and ide.transcript.statuses("c")[-1] == "completed"


STAGES = {
    "model silent": (silent, 1, None),
    "command running": (running, None, ran),
    "command done, model silent": (done, 2, shown_done),
    "first of two done": (several, None, shown_done),
}


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.timeout(90)
async def test_killed_and_loaded(llm: FakeLlm, tmp_path: Path, workspace: Path, stage: str) -> None:
    program = ("-m", "tests.fakes.stdio_agent", llm.url, str(tmp_path / "state"))
    script, requests, reached = STAGES[stage]
    script(llm)
    async with started(*program) as (ide, process):
        await ide.initialize()
        await ide.new_session(workspace)
        await ide.set_mode(MODE)
        ide.prompting("do it")
        if requests:
            await asyncio.to_thread(llm.wait_for_requests, requests)
        if reached:
            await eventually(lambda: reached(ide, workspace))
        process.kill()
        await process.wait()
        session, before = ide.session, ide.transcript
    ended = {card for card in before.cards() if before.statuses(card)[-1] == "completed"}
    runs = (workspace / "runs.txt").read_text() if ran(ide, workspace) else ""
    for step in llm.steps:
        step.gate.set()
    llm.expect("go on").say("Going on.")
    async with started(*program) as (ide, _):
        await ide.initialize()
        await open_again(ide, "load", session, workspace)
        shown = ide.transcript
        assert [chunk["content"]["text"] for chunk in shown.updates("user_message_chunk")] == ["do it"]
        assert {card for card in shown.cards() if shown.statuses(card)[-1] == "completed"} == ended
        assert await ide.prompt("go on") == "end_turn"
        assert ide.transcript.text().endswith("Going on.")
        assert {ide.transcript.statuses(card)[-1] for card in ide.transcript.cards()} <= {"completed", "failed"}
    assert ((workspace / "runs.txt").read_text() if ran(ide, workspace) else "") == runs
    assert runs.count("ran") <= 1


@pytest.mark.timeout(90)
async def test_of_two_calls_the_answered_one_is_not_run_again(llm: FakeLlm, tmp_path: Path, workspace: Path) -> None:
    program = ("-m", "tests.fakes.stdio_agent", llm.url, str(tmp_path / "state"))
    step = llm.expect("do it").call("execute", call_id="c", command=APPEND)
    step.call("execute", call_id="d", command="echo second >> runs.txt")
    async with started(*program) as (ide, process):
        await ide.initialize()
        await ide.new_session(workspace)
        ide.answers("allow_once", "never")
        ide.prompting("do it")
        await ide.until(lambda seen: len(seen.asked("session/request_permission")) == 2)
        process.kill()
        await process.wait()
        session = ide.session
    assert (workspace / "runs.txt").read_text() == "ran\n"
    llm.expect(tool_result="succeeded").say("Both.")
    llm.expect("go on").say("Going on.")
    async with started(*program) as (ide, _):
        await ide.initialize()
        await open_again(ide, "load", session, workspace)
        ide.answers("allow_once")
        assert await ide.prompt("go on") == "end_turn"
        asked = [question["toolCall"]["toolCallId"] for question in ide.transcript.asked("session/request_permission")]
        assert asked == ["d"]
    assert (workspace / "runs.txt").read_text() == "ran\nsecond\n"

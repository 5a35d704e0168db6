"""Words said while a turn runs: read before the agent's next step, by no request of their own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.ide import AgentError, FakeIde
from tests.fakes.llm_server import FakeLlm


async def steer(ide: FakeIde, text: str, **meta: Any) -> Any:
    params = {"sessionId": ide.session, "prompt": [{"type": "text", "text": text}]}
    return await ide.request("_session/steering", {**params, **({"_meta": meta} if meta else {})}, judged=False)


def said(request: dict[str, Any]) -> list[str]:
    return [message["content"] for message in request["messages"] if message["role"] == "user"]


async def test_steering_is_announced(editor: FakeIde) -> None:
    assert (await editor.initialize())["_meta"]["steering"] == {"supported": True}


async def test_words_said_in_a_question_are_read_with_its_answer(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    held = asyncio.Event()

    async def later(_: Any) -> str:
        await held.wait()
        return "allow_once"

    llm.expect("write it").call("write_file", call_id="w", file_path="/a.txt", content="one\n")
    llm.expect("but in capitals", tool_result=None).say("In capitals, then.")
    ide.answers(later)
    await ide.set_mode("ask_before_edits")
    turn = ide.prompting("write it")
    await ide.until(lambda seen: seen.asked("session/request_permission"))
    assert await steer(ide, "but in capitals") == {"outcome": "injected"}
    held.set()
    assert (await turn)["stopReason"] == "end_turn"
    assert said(llm.requests[-1]) == ["write it", "but in capitals"]
    assert (workspace / "a.txt").read_text() == "one\n"


async def test_words_said_during_the_last_answer_make_it_not_the_last(ide: FakeIde, llm: FakeLlm) -> None:
    answering = llm.expect("first").say("One. ").hold()
    llm.expect("second").say("Two.")
    turn = ide.prompting("first")
    await asyncio.to_thread(llm.wait_for_requests, 1)
    assert await steer(ide, "second") == {"outcome": "injected"}
    answering.gate.set()
    assert (await turn)["stopReason"] == "end_turn"
    assert ide.transcript.text() == "One. Two."


async def test_without_a_turn_the_client_prompts_or_a_turn_starts(ide: FakeIde, llm: FakeLlm) -> None:
    asked = {"idleBehavior": "promptRequired"}
    assert await steer(ide, "nobody listens", steering=asked) == {
        "outcome": "promptRequired",
        "reason": "noRunningTurn",
    }
    llm.expect("by itself").say("Started.")
    assert await steer(ide, "by itself") == {"outcome": "startedNewTurn"}
    await ide.until(lambda seen: seen.text() == "Started.")
    assert len(llm.requests) == 1


async def test_cancel_forgets_what_was_not_read(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect("first").say("never said").hold()
    turn = ide.prompting("first")
    await asyncio.to_thread(llm.wait_for_requests, 1)
    await steer(ide, "forget this")
    ide.cancel()
    assert (await turn)["stopReason"] == "cancelled"
    llm.expect("again").say("Here.")
    await ide.prompt("again")
    assert "forget this" not in said(llm.requests[-1])


async def test_bad_steering_and_other_extensions_are_refused(ide: FakeIde) -> None:
    with pytest.raises(AgentError, match="-32602"):
        await ide.request("_session/steering", {"sessionId": ide.session, "prompt": []}, judged=False)
    asked = {"sessionId": "nobody", "prompt": [{"type": "text", "text": "x"}]}
    with pytest.raises(AgentError, match="-32002"):
        await ide.request("_session/steering", asked, judged=False)
    with pytest.raises(AgentError, match="-32601"):
        await ide.request("_session/other", {}, judged=False)

"""The connection itself: negotiation, broken frames, unknown sessions, choices, errors without secrets."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.deep_agent import deep_agent
from tests.fakes.ide import AgentError, FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from tests.stories.conftest import MODELS
from uom_acp.config_options import ModelChoice
from uom_acp.conversations import Conversations
from uom_acp.main import modes
from uom_acp.server import AgentServerACP


@pytest.mark.parametrize("asked", [0, 1, 2, 99])
async def test_initialize_answers_with_our_version(editor: FakeIde, asked: int) -> None:
    answer = await editor.request("initialize", {"protocolVersion": asked, "clientCapabilities": {}})
    assert answer["protocolVersion"] == 1
    assert answer["agentInfo"]["name"] == "uom"
    assert answer["agentCapabilities"]["sessionCapabilities"] == {"close": {}}
    assert answer["agentCapabilities"]["promptCapabilities"] == {
        "image": True,
        "audio": False,
        "embeddedContext": True,
    }


BROKEN = [
    (b"[]", -32600, None),
    (b"5", -32600, None),
    (b"null", -32600, None),
    (b'"text"', -32600, None),
    (b"{", -32700, None),
    (b"\xff\xfe", -32700, None),
    (b"[" * 100_000, -32700, None),
    (b'{"jsonrpc": "2.0", "id": 7}', -32600, 7),
    (b'{"jsonrpc": "2.0", "id": 8, "method": 5}', -32600, 8),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "initialize"}', -32600, None),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": [1]}', -32602, 9),
    (b'{"jsonrpc": "2.0", "id": "ten", "method": "no/such", "params": {}}', -32601, "ten"),
    (b'{"jsonrpc": "2.0", "id": 11, "method": "_no/such", "params": {}}', -32601, 11),
    (b'{"jsonrpc": "2.0", "id": 12, "method": "session/new", "params": {}}', -32602, 12),
]


@pytest.mark.parametrize(("line", "code", "answered"), BROKEN)
async def test_broken_frame_is_answered_and_the_next_one_served(
    editor: FakeIde, line: bytes, code: int, answered: Any
) -> None:
    editor.send_line(line)
    await editor.until(lambda _: editor.unread)
    (frame,) = editor.unread
    assert (frame["error"]["code"], frame["id"]) == (code, answered)
    assert (await editor.initialize())["protocolVersion"] == 1


@pytest.mark.parametrize(
    "line",
    [b"", b"   ", b'{"jsonrpc": "2.0", "method": "no/such"}', b'{"jsonrpc": "2.0", "id": 55, "result": {}}', b"\r"],
)
async def test_frames_that_ask_nothing_get_no_answer(editor: FakeIde, line: bytes) -> None:
    editor.send_line(line)
    await editor.initialize()
    assert editor.unread == []


async def test_frame_over_the_limit_is_refused_without_being_kept(editor: FakeIde) -> None:
    megabyte = b"x" * 1024 * 1024
    await asyncio.to_thread(lambda: [editor.send_bytes(megabyte) for _ in range(33)])
    editor.send_line(b"")
    await editor.until(lambda _: editor.unread)
    assert editor.unread[0]["error"]["code"] == -32600
    assert (await editor.initialize())["protocolVersion"] == 1


async def test_meta_never_replaces_parameters(editor: FakeIde, workspace: Path, tmp_path: Path) -> None:
    await editor.initialize()
    await editor.new_session(workspace, _meta={"cwd": "/nowhere", "session_id": "x", "anything": 1})
    assert editor.session


async def test_text_ids_of_responses_are_understood(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    llm.expect("do it").call("write_file", file_path="/a.txt", content="a")
    llm.expect().say("Done.")
    await ide.set_mode("ask_before_edits")
    ide.answers("never")
    turn = ide.prompting("do it")
    await ide.until(lambda seen: seen.asked("session/request_permission"))
    (asked,) = [frame for _, frame in ide.transcript.frames if frame.get("method") == "session/request_permission"]
    outcome = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
    ide.send({"jsonrpc": "2.0", "id": str(asked["id"]), "result": outcome})
    assert (await turn)["stopReason"] == "end_turn"
    assert (workspace / "a.txt").exists()


@pytest.mark.parametrize(
    "outcome", [{}, {"outcome": {"outcome": "later"}}, {"outcome": {"outcome": "selected", "optionId": "x"}}]
)
async def test_unclear_permission_answers_allow_nothing(
    ide: FakeIde, llm: FakeLlm, workspace: Path, outcome: dict[str, Any]
) -> None:
    llm.expect("do it").call("write_file", file_path="/a.txt", content="a")
    await ide.set_mode("ask_before_edits")
    ide.answers(lambda _: outcome)
    assert await ide.prompt("do it") == "cancelled"
    assert not (workspace / "a.txt").exists()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/prompt", {"prompt": [{"type": "text", "text": "x"}]}),
        ("session/set_mode", {"modeId": "accept_edits"}),
        ("session/set_config_option", {"configId": "mode", "value": "accept_edits"}),
        ("session/close", {}),
    ],
)
async def test_unknown_session_is_resource_not_found(editor: FakeIde, method: str, params: dict[str, Any]) -> None:
    await editor.initialize()
    with pytest.raises(AgentError, match="-32002"):
        await editor.request(method, {"sessionId": "none", **params})


async def test_closed_session_is_gone_and_deleting_it_again_succeeds(ide: FakeIde) -> None:
    await ide.request("session/close", {"sessionId": ide.session})
    with pytest.raises(AgentError, match="-32002"):
        await ide.set_mode("accept_edits")
    assert await ide.request("session/delete", {"sessionId": ide.session}) == {}


async def test_closing_a_session_ends_its_turn(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect("do it").say("never said").hold()
    turn = ide.prompting("do it")
    await asyncio.to_thread(llm.wait_for_requests, 1)
    await ide.request("session/close", {"sessionId": ide.session})
    assert (await turn)["stopReason"] == "cancelled"


@pytest.mark.parametrize("cwd", ["relative", "/no/such/folder"])
async def test_session_needs_a_folder(editor: FakeIde, cwd: str) -> None:
    await editor.initialize()
    with pytest.raises(AgentError, match="-32602") as refused:
        await editor.request("session/new", {"cwd": cwd, "mcpServers": []})
    assert cwd in json.dumps(refused.value.data)


async def test_new_session_offers_modes_and_options(editor: FakeIde, workspace: Path) -> None:
    await editor.initialize()
    session = await editor.new_session(workspace)
    assert session["modes"]["currentModeId"] == "accept_edits"
    assert [mode["id"] for mode in session["modes"]["availableModes"]] == [
        "ask_before_edits",
        "accept_edits",
        "accept_everything",
    ]
    values = {option["id"]: option["currentValue"] for option in session["configOptions"]}
    assert values == {
        "mode": "accept_edits",
        "model": "scripted/one",
        "target": "java-spring-data-mongodb",
        "thoughts": "on",
    }


async def test_both_selectors_follow_a_mode(ide: FakeIde) -> None:
    answer = await ide.request(
        "session/set_config_option", {"sessionId": ide.session, "configId": "mode", "value": "ask_before_edits"}
    )
    assert [option["currentValue"] for option in answer["configOptions"]][:2] == ["ask_before_edits", "scripted/one"]
    assert ide.transcript.updates("current_mode_update")[-1]["currentModeId"] == "ask_before_edits"
    options = ide.transcript.updates("config_option_update")[-1]["configOptions"]
    assert options[0]["currentValue"] == "ask_before_edits"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/set_mode", {"modeId": "yolo"}),
        ("session/set_config_option", {"configId": "mode", "value": "yolo"}),
        ("session/set_config_option", {"configId": "model", "value": "yolo"}),
        ("session/set_config_option", {"configId": "yolo", "value": "x"}),
        ("authenticate", {"methodId": "yolo"}),
    ],
)
async def test_unknown_choice_names_what_is_offered(ide: FakeIde, method: str, params: dict[str, Any]) -> None:
    with pytest.raises(AgentError, match="-32602") as refused:
        await ide.request(method, params if method == "authenticate" else {"sessionId": ide.session, **params})
    assert "yolo" in refused.value.data["details"]


async def test_model_switch_keeps_the_conversation(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect("first").say("One.")
    await ide.prompt("first")
    await ide.request(
        "session/set_config_option", {"sessionId": ide.session, "configId": "model", "value": "scripted/two"}
    )
    llm.expect("second").say("Two.")
    await ide.prompt("second")
    said = [message["content"] for message in llm.requests[1]["messages"] if message["role"] == "user"]
    assert any("first" in json.dumps(text) for text in said)


async def test_error_of_the_model_service_is_said_without_its_secret(ide: FakeIde, llm: FakeLlm) -> None:
    llm.fail(401, "Incorrect API key provided: sk-scripted-secret")
    with pytest.raises(AgentError, match="-32603") as refused:
        await ide.prompt("do it")
    assert refused.value.data == {
        "details": "The model service refused the key. Set OPENAI_API_KEY to a valid key and start the agent again."
    }
    assert "sk-scripted" not in json.dumps([frame for _, frame in ide.transcript.frames])
    llm.expect("again").say("Works.")
    assert await ide.prompt("again") == "end_turn"


@pytest.mark.parametrize(("reason", "stop"), [("length", "max_tokens"), ("content_filter", "refusal")])
async def test_stop_reason_follows_the_provider(ide: FakeIde, llm: FakeLlm, reason: str, stop: str) -> None:
    llm.expect("do it").say("cut").stop(reason)
    assert await ide.prompt("do it") == stop


async def test_prompt_blocks_reach_the_model(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    code = 'class A\r\n{\r\n\tstring s = "```";\r\n}'
    llm.expect().say("Read.")
    blocks = [
        {"type": "text", "text": "Look"},
        {"type": "resource_link", "name": "A.cs", "uri": (workspace / "src/A.cs").as_uri()},
        {"type": "resource", "resource": {"uri": (workspace / "B.cs").as_uri(), "text": code}},
    ]
    await ide.request("session/prompt", {"sessionId": ide.session, "prompt": blocks})
    sent = json.dumps(llm.requests[0]["messages"])
    assert "[A.cs](src/A.cs)" in sent
    assert json.dumps(code)[1:-1] in sent


async def test_audio_is_refused(ide: FakeIde) -> None:
    audio = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
    with pytest.raises(AgentError, match="-32602"):
        await ide.request("session/prompt", {"sessionId": ide.session, "prompt": [audio]})


async def test_title_comes_once(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect().say("One.")
    llm.expect().say("Two.")
    await ide.prompt("Move the orders\nto MongoDB")
    await ide.prompt("next")
    assert [info["title"] for info in ide.transcript.updates("session_info_update")] == ["Move the orders to MongoDB"]


async def test_closing_a_session_forgets_its_conversation(llm: FakeLlm, workspace: Path) -> None:
    memory = Conversations(None)
    agent = deep_agent(llm.url, memory=memory)
    server = AgentServerACP(agent, modes=modes(production=True), models=MODELS, memory=memory)
    llm.expect("hello").say("Hello.")
    async with connected(server) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        await ide.prompt("hello")
        thread = {"configurable": {"thread_id": ide.session}}
        assert await memory.saver.aget_tuple(thread) is not None
        await ide.request("session/close", {"sessionId": ide.session})
        assert await memory.saver.aget_tuple(thread) is None


async def test_models_that_come_later_are_offered_to_open_sessions(
    server: AgentServerACP, ide: FakeIde, llm: FakeLlm
) -> None:
    await server.offer([ModelChoice(id="scripted/three", name="Three"), MODELS[0]])
    (update,) = await ide.until(lambda seen: seen.updates("config_option_update"))
    offered = [option["value"] for option in update["configOptions"][1]["options"]]
    assert offered == ["scripted/one", "scripted/two", "scripted/three"]
    await ide.request(
        "session/set_config_option", {"sessionId": ide.session, "configId": "model", "value": "scripted/three"}
    )


async def test_cancel_request_in_the_same_breath_as_its_request(ide: FakeIde, llm: FakeLlm) -> None:
    prompt = {"sessionId": ide.session, "prompt": [{"type": "text", "text": "do it"}]}
    turn = ide.begin("session/prompt", prompt, request_id=7)
    ide.notify("$/cancel_request", {"requestId": 7})
    with pytest.raises(AgentError, match="-32800"):
        await turn
    llm.steps.clear()


@pytest.mark.parametrize("offers", [{"session": {"notices": {}}}])
async def test_notices_are_beside_the_conversation_where_the_editor_shows_them(
    ide: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    llm.expect("hello").say("Hello.")
    missing = {"name": "broken", "command": "/no/such/server", "args": [], "env": []}
    await ide.new_session(workspace, mcpServers=[missing])
    assert await ide.prompt("hello") == "end_turn"
    (notice,) = ide.transcript.updates("notice")
    assert notice["severity"] == "warning"
    assert notice["title"].startswith("The MCP server broken did not start")
    assert "in the editor's settings" in notice["description"]
    assert ide.transcript.text() == "Hello."

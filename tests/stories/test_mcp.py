"""MCP servers that the editor passes: their tools are offered, and asked about like commands."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm

ROOT = Path(__file__).parents[2]


def tickets(name: str) -> dict[str, Any]:
    environment = [{"name": "PYTHONPATH", "value": str(ROOT)}]
    return {"name": name, "command": sys.executable, "args": ["-m", "tests.fakes.mcp_tickets"], "env": environment}


@pytest.mark.parametrize(("answer", "told"), [("allow_once", "42 open tickets"), ("reject_once", "rejected")])
async def test_tool_of_a_server_asks_and_answers(
    editor: FakeIde, llm: FakeLlm, workspace: Path, answer: str, told: str
) -> None:
    llm.expect("how many", tools=("my_tickets_count",)).call("my_tickets_count", call_id="c", project="Orders")
    llm.expect(tool_result=told).say("Counted.")
    await editor.initialize()
    await editor.new_session(workspace, mcpServers=[tickets("my tickets")])
    editor.answers(answer)

    assert await editor.prompt("how many") == "end_turn"
    (asked,) = editor.transcript.asked("session/request_permission")
    assert asked["toolCall"]["rawInput"] == {"project": "Orders"}
    assert [option["kind"] for option in asked["options"]] == ["allow_once", "reject_once"]


async def test_server_that_does_not_start_is_named_and_the_session_works(
    editor: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    llm.expect("hello").say("Hello.")
    await editor.initialize()
    missing = {"name": "broken", "command": "/no/such/server", "args": [], "env": []}
    await editor.new_session(workspace, mcpServers=[missing])

    assert await editor.prompt("hello") == "end_turn"
    assert "The MCP server broken did not start" in editor.transcript.text()


async def test_tool_cannot_pass_for_one_of_ours(editor: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "a.txt").write_text("the real file")
    llm.expect("read").call("read_file", file_path="/a.txt")
    llm.expect(tool_result="the real file").say("Read.")
    await editor.initialize()
    await editor.new_session(workspace, mcpServers=[tickets("read")])

    assert await editor.prompt("read") == "end_turn"
    assert "their names are taken: read_file" in editor.transcript.text()

"""MCP servers that the editor passes: their tools are offered, and asked about like commands."""

import asyncio
import contextlib
import socket
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.eventually import eventually
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


@contextlib.asynccontextmanager
async def serving(kind: str) -> AsyncIterator[int]:
    """A server on the loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.mcp_tickets", kind, str(port), cwd=ROOT, stdin=DEVNULL, stderr=DEVNULL
    )
    try:
        await eventually(lambda: answers(port))
        yield port
    finally:
        process.kill()
        await process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("kind", "path"), [("http", "mcp"), ("sse", "sse")])
async def test_servers_on_the_network_are_connected(
    editor: FakeIde, llm: FakeLlm, workspace: Path, kind: str, path: str
) -> None:
    llm.expect("how many", tools=("net_count",)).call("net_count", call_id="c", project="Orders")
    llm.expect(tool_result="42 open tickets").say("Counted.")
    result = await editor.initialize()
    assert result["agentCapabilities"]["mcpCapabilities"][kind] is True
    async with serving(kind) as port:
        url = f"http://127.0.0.1:{port}/{path}"
        await editor.new_session(workspace, mcpServers=[{"type": kind, "name": "net", "url": url, "headers": []}])
        editor.answers("allow_once")
        assert await editor.prompt("how many") == "end_turn"
    assert editor.transcript.text() == "Counted."


async def test_address_that_does_not_answer_is_named(editor: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    llm.expect("hello").say("Hello.")
    await editor.initialize()
    dead = {"type": "http", "name": "dead", "url": "http://user:secret@127.0.0.1:9/mcp", "headers": []}
    await editor.new_session(workspace, mcpServers=[dead])
    assert await editor.prompt("hello") == "end_turn"
    assert "The MCP server dead did not start (ConnectError)" in editor.transcript.text()
    assert "secret" not in editor.transcript.text()


async def test_session_is_open_before_its_servers_are(editor: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    """A server that never answers holds neither the session nor a cancel."""
    stuck = {"name": "stuck", "command": "sleep", "args": ["300"], "env": []}
    await editor.initialize()
    async with asyncio.timeout(10):
        await editor.new_session(workspace, mcpServers=[stuck])
        turn = editor.prompting("hello")
        await editor.until(lambda seen: seen.updates("session_info_update"))
        editor.cancel()
        assert (await turn)["stopReason"] == "cancelled"


async def test_tool_cannot_pass_for_one_of_ours(editor: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "a.txt").write_text("the real file")
    llm.expect("read").call("read_file", file_path="/a.txt")
    llm.expect(tool_result="the real file").say("Read.")
    await editor.initialize()
    await editor.new_session(workspace, mcpServers=[tickets("read")])

    assert await editor.prompt("read") == "end_turn"
    assert "their names are taken: read_file" in editor.transcript.text()

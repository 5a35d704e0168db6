"""What we found the protocol's Python SDK to do, and work around. A failure after an upgrade names what to look at."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from acp import PROTOCOL_VERSION, InitializeResponse, NewSessionResponse, PromptResponse, run_agent


class Agent:
    """Answers what is asked, and notes how many prompts run at once and which session they name."""

    def __init__(self) -> None:
        self.running = self.most = 0
        self.named: list[str] = []

    def on_connect(self, conn: Any) -> None:
        """Nothing is sent of its own accord."""

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="s")

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> PromptResponse:
        self.named.append(session_id)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.2)
        self.running -= 1
        return PromptResponse(stop_reason="end_turn")


@asynccontextmanager
async def served(agent: Agent) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    their_reader, their_writer = await asyncio.open_connection(sock=theirs)
    task = asyncio.create_task(run_agent(agent, their_writer, their_reader))  # ty: ignore[invalid-argument-type]
    try:
        yield reader, writer
    finally:
        for end in (writer, their_writer):
            end.close()
            with suppress(ConnectionError):
                await end.wait_closed()
        await asyncio.wait_for(task, 5)


async def asked(streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], *calls: tuple[str, Any]) -> dict[int, Any]:
    """Send calls at once; returns the answers by the place of their call."""
    reader, writer = streams
    for at, (method, params) in enumerate(calls):
        writer.write(json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params}).encode() + b"\n")
    answers = {}
    while len(answers) < len(calls):
        answer = json.loads(await asyncio.wait_for(reader.readline(), 5))
        answers[answer["id"]] = answer
    return answers


def prompting(session: str = "s", **more: Any) -> tuple[str, Any]:
    return "session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "hi"}], **more}


async def test_two_prompts_of_one_session_run_at_once() -> None:
    """Hence `Session` has a queue of its own."""
    agent = Agent()
    async with served(agent) as streams:
        await asked(streams, ("initialize", {"protocolVersion": PROTOCOL_VERSION}))
        answers = await asked(streams, prompting(), prompting())
    assert [answers[at]["result"]["stopReason"] for at in (0, 1)] == ["end_turn", "end_turn"]
    assert agent.most == 2


async def test_keys_of_meta_replace_parameters() -> None:
    """Hence our transport takes them away from the parameters."""
    agent = Agent()
    async with served(agent) as streams:
        await asked(streams, prompting("mine", _meta={"session_id": "another's"}))
    assert agent.named == ["another's"]


@pytest.mark.parametrize("method", ["session/delete", "logout"])
async def test_stable_methods_without_a_route(method: str) -> None:
    """Hence `connection.add_routes`."""
    async with served(Agent()) as streams:
        (answer,) = (await asked(streams, (method, {"sessionId": "s"}))).values()
    assert answer["error"]["code"] == -32601

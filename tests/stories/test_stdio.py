"""The same over a real process: its stdout is the protocol's, and it ends when the editor does."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.eventually import alive, eventually, number_in
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm

ROOT = Path(__file__).parents[2]


@contextlib.asynccontextmanager
async def started(*program: str, **environment: str) -> AsyncIterator[tuple[FakeIde, Process]]:
    to_agent, from_ide = os.pipe()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *program,
        stdin=to_agent,
        stdout=PIPE,
        cwd=ROOT,
        env=os.environ | environment,
        start_new_session=True,
        limit=64 * 1024 * 1024,
    )
    os.close(to_agent)
    assert process.stdout is not None
    ide = FakeIde(process.stdout, from_ide)
    try:
        yield ide, process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await ide.close()


@pytest.fixture
async def running(llm: FakeLlm) -> AsyncIterator[tuple[FakeIde, Process]]:
    async with started("-m", "tests.fakes.stdio_agent", llm.url) as (ide, process):
        yield ide, process


async def busy_command(ide: FakeIde, llm: FakeLlm, workspace: Path) -> int:
    """Start a turn whose command runs on; give the id of its process."""
    llm.expect("do it").call("execute", command="sleep 300 & echo $! > pid; wait")
    await ide.initialize()
    await ide.new_session(workspace)
    await ide.set_mode("accept_everything")
    ide.prompting("do it")
    return await eventually(lambda: number_in(workspace / "pid"))


async def ended(process: Process, pid: int) -> int:
    """Wait for the end; the aim is 2 s, a loaded machine gets more, an orphan gets none."""
    async with asyncio.timeout(10):
        code = await process.wait()
    await eventually(lambda: not alive(pid), 10)
    return code


async def test_stdout_carries_the_protocol_only(
    running: tuple[FakeIde, Process], llm: FakeLlm, workspace: Path
) -> None:
    ide, _ = running
    llm.expect("do it").call("write_file", file_path="/a.txt", content="a\r\n")
    llm.expect().say("Done.")
    await ide.initialize()
    await ide.new_session(workspace)
    ide.answers("allow_once")
    # A line on stdout that is no frame would end the fake editor's reader, and with it this turn.
    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "a.txt").read_bytes() == b"a\r\n"
    assert ide.transcript.text() == "Done."


async def test_end_of_input_ends_the_process_and_its_command(
    running: tuple[FakeIde, Process], llm: FakeLlm, workspace: Path
) -> None:
    ide, process = running
    pid = await busy_command(ide, llm, workspace)
    ide.hang_up()
    assert await ended(process, pid) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_signal_ends_the_process_and_its_command(
    running: tuple[FakeIde, Process], llm: FakeLlm, workspace: Path, number: signal.Signals
) -> None:
    ide, process = running
    pid = await busy_command(ide, llm, workspace)
    process.send_signal(number)
    assert await ended(process, pid) == (0 if number != signal.SIGKILL else -signal.SIGKILL)


async def test_first_answer_does_not_wait_for_what_is_heavy() -> None:
    heavy = ("langchain_core", "langgraph", "deepagents", "openai", "langchain_openai")
    probe = f"import sys, uom_acp.main; print([name for name in {heavy} if name in sys.modules])"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", probe, stdout=PIPE, cwd=ROOT)
    output, _ = await process.communicate()
    assert output.decode().strip() == "[]"


async def test_stdin_may_be_a_file(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    asked.write_text('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}')
    with asked.open() as stdin:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.fakes.stdio_agent", "http://localhost:9/v1", stdin=stdin, stdout=PIPE, cwd=ROOT
        )
        started_at = time.monotonic()
        output, _ = await process.communicate()
    assert b'"protocolVersion":1' in output
    assert process.returncode == 0
    assert time.monotonic() - started_at < 30

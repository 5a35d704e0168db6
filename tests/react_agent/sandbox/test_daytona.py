"""The same protocol over a service: real SDK, real HTTP, real processes; workers in Python."""

import asyncio
import stat
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from react_agent.sandbox.daytona import DaytonaClient, DaytonaSandbox
from react_agent.sandbox.daytona_service import Service
from react_agent.sandbox.daytona_snapshots import snapshot_name
from react_agent.sandbox.folder import BadPath
from react_agent.sandbox.protocol import (
    JobKilled,
    JobRefused,
    JobTimedOut,
    KillReason,
    SandboxType,
    ToolchainMissing,
)
from react_agent.sandbox.validation import ValidationSandbox
from tests.fakes.daytona_api import KEY, DaytonaApi, daytona_api
from tests.fakes.eventually import eventually

JAVA = SandboxType.JAVA_25_SANDBOX
WORKER = Path(__file__).with_name("worker_program.py")


def service_of(api: DaytonaApi, key: str = KEY) -> Service:
    return Service(api_url=api.url, api_key=key)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[DaytonaApi]:
    start = tmp_path / "bin" / "uom-worker"
    start.parent.mkdir()
    start.write_text(f"#!/bin/sh\nexec {sys.executable} {WORKER} --in 3 --out 4\n")
    start.chmod(start.stat().st_mode | stat.S_IXUSR)
    async with daytona_api() as made:
        made.offer(snapshot_name(JAVA), tmp_path)
        yield made
        assert [box.asked for box in made.boxes.values()] == []
        assert [pid for box in made.created for pid in box.processes()] == []


@pytest.fixture
async def sandbox(api: DaytonaApi) -> AsyncGenerator[DaytonaSandbox]:
    made = await DaytonaClient(service=service_of(api), warm=0).open(JAVA, lambda line: None)
    yield made
    await made.close()


async def test_commands_run_at_the_service(sandbox):
    result = await sandbox.execute("echo out; echo err >&2; exit 3")
    assert (result.output, result.exit_code) == ("out\nerr\n", 3)


async def test_a_sandbox_has_no_network_and_goes_when_nobody_uses_it(api, sandbox):
    asked = api.created[0].asked
    assert asked["networkBlockAll"] is True
    assert (asked["autoStopInterval"], asked["autoDeleteInterval"]) == (15, 0)


async def test_files_go_there_and_come_back(sandbox):
    await sandbox.upload_files([("a/b c.txt", b"\x00\xff\r\n"), ("/d.txt", b"")])
    assert await sandbox.download_files(["a/b c.txt", "d.txt"]) == [("a/b c.txt", b"\x00\xff\r\n"), ("d.txt", b"")]
    assert (await sandbox.execute("cat 'a/b c.txt' | wc -c")).output == "4\n"
    with pytest.raises(FileNotFoundError, match="missing"):
        await sandbox.download_files(["missing"])
    with pytest.raises(BadPath):
        await sandbox.upload_files([("../out", b"x")])


async def test_much_output_keeps_its_ends(sandbox):
    result = await sandbox.execute(
        "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last", output_limit=1000
    )
    assert result.truncated
    assert result.output.startswith("first\n")
    assert result.output.endswith("\nlast\n")
    assert "bytes left out" in result.output
    assert len(result.output) < 1100


async def test_a_command_that_takes_too_long_is_ended_there(api, sandbox):
    result = await sandbox.execute("echo before; (setsid sleep 60 &) ; sleep 60", timeout=1)
    assert (result.exit_code, result.killed) == (124, KillReason.TIMEOUT)
    assert result.output == "before\n[the command was ended: it took longer than 1 s]\n"
    await eventually(lambda: not api.created[0].processes())


async def test_a_cancelled_caller_ends_the_command_there(api, sandbox):
    running = asyncio.create_task(sandbox.execute("echo $$ >pid; (setsid sleep 60 &) ; exec sleep 60"))
    await eventually(lambda: list(api.created[0].folder.rglob("shared/pid")))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await eventually(lambda: not api.created[0].processes())
    assert list(api.created[0].folder.glob(".uom/programs/*")) == []


async def test_a_job_speaks_the_same_frames(sandbox):
    progress = []
    async with sandbox.job() as job:
        assert job.engine["name"] == "python"
        assert await job.request("echo", {"value": "ž" * 700_000}) == {"value": "ž" * 700_000}
        assert await job.request("progress", {}, on_progress=lambda *done: progress.append(done)) == {}
        with pytest.raises(JobRefused, match=r"A.cs:3:5: CS1002 ; expected"):
            await job.request("refuse", {})
    assert progress == [(0, 3), (1, 3), (2, 3)]


async def test_prints_cannot_touch_the_frames(sandbox):
    async with sandbox.job() as job:
        assert await job.request("forge", {}) == {"forged": False}


@pytest.mark.parametrize(
    ("op", "reason"), [("die", KillReason.DIED), ("abort", KillReason.DIED), ("garbage", KillReason.PROTOCOL)]
)
async def test_a_worker_that_ends_says_why(sandbox, op, reason):
    async with sandbox.job() as job:
        with pytest.raises(JobKilled) as killed:
            await job.request(op, {})
    assert killed.value.reason == reason
    assert op != "die" or ("exit code 3" in killed.value.message and "last words" in killed.value.log)


async def test_a_worker_that_prints_without_end_is_ended(sandbox):
    async with sandbox.job() as job:
        with pytest.raises(JobKilled) as killed:
            await job.request("shout", {"lines": 40_000})
    assert killed.value.reason == KillReason.OUTPUT


async def test_a_request_that_takes_too_long_ends_its_worker_there(api, sandbox):
    async with sandbox.job() as job:
        assert await job.request("echo", {"value": 1}) == {"value": 1}
        with pytest.raises(JobTimedOut):
            await job.request("loop", {}, timeout=0.5)
    await eventually(lambda: not api.created[0].processes())


async def test_a_cancelled_request_ends_its_worker_there(api, sandbox):
    async def ask():
        async with sandbox.job() as job:
            await job.request("deaf", {})

    asking = asyncio.create_task(ask())
    await eventually(api.created[0].processes)
    await asyncio.sleep(0.5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await eventually(lambda: not api.created[0].processes())


async def test_a_lost_sandbox_is_made_anew(api, sandbox):
    await sandbox.upload_files([("a.txt", b"x")])
    api.lose(api.created[0])
    async with sandbox.job() as job:
        assert await job.request("echo", {"value": 1}) == {"value": 1}
    assert (await sandbox.execute("echo here")).output == "here\n"
    assert len(api.created) == 2


async def test_a_sandbox_lost_in_the_middle_of_a_job_is_said_and_the_next_job_runs(api, sandbox):
    async with sandbox.job() as job:
        asking = asyncio.create_task(job.request("loop", {}))
        await asyncio.sleep(0.3)
        api.lose(api.created[0])
        with pytest.raises(JobKilled, match=r"lost|exit code|closed its pipe"):
            await asking
    async with sandbox.job() as job:
        assert await job.request("echo", {"value": 1}) == {"value": 1}


async def test_a_warm_worker_waits_and_the_next_is_started_when_it_is_used(api):
    sandbox = await DaytonaClient(service=service_of(api)).open(JAVA, lambda line: None)
    try:
        assert api.created[0].processes()
        before = len([each for each in api.asked if "execute" in each])
        async with sandbox.job() as job:
            assert job.engine["name"] == "python"
        assert len([each for each in api.asked if "execute" in each]) == before
    finally:
        await sandbox.close()


async def test_the_process_shares_one_and_closing_deletes_it_at_the_service(api):
    said: list[str] = []
    clients = [DaytonaClient(service=service_of(api)) for _ in range(3)]
    asked = [ValidationSandbox.get_sandbox(client, JAVA, said.append) for client in clients]
    sandboxes = await asyncio.gather(*asked)
    assert len(set(map(id, sandboxes))) == len(api.created) == 1
    assert said[-1] == f"java_25_sandbox: ready at {api.url}"
    await ValidationSandbox.close()
    assert (api.boxes, api.created[0].processes()) == ({}, [])


async def test_closing_in_the_middle_of_a_start_leaves_nothing(api):
    starting = asyncio.create_task(ValidationSandbox.get_sandbox(DaytonaClient(service=service_of(api)), JAVA, print))
    await eventually(lambda: api.created)
    await ValidationSandbox.close()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert api.boxes == {}


async def test_a_wrong_key_is_one_clear_line_without_the_key(api):
    client = DaytonaClient(service=service_of(api, key="dtn_wrong-secret"))
    with pytest.raises(ToolchainMissing) as missing:
        await client.open(JAVA, lambda line: None)
    assert str(missing.value) == (
        f"Daytona at {api.url} does not accept the key. "
        "Check DAYTONA_API_KEY, or unset it to run programs on this machine."
    )
    assert "wrong-secret" not in repr(client)


async def test_a_missing_snapshot_names_the_script_that_makes_it(api):
    with pytest.raises(ToolchainMissing, match=r"no snapshot uom-dotnet-10-\w+\. .*prepare_sandboxes"):
        await DaytonaClient(service=service_of(api)).open(SandboxType.DOTNET_10_SANDBOX, lambda line: None)


async def test_a_service_that_is_not_there_is_one_clear_line():
    client = DaytonaClient(service=Service(api_url="http://127.0.0.1:9/api", api_key="k"))
    with pytest.raises(ToolchainMissing, match=r"^nothing answers at http://127.0.0.1:9/api\. Check DAYTONA_API_URL"):
        await client.open(JAVA, lambda line: None)

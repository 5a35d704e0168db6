import asyncio
import contextlib
import os
import sys
import textwrap
from pathlib import Path

import pytest

from react_agent.sandbox.folder import BadPath
from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.job import WorkerSettings
from react_agent.sandbox.local import LocalSandbox, LocalSettings
from react_agent.sandbox.pool import PoolClosed
from react_agent.sandbox.program import RUNNING
from react_agent.sandbox.protocol import IsolationUnavailable, JobKilled, KillReason, ToolchainMissing

ROOT = Path(__file__).parents[3]
SLEEP = f"sleep 60.{os.getpid()}"
NO_ISOLATION = Isolation.unavailable("user namespaces are off", "Switch them on.")


def find_again(toolchain):
    async def find():
        return toolchain

    return find


async def nothing_installed():
    raise ToolchainMissing("no JDK found", "Install one.")


async def test_a_command_runs_in_the_folder_and_files_go_in_and_out(sandbox):
    await sandbox.upload_files([("src/in.txt", b"caf\xc3\xa9\r\n")])
    result = await sandbox.execute("pwd; cat src/in.txt; cp src/in.txt out.txt; echo err >&2; exit 3")
    assert (result.exit_code, result.killed, result.truncated) == (3, None, False)
    assert result.output == "/sandbox\ncafé\r\nerr\n"
    assert await sandbox.download_files(["out.txt"]) == [("out.txt", b"caf\xc3\xa9\r\n")]


async def test_undecodable_output_is_kept_and_long_output_loses_its_middle(sandbox):
    result = await sandbox.execute(
        "printf 'a\\377b'; head -c 100000 /dev/zero | tr '\\0' x; echo end", output_limit=1000
    )
    assert result.output.startswith("a\ufffdb")
    assert result.output.endswith("xend\n")
    assert "[99007 bytes left out]" in result.output
    assert result.truncated


async def test_a_command_sees_no_home_and_no_secret_and_cannot_reach_this_machine(sandbox, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = await sandbox.execute(f"env; ls -a ~ {Path.home()}; cat /etc/shadow; ls /home; touch /usr/x /x; ls /sys")
    assert "secret" not in result.output
    assert "HOME=/tmp" in result.output
    assert ".bashrc" not in result.output
    assert result.output.count("Read-only file system") == 2
    assert result.output.count("No such file or directory") >= 3


@pytest.mark.parametrize("command", [SLEEP, "trap '' TERM INT HUP; while :; do :; done", f"setsid {SLEEP} & wait"])
async def test_a_command_that_takes_too_long_is_ended_with_what_it_started(sandbox, command):
    result = await sandbox.execute(f"echo begun; {command}", timeout=0.5)
    assert (result.exit_code, result.killed) == (124, KillReason.TIMEOUT)
    assert result.output == "begun\n[the command was ended: it took longer than 0.5 s]\n"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("while :; do sleep 68 & done", KillReason.PROCESSES),
        ("yes", KillReason.OUTPUT),
        ("while :; do n=$((n+1)); head -c 20M /dev/zero > f$n; done", KillReason.OUTPUT),
        ("head -c 10G /dev/zero | tail -c 9G", KillReason.MEMORY),
    ],
)
async def test_a_greedy_command_is_ended_by_its_limit(sandbox, command, reason):
    result = await sandbox.execute(command, timeout=20)
    assert (result.exit_code, result.killed) == (137, reason)
    assert not RUNNING


async def test_what_a_command_leaves_running_ends_with_it(sandbox):
    result = await sandbox.execute(f"{SLEEP}1 & setsid {SLEEP}2 & echo left")
    assert (result.output, result.exit_code) == ("left\n", 0)
    assert SLEEP not in processes_here()


async def test_cancelling_a_command_ends_it_at_once(sandbox):
    running = asyncio.create_task(sandbox.execute(f"trap '' TERM; {SLEEP}3 & while :; do :; done"))
    await asyncio.sleep(0.3)
    assert SLEEP in processes_here()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, timeout=10)
    assert SLEEP not in processes_here()


def processes_here() -> str:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return "\n".join(each for each in found if each.startswith("sleep"))


async def test_files_are_never_reached_through_a_link_that_a_program_left(sandbox, tmp_path):
    (tmp_path / "secret").write_text("mine")
    await sandbox.execute(f"ln -s {tmp_path}/secret link; ln -s {tmp_path} dir; mkfifo pipe; mkdir plain")
    for path in ("link", "dir/secret", "pipe", "plain"):
        with pytest.raises(BadPath):
            await sandbox.download_files([path])
    for path in ("dir/new", "../new", "a/../../new", "", "plain"):
        with pytest.raises(BadPath):
            await sandbox.upload_files([(path, b"x")])
    await sandbox.upload_files([("link", b"replaced")])
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
    assert (tmp_path / "secret").read_text() == "mine"
    with pytest.raises(FileNotFoundError, match="none"):
        await sandbox.download_files(["none/x"])


async def test_sessions_have_folders_of_their_own(sandbox):
    one, other = await sandbox.for_session("one"), await sandbox.for_session("../other")
    await one.upload_files([("a.txt", b"1")])
    assert (await other.execute("ls")).output == ""
    assert (await one.execute("ls")).output == "a.txt\n"
    await one.close()
    assert (await other.execute("echo still here")).output == "still here\n"


async def test_closing_removes_the_folder_also_where_rights_were_taken(isolation, toolchain):
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=isolation, settings=LocalSettings(warm=1))
    session = await sandbox.for_session("one")
    await session.execute("mkdir -p a/b; touch a/b/c; chmod 000 a/b a")
    await sandbox.close()
    assert not session._folder.parent.exists()
    with pytest.raises(PoolClosed):
        async with sandbox.job():
            pass


async def test_each_job_has_a_worker_of_its_own_and_the_next_is_warm(isolation, toolchain):
    settings = LocalSettings(worker=WorkerSettings(), warm=1)
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=isolation, settings=settings)
    await sandbox.warm()
    async with sandbox.job() as job:
        first = job._program.pid
        assert await job.request("echo", {"value": 1}) == {"value": 1}
    await sandbox.warm()
    (waiting,) = sandbox._pool._starts
    async with sandbox.job() as job:
        assert job is waiting.result()
        assert job._program.pid != first
    await sandbox.close()
    assert not RUNNING


async def test_a_worker_that_died_while_it_waited_is_replaced(isolation, toolchain):
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=isolation)
    await sandbox.warm()
    (waiting,) = sandbox._pool._starts
    waiting.result().kill()
    await waiting.result()._program.wait()
    async with sandbox.job() as job:
        assert await job.request("echo", {"value": 1}) == {"value": 1}
    await sandbox.close()


async def test_at_most_so_many_jobs_run_at_once(isolation, toolchain):
    settings = LocalSettings(warm=0, lent=1)
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=isolation, settings=settings)
    async with sandbox.job():
        second = asyncio.create_task(anext(aiter_of(sandbox)))
        await asyncio.sleep(0.3)
        assert not second.done()
    assert await second == {"value": 2}
    await sandbox.close()


async def aiter_of(sandbox):
    async with sandbox.job() as job:
        yield await job.request("echo", {"value": 2})


async def test_closing_ends_a_job_in_hand(isolation, toolchain):
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=isolation)

    async def work():
        async with sandbox.job() as job:
            await job.request("loop", {})

    working = asyncio.create_task(work())
    await sandbox.warm()
    await asyncio.sleep(0.3)
    await sandbox.close()
    with pytest.raises(JobKilled):
        await working
    assert not RUNNING


async def test_without_isolation_only_approved_code_runs(toolchain):
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=NO_ISOLATION, settings=LocalSettings(warm=0))
    with pytest.raises(IsolationUnavailable, match=r"user namespaces are off. Switch them on. Or approve"):
        await sandbox.execute("true")
    with pytest.raises(IsolationUnavailable):
        async with sandbox.job():
            pass
    async with sandbox.job(approved=True) as job:
        assert await job.request("echo", {"value": 1}) == {"value": 1}
    await sandbox.close()


async def test_without_isolation_an_allowed_command_still_keeps_limits_and_secrets(toolchain, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = LocalSettings(warm=0, allow_unisolated=True)
    sandbox = await LocalSandbox.open(find_again(toolchain), isolation=NO_ISOLATION, settings=settings)
    assert "secret" not in (await sandbox.execute("env")).output
    result = await sandbox.execute(f"{SLEEP}4 & setsid {SLEEP}5 & {SLEEP}6", timeout=0.5)
    assert result.killed == KillReason.TIMEOUT
    assert SLEEP not in processes_here()
    await sandbox.close()


async def test_a_missing_toolchain_stops_jobs_and_leaves_the_shell(isolation):
    sandbox = await LocalSandbox.open(nothing_installed, isolation=isolation)
    for ask in (sandbox.warm, lambda: anext(aiter_of(sandbox))):
        with pytest.raises(ToolchainMissing, match=r"no JDK found. Install one."):
            await ask()
    assert (await sandbox.execute("echo here")).output == "here\n"
    await sandbox.close()


async def test_a_sandbox_that_nobody_closed_goes_with_the_interpreter(isolation, tmp_path):
    script = f"""
        import asyncio
        from pathlib import Path
        from react_agent.sandbox.isolation import Isolation
        from react_agent.sandbox.local import LocalSandbox, LocalSettings

        async def main():
            isolation = Isolation(bwrap=Path({str(isolation.bwrap)!r}))
            sandbox = await LocalSandbox.open(lambda: None, isolation=isolation, settings=LocalSettings(warm=0))
            await sandbox.upload_files([("a.txt", b"1")])

        asyncio.run(main())
    """
    us = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(script), cwd=ROOT, env={"TMPDIR": str(tmp_path)}
    )
    assert await us.wait() == 0
    assert list(tmp_path.iterdir()) == []

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from uom_deep_agent.shell import OUTPUT_LIMIT, LocalShell


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    for _ in range(100):
        if not alive(pid):
            return True
        await asyncio.sleep(0.02)
    return False


def text_of(file: Path) -> str:
    return file.read_text().strip() if file.exists() else ""


async def pid_in(file: Path) -> int:
    for _ in range(200):
        if text := text_of(file):
            return int(text)
        await asyncio.sleep(0.02)
    raise AssertionError("the command did not start")


async def test_command_runs_in_the_workspace_with_both_outputs(workspace: Path) -> None:
    result = await LocalShell(workspace).run("pwd; echo err >&2; exit 3")
    assert (result.output, result.exit_code) == (f"{workspace}\nerr\n", 3)


async def test_command_reads_nothing_and_gets_its_text_as_it_is(workspace: Path) -> None:
    command = "cat; printf '%s' \"it's $((1+1)) \\\\ `echo ok`\""
    assert (await LocalShell(workspace).run(command)).output == "it's 2 \\ ok"


async def test_output_that_is_no_utf8_is_kept(workspace: Path) -> None:
    result = await LocalShell(workspace).run(r"printf 'a\000b\351c\n'")
    assert result.output == "a\x00b\ufffdc\n"


async def test_endless_output_is_cut_in_the_middle(workspace: Path) -> None:
    result = await LocalShell(workspace).run("seq 1 200000")
    assert result.truncated
    assert result.output.startswith("1\n2\n")
    assert result.output.endswith("\n200000\n")
    assert len(result.output) < OUTPUT_LIMIT + 100


async def test_time_limit_ends_the_command_and_its_children(workspace: Path) -> None:
    started = time.monotonic()
    result = await LocalShell(workspace).run("echo begun; sleep 60 & echo $! > child; wait", seconds=0.3)
    assert result.exit_code == 124
    assert "begun" in result.output
    assert "ended after 0.3 s" in result.output
    assert time.monotonic() - started < 3
    assert await gone(await pid_in(workspace / "child"))


async def test_cancelling_ends_the_command_at_once_even_one_that_ignores_it(
    workspace: Path,
) -> None:
    command = "trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 60) & wait; sleep 60"
    task = asyncio.create_task(LocalShell(workspace).run(command))
    child = await pid_in(workspace / "child")
    started = time.monotonic()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert time.monotonic() - started < 0.3
    assert await gone(child)


async def test_what_runs_on_in_the_background_is_ended(workspace: Path) -> None:
    result = await LocalShell(workspace).run("sleep 60 & echo $! > child; echo done")
    assert result.output == "done\n"
    assert await gone(await pid_in(workspace / "child"))


def start(program: str, cwd: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen([sys.executable, "-c", program], cwd=cwd, env=env)


async def test_nothing_outlives_us_when_we_are_ended(workspace: Path) -> None:
    program = (
        "import asyncio, pathlib\nfrom uom_deep_agent.shell import LocalShell\n"
        "asyncio.run(LocalShell(pathlib.Path('.')).run('echo $$ > pid; sleep 60'))\n"
    )
    for how in (signal.SIGTERM, signal.SIGKILL):
        (workspace / "pid").unlink(missing_ok=True)
        with start(program, workspace) as us:
            pid = await pid_in(workspace / "pid")
            us.send_signal(how)
            await asyncio.to_thread(us.wait, 10)
        assert await gone(pid), f"the command outlived {how.name}"


async def test_several_commands_at_once_do_not_hold_each_other(workspace: Path) -> None:
    shell = LocalShell(workspace)
    started = time.monotonic()
    found = await asyncio.gather(*(shell.run(f"sleep 0.3; echo {n}") for n in range(5)))
    assert [r.output for r in found] == [f"{n}\n" for n in range(5)]
    assert time.monotonic() - started < 1.4

import asyncio
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest

from react_agent.sandbox.isolation import Room
from react_agent.sandbox.output import Capture
from react_agent.sandbox.program import RUNNING, Program
from react_agent.sandbox.watchdog import descendants

ROOT = Path(__file__).parents[3]


async def started(bwrap, command, **room):
    output = Capture(10_000)
    room = Room(processes=True, **room)
    return await Program.start(("sh", "-c", command), room=room, bwrap=bwrap, output=output), output


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
async def test_the_exit_code_comes_through(isolation, command, code):
    program, _ = await started(isolation.bwrap, command)
    assert await program.wait() == code
    await program.end()


async def test_standard_input_is_empty(isolation):
    program, output = await started(isolation.bwrap, "cat; echo end")
    await program.wait()
    await program.end()
    assert output.text() == "end\n"


async def test_ending_twice_and_from_two_places_is_one_end(isolation):
    program, _ = await started(isolation.bwrap, "trap '' TERM; sleep 60")
    await asyncio.gather(program.end(), program.end(), program.wait())
    await program.end()
    assert not RUNNING


async def test_a_cancelled_start_leaves_nothing(isolation):
    mark = f"sleep 66.{os.getpid()}"
    for step in range(40):
        starting = asyncio.create_task(started(isolation.bwrap, mark))
        await asyncio.sleep(step / 2000)
        if starting.cancel():
            await asyncio.wait([starting])
        if not starting.cancelled():
            await starting.result()[0].end()
    assert not RUNNING
    assert [pid for pid in map(int, numbers_in_proc()) if mark in command_of(pid) and running(pid)] == []


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, None])
async def test_nothing_outlives_us(isolation, ending, tmp_path):
    script = f"""
        import asyncio, sys
        from pathlib import Path
        from react_agent.sandbox.isolation import Room
        from react_agent.sandbox.output import Capture
        from react_agent.sandbox.program import Program

        async def main():
            room = Room(processes=True, folder=Path({str(tmp_path)!r}))
            command = ("sh", "-c", "setsid sleep 67 & trap '' TERM HUP; touch here; while :; do sleep 1; done")
            await Program.start(command, room=room, bwrap=Path({str(isolation.bwrap)!r}), output=Capture(1000))
            while not Path({str(tmp_path / "here")!r}).exists():
                await asyncio.sleep(0.02)
            sys.stdout.write("started\\n")
            sys.stdout.flush()
            if {ending is not None}:
                await asyncio.sleep(60)

        asyncio.run(main())
    """
    us = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(script), cwd=ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert us.stdout is not None
    assert await us.stdout.readline() == b"started\n"
    below = descendants(us.pid)
    if ending is not None:
        us.send_signal(ending)
    await us.wait()
    for _ in range(100):
        if any(running(pid) for pid in below):
            await asyncio.sleep(0.05)
    assert [pid for pid in below if running(pid)] == []


def numbers_in_proc() -> list[str]:
    return [each.name for each in Path("/proc").glob("[0-9]*")]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

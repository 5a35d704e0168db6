"""The kernel refuses one process too many, however fast a program doubles.

The bombs double nine times and then sleep: if no limit held, that would be 512 processes for a second.
"""

import asyncio
import os
import subprocess
import textwrap
from pathlib import Path

import pytest

from react_agent.sandbox import task_limit
from react_agent.sandbox.isolation import Room
from react_agent.sandbox.output import Capture
from react_agent.sandbox.program import Program
from react_agent.sandbox.protocol import JobKilled, KillReason
from react_agent.sandbox.task_limit import Kind, TaskLimit, find_task_limit
from react_agent.sandbox.watchdog import Limits, usage_of
from tests.react_agent.sandbox.conftest import PYTHON

LIMITS = Limits(threads=40)
BUBBLEWRAP = 1
"""Its own process outside of the namespace, which a limit inside does not count."""
BOMB = textwrap.dedent("""
    import os, threading, time
    refused = 0
    for _ in range(9):
        try:
            {double}
        except (OSError, RuntimeError):
            refused += 1
            os.write(1, b"refused\\n")
    time.sleep(1)
""")
DOUBLES = {
    "processes": "os.fork()",
    "threads": "[threading.Thread(target=time.sleep, args=(1,)).start() for _ in range(20)]",
}


async def counted(bwrap: Path | None, code: str) -> tuple[int, str]:
    """Run a program that nothing watches; returns the most tasks seen, and what it printed."""
    output = Capture(100_000)
    room = Room(processes=True, read_only=(PYTHON,))
    command = (f"{PYTHON}/bin/python3", "-c", code)
    program = await Program.start(command, room=room, bwrap=bwrap, output=output, limits=LIMITS)
    most = 0
    try:
        while program.running:
            most = max(most, usage_of(program.pid).threads)
            await asyncio.sleep(0.02)
    finally:
        await program.end()
    return most, output.text()


@pytest.mark.parametrize("doubling", DOUBLES)
async def test_a_program_that_doubles_stops_at_the_limit_without_a_watchdog(isolation, doubling):
    if find_task_limit().kind == Kind.NONE:
        pytest.skip("nothing but the watchdog limits processes here")
    most, printed = await counted(isolation.bwrap, BOMB.format(double=DOUBLES[doubling]))
    assert LIMITS.threads / 2 < most <= LIMITS.tasks + BUBBLEWRAP
    assert "refused" in printed


async def test_a_shell_that_doubles_is_ended_and_the_next_command_runs(sandbox):
    bomb = "bomb() { [ $1 = 0 ] && sleep 30 || { bomb $(($1-1)) & bomb $(($1-1)); wait; }; }; bomb 9"
    ended = await sandbox.execute(bomb, timeout=20)
    assert ended.killed == KillReason.PROCESSES
    assert (await sandbox.execute("echo well")).output == "well\n"


async def test_a_worker_that_ends_because_it_was_refused_a_thread_says_so(workers):
    if find_task_limit().kind != Kind.CGROUP:
        pytest.skip("only a control group tells that it refused something")
    worker = await workers.start()
    with pytest.raises(JobKilled, match=r"more than (200 threads|250 processes and threads)") as killed:
        await worker.request("crowd", {}, timeout=10)
    assert killed.value.reason == KillReason.PROCESSES


async def test_control_groups_are_gone_with_their_programs(isolation):
    limit = find_task_limit()
    if limit.parent is None:
        pytest.skip("no control group can be made here")
    await counted(isolation.bwrap, "pass")
    limit.group(1)  # what could not be removed at once is removed before the next one
    groups = [each for each in limit.parent.glob(f"uom-{os.getpid()}-*") if not (each / "cgroup.procs").read_text()]
    for group in groups:
        task_limit.leave(group)
    assert len(groups) <= 1


def test_a_group_of_a_process_that_is_gone_is_removed(tmp_path):
    left, ours = tmp_path / "uom-4194305-0", tmp_path / f"uom-{os.getpid()}-7"
    left.mkdir()
    ours.mkdir()
    task_limit._sweep(tmp_path)
    assert (left.exists(), ours.exists()) == (False, True)


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_the_resource_limit_is_set_by_any_shell(shell):
    command = TaskLimit(kind=Kind.RLIMIT).inside(50, ["/bin/sh", "-c", "grep processes /proc/self/limits"])
    done = subprocess.run([shell, *command[1:]], capture_output=True, text=True, check=True)
    assert done.stdout.split()[2:4] == ["50", "50"]

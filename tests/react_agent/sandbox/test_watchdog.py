import asyncio
import os
import subprocess
import sys
import time

import pytest

from react_agent.sandbox.protocol import KillReason
from react_agent.sandbox.watchdog import Limits, Usage, breach, descendants, usage_of, watch

LIMITS = Limits(memory_mb=100, processes=3, threads=9, cpu_seconds=2)
WITHIN = {"memory": 100 * 1024 * 1024, "processes": 3, "threads": 9, "cpu_seconds": 2, "spare": 2**30}


@pytest.mark.parametrize(
    ("beyond", "reason", "words"),
    [
        ({"memory": 100 * 1024 * 1024 + 1}, KillReason.MEMORY, "100 MiB"),
        ({"spare": 1}, KillReason.MEMORY, "this machine was running out"),
        ({"processes": 4}, KillReason.PROCESSES, "3 processes"),
        ({"written": 2**33}, KillReason.OUTPUT, "4096 MiB of files"),
        ({"threads": 10}, KillReason.PROCESSES, "9 threads"),
        ({"cpu_seconds": 2.1}, KillReason.TIMEOUT, "2 s of processor time"),
    ],
)
def test_each_limit_is_told_by_name(beyond, reason, words):
    assert breach(Usage(**WITHIN), LIMITS) is None
    found = breach(Usage(**WITHIN | beyond), LIMITS)
    assert found is not None
    assert found.reason == reason
    assert words in found.message


def test_a_tree_is_added_up():
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as parent:
        for _ in range(200):
            usage = usage_of(parent.pid)
            if usage.processes == 2 and usage.memory > 8_000_000:
                break
            time.sleep(0.02)
        assert (usage.processes, usage.threads) == (2, 2)
        assert len(descendants(parent.pid)) == 1
        assert usage.spare
        parent.communicate(b"\n")
    assert usage_of(parent.pid).processes == 0


async def test_processor_time_counts_from_when_it_is_watched():
    found = []
    burnt = usage_of(os.getpid()).cpu_seconds
    watching = asyncio.create_task(watch(os.getpid(), Limits(cpu_seconds=burnt + 60, memory_mb=10**6), found.append))
    await asyncio.sleep(0.15)
    assert not watching.done()
    watching.cancel()
    assert found == []


async def test_watching_ends_with_the_process():
    found = []
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()
    await asyncio.wait_for(watch(process.pid, LIMITS, found.append), timeout=2)
    assert found == []

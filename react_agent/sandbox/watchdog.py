"""Watch what a tree of processes uses, and say when it is too much.

The kernel's own limits do not do alone: RLIMIT_AS stops a JVM before it starts, and control groups are not ours
to write everywhere (`task_limit.py` says what holds the number of tasks). So the numbers are read, about every 50 ms.
"""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from react_agent.sandbox.protocol import KillReason

_PROC = Path("/proc")
_INTERVAL = 0.05
_RESERVE = 256 * 1024 * 1024
"""What must be left on this machine while a program runs that nobody vouches for."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use."""

    memory_mb: int = 2048
    """Resident memory of all its processes together."""
    processes: int = 256
    threads: int = 1024
    """Of all its processes together, a process being one; passing it ends the program."""
    cpu_seconds: float = 900
    """Processor time of all its processes, counted from when they are watched."""
    output_bytes: int = 16 * 1024 * 1024
    """What it may write to standard output and error before it is ended."""
    file_mb: int = 1024
    """The largest single file it may write."""
    disk_mb: int = 4096
    """By how much the disk of its folder may fill up while it runs."""

    @property
    def tasks(self) -> int:
        """Where the kernel refuses the next thread or process: somewhat later, so that the watchdog can say why."""
        return self.threads + max(8, self.threads // 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a tree of processes uses at one moment."""

    memory: int = 0
    processes: int = 0
    threads: int = 0
    cpu_seconds: float = 0
    spare: int | None = None
    """What this machine has left. Memory can be held where no process shows it."""
    written: int = 0
    """By how much the disk of its folder filled up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that was passed."""

    reason: KillReason
    message: str


def usage_of(pid: int, *, at_most: int = 4096) -> Usage:
    """Add up what a process and its descendants use; a tree past `at_most` is not read to its end."""
    memory = processes = threads = ticks = 0
    for stat in _tree(pid):
        processes += 1
        ticks += sum(map(int, stat[11:15]))
        threads += int(stat[17])
        memory += int(stat[21]) * _PAGE
        if processes > at_most:
            break
    return Usage(memory=memory, processes=processes, threads=threads, cpu_seconds=ticks / _TICKS, spare=_spare())


def descendants(pid: int) -> list[int]:
    """List the processes below one."""
    return [each for each in _walk(pid) if each != pid]


def breach(usage: Usage, limits: Limits) -> Breach | None:
    """Judge a usage by its limits."""
    if usage.memory > limits.memory_mb * 1024 * 1024:
        return Breach(reason=KillReason.MEMORY, message=f"it used more than {limits.memory_mb} MiB of memory")
    if usage.spare is not None and usage.spare < _RESERVE:
        return Breach(reason=KillReason.MEMORY, message="this machine was running out of memory")
    if usage.written > limits.disk_mb * 1024 * 1024:
        return Breach(reason=KillReason.OUTPUT, message=f"it wrote more than {limits.disk_mb} MiB of files")
    if usage.processes > limits.processes:
        return Breach(reason=KillReason.PROCESSES, message=f"it ran more than {limits.processes} processes")
    if usage.threads > limits.threads:
        return Breach(reason=KillReason.PROCESSES, message=f"it ran more than {limits.threads} threads")
    if usage.cpu_seconds > limits.cpu_seconds:
        return Breach(
            reason=KillReason.TIMEOUT,
            message=f"it used more than {limits.cpu_seconds:g} s of processor time",
        )
    return None


async def watch(pid: int, limits: Limits, on_breach: Callable[[Breach], None], *, folder: Path | None = None) -> None:
    """Look until a limit is passed, and then say so once; ends when the process is gone."""
    spent = usage_of(pid).cpu_seconds
    free = _free(folder)
    while True:
        usage = usage_of(pid, at_most=limits.processes)
        if not usage.processes:
            return
        since = max(0.0, usage.cpu_seconds - spent)
        if found := breach(replace(usage, cpu_seconds=since, written=free - _free(folder)), limits):
            on_breach(found)
            return
        await asyncio.sleep(_INTERVAL)


def _free(folder: Path | None) -> int:
    """Tell what the disk of a folder has left: one call, where adding up files would take long."""
    try:
        return 0 if folder is None else shutil.disk_usage(folder).free
    except OSError:
        return 0


def _spare() -> int | None:
    try:
        lines = (_PROC / "meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _tree(pid: int) -> Iterator[list[str]]:
    """Read the status of a process and of its descendants, without its name."""
    for each in _walk(pid):
        try:
            text = (_PROC / str(each) / "stat").read_text(errors="replace")
        except OSError:
            continue
        # The name stands in parentheses and may itself hold spaces and parentheses.
        yield text[text.rindex(")") + 2 :].split()


def _walk(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += _children(each)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return found
    for thread in threads:
        try:
            listed = (thread / "children").read_text()
        except OSError:
            continue
        found += map(int, listed.split())
    return found

"""Find what makes the kernel itself refuse one process or thread too many.

A watchdog only looks now and then, and a program that doubles is past any number between two looks. A control group
holds for everybody; RLIMIT_NPROC holds for everybody but root, and inside a user namespace of its own it counts
what runs in there. Both count threads as well.
"""

import contextlib
import functools
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_PROC = Path("/proc")
_OWN = re.compile(r"uom-(\d+)-\d+")
_NUMBERS = itertools.count()
_PATIENCE = 5.0
_JOIN = 'echo 0 > "$1/cgroup.procs" || exit 125; shift; exec "$@"'
_SET = '{ ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null; shift; exec "$@"'
"""bash and dash have a letter each for the same limit."""


class Kind(StrEnum):
    """What holds the number of tasks."""

    CGROUP = "control group"
    RLIMIT = "RLIMIT_NPROC"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLimit:
    """What holds the number of tasks on this machine."""

    kind: Kind
    parent: Path | None = None
    """Below which control groups can be made."""

    def group(self, tasks: int) -> Path | None:
        """Make a control group for one program, which `leave` removes; None where there is no such thing."""
        if self.parent is None:
            return None
        for left in list(_LEFT):
            leave(left)
        return _made(self.parent, tasks)

    def inside(self, tasks: int, command: Sequence[str]) -> list[str]:
        """Wrap the command that runs in a user namespace of its own."""
        if self.kind != Kind.RLIMIT:
            return list(command)
        return ["/bin/sh", "-c", _SET, "sh", str(tasks), *command]


def joining(group: Path | None, command: Sequence[str]) -> list[str]:
    """Wrap a command so that it and everything it starts belong to the group."""
    return list(command) if group is None else ["/bin/sh", "-c", _JOIN, "sh", str(group), *command]


def refused(group: Path | None) -> bool:
    """Whether the kernel refused a program of the group a process or thread."""
    try:
        events = "" if group is None else (group / "pids.events").read_text()
    except OSError:
        return False
    return any(name == "max" and int(count) > 0 for name, count in map(str.split, events.splitlines()))


def leave(group: Path | None) -> None:
    """Remove a control group; one that the kernel still empties is removed before the next is made."""
    if group is None:
        return
    _LEFT.add(group)
    with contextlib.suppress(OSError):
        group.rmdir()
    if not group.exists():
        _LEFT.discard(group)


_LEFT: set[Path] = set()
"""Groups of programs that ended, to be removed."""


@functools.cache
def find_task_limit() -> TaskLimit:
    """Find what holds here, by doing it once."""
    if sys.platform != "linux":
        return TaskLimit(kind=Kind.NONE)
    for parent in _parents():
        if _can_join(parent):
            return TaskLimit(kind=Kind.CGROUP, parent=parent)
    return TaskLimit(kind=Kind.NONE if _is_machines_root() or not _counts_per_namespace() else Kind.RLIMIT)


def _parents() -> Iterator[Path]:
    """List where a control group with the `pids` controller may be made: below our own group, or beside it."""
    own = dict(_own_groups())
    for mount, kind, options in _mounts():
        name = "" if kind == "cgroup2" else "pids"
        if name in own and (kind == "cgroup2" or "pids" in options):
            group = mount / own[name].lstrip("/")
            yield group
            if kind == "cgroup2" and group != mount:
                yield group.parent


def _own_groups() -> Iterator[tuple[str, str]]:
    for line in _lines("self/cgroup"):
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, path


def _mounts() -> Iterator[tuple[Path, str, list[str]]]:
    for line in _lines("self/mountinfo"):
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ")[:3]
        if kind in {"cgroup", "cgroup2"}:
            yield Path(left.split(" ")[4]), kind, options.split(",")


def _lines(name: str) -> list[str]:
    try:
        return (_PROC / name).read_text().splitlines()
    except OSError:
        return []


def _can_join(parent: Path) -> bool:
    _sweep(parent)
    try:
        group = _made(parent, 1)
    except OSError:
        return False
    shell = joining(group, ["true"])
    try:
        return subprocess.run(shell, stderr=subprocess.DEVNULL, timeout=_PATIENCE, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        leave(group)


def _made(parent: Path, tasks: int) -> Path:
    group = parent / f"uom-{os.getpid()}-{next(_NUMBERS)}"
    group.mkdir()
    try:
        limit = group / "pids.max"
        if not limit.exists():
            raise FileNotFoundError(limit)
        limit.write_text(str(tasks))
    except OSError:
        leave(group)
        raise
    return group


def _sweep(parent: Path) -> None:
    """Remove the empty groups of processes that are gone."""
    with contextlib.suppress(OSError):
        for group in parent.iterdir():
            found = _OWN.fullmatch(group.name)
            if found and not (_PROC / found[1]).exists():
                with contextlib.suppress(OSError):
                    group.rmdir()


def _is_machines_root() -> bool:
    """Whether our user is root outside of every user namespace, whom RLIMIT_NPROC spares."""
    ranges = [tuple(map(int, line.split())) for line in _lines("self/uid_map")]
    return any(
        inner <= os.getuid() < inner + size and outer + os.getuid() - inner == 0 for inner, outer, size in ranges
    )


def _counts_per_namespace() -> bool:
    """Linux 5.14 and newer."""
    numbers = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= (5, 14) and shutil.which("sh") is not None

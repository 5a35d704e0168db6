"""Workers in Python: what a sandbox does is shown without a toolchain."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.local import LocalSandbox, LocalSettings
from react_agent.sandbox.probe import find_isolation
from react_agent.sandbox.watchdog import Limits, descendants

WORKER = Path(__file__).with_name("worker_program.py")
PYTHON = Path(sys.base_prefix)
LIMITS = Limits(memory_mb=300, processes=32, threads=200, output_bytes=1_000_000, cpu_seconds=30, disk_mb=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonToolchain:
    """Stands where a .NET or Java toolchain stands."""

    start: str = "well"
    name: str = "python"
    version: str = sys.version.split()[0]
    read_only: tuple[Path, ...] = (PYTHON, WORKER)
    environment: Mapping[str, str] = field(default_factory=lambda: {"PYTHONUNBUFFERED": "1"})

    def worker_argv(self, *, fd_in: int, fd_out: int, warm: bool, memory_mb: int) -> tuple[str, ...]:
        python = f"{PYTHON}/bin/python3"
        return (python, str(WORKER), "--in", str(fd_in), "--out", str(fd_out), "--start", self.start)


@pytest.fixture
def toolchain() -> PythonToolchain:
    return PythonToolchain()


class Workers:
    """Starts workers, and knows what is left of them."""

    def __init__(self, bwrap: Path | None) -> None:
        self.bwrap = bwrap
        self.started: list[Worker] = []
        self.namespaces: list[str] = []

    async def start(self, *, how: str = "well", inet: bool = False, **limits: float) -> Worker:
        settings = WorkerSettings(limits=replace(LIMITS, **limits), inet=inet, start_seconds=10)
        worker = await Worker.start(PythonToolchain(start=how), settings, bwrap=self.bwrap)
        self.started.append(worker)
        inner = descendants(worker._program.pid or 0)[-1:]
        self.namespaces += [namespace_of(pid) for pid in inner]
        worker.watch()
        return worker

    def left(self) -> list[str]:
        return [left for namespace in self.namespaces for left in in_namespace(namespace)]


def namespace_of(pid: int | str) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return ""


def in_namespace(namespace: str) -> list[str]:
    """List what runs in a namespace; what has ended and waits for init to collect it does not."""
    inside = [each for each in Path("/proc").glob("[0-9]*") if namespace and namespace_of(each.name) == namespace]
    return [each.name for each in inside if not has_ended(each)]


def has_ended(process: Path) -> bool:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.fixture(scope="session")
def isolation() -> Isolation:
    found = asyncio.run(find_isolation())
    if not found.available and not os.environ.get("CI"):
        pytest.skip(f"isolation is not available: {found.reason}. {found.hint}")
    assert found.available, f"{found.reason}. {found.hint}"
    return found


@pytest.fixture
async def workers(isolation: Isolation) -> AsyncGenerator[Workers]:
    """Isolated workers; when the test is over, none may be left."""
    made = Workers(isolation.bwrap)
    yield made
    for worker in made.started:
        await worker.end()
    assert made.left() == []


@pytest.fixture
async def sandbox(isolation: Isolation) -> AsyncGenerator[LocalSandbox]:
    async def find() -> PythonToolchain:
        return PythonToolchain()

    settings = LocalSettings(worker=WorkerSettings(limits=LIMITS), shell=LIMITS, warm=0)
    made = await LocalSandbox.open(find, isolation=isolation, settings=settings)
    yield made
    await made.close()

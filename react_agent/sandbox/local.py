"""A sandbox on this machine: a private folder with a shell, and warm workers for jobs."""

import asyncio
import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from react_agent.sandbox.folder import read_below, write_below
from react_agent.sandbox.isolation import Isolation, Room
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.output import Capture
from react_agent.sandbox.pool import Pool
from react_agent.sandbox.program import Program
from react_agent.sandbox.protocol import ExecuteResult, KillReason, Sandbox, Toolchain, ToolchainMissing
from react_agent.sandbox.watchdog import Breach, Limits, watch

FindToolchain = Callable[[], Awaitable[Toolchain]]
"""Finds the toolchain of a side, or raises ToolchainMissing."""


_FOLDERS: set[Path] = set()
"""Folders that were made and not removed; the last ones go when the interpreter does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """How a local sandbox runs programs."""

    worker: WorkerSettings = field(default_factory=WorkerSettings)
    """What a job may use."""
    shell: Limits = field(default_factory=lambda: Limits(memory_mb=4096))
    """What a command may use."""
    warm: int = 1
    """How many workers wait for a job; 0 starts each when it is asked for."""
    lent: int = 2
    """How many jobs may run at once."""
    allow_unisolated: bool = False
    """Whether a person approved running code where isolation is missing."""


class LocalSandbox:
    """Runs programs of one side on this machine, apart from the person's files and network."""

    def __init__(self, *, folder: Path, isolation: Isolation, find: FindToolchain, settings: LocalSettings) -> None:
        self._folder = folder
        self._isolation = isolation
        self._find = find
        self._found: Toolchain | None = None
        self._finding = asyncio.Lock()
        self._settings = settings
        self._pool: Pool = Pool(self._start, warm=settings.warm, lent=settings.lent)
        self._shares_pool = False

    @classmethod
    async def open(cls, find: FindToolchain, *, isolation: Isolation, settings: LocalSettings | None = None) -> Self:
        """Make a sandbox with a new private folder; its first worker starts in the background."""
        folder = await asyncio.to_thread(_private_folder)
        sandbox = cls(folder=folder, isolation=isolation, find=find, settings=settings or LocalSettings())
        sandbox._pool.fill()
        return sandbox

    async def warm(self) -> None:
        """Wait until a worker is ready.

        Raises:
            ToolchainMissing: there is nothing to start a worker with.
            SandboxError: it did not start.
        """
        await self._pool.ready()

    async def for_session(self, session: str) -> "LocalSandbox":
        """Give a session a folder of its own; workers are shared, and so is their warmth."""
        name = hashlib.sha256(session.encode()).hexdigest()[:24]
        folder = self._folder.with_name(name)
        await asyncio.to_thread(folder.mkdir, mode=0o700, exist_ok=True)
        shared = LocalSandbox(folder=folder, isolation=self._isolation, find=self._toolchain, settings=self._settings)
        shared._pool = self._pool
        shared._shares_pool = True
        return shared

    async def upload_files(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write files below the sandbox's folder.

        Raises:
            BadPath: a path leads out of the folder or through a link.
        """
        for path, data in files:
            await asyncio.to_thread(write_below, self._folder, path, data)

    async def download_files(self, paths: Sequence[str]) -> list[tuple[str, bytes]]:
        """Read files below the sandbox's folder.

        Raises:
            FileNotFoundError: a file is not there.
            BadPath: a path leads out of the folder or through a link.
        """
        return [(path, await asyncio.to_thread(read_below, self._folder, path)) for path in paths]

    async def execute(
        self,
        command: str,
        *,
        timeout: float = 120,  # noqa: ASYNC109 - the callers' word for it
        output_limit: int = 256 * 1024,
    ) -> ExecuteResult:
        """Run a shell command in the sandbox's folder; a cancelled caller ends it at once.

        Raises:
            IsolationUnavailable: the command would run beside the person's own files.
        """
        if not self._settings.allow_unisolated:
            self._isolation.require()
        output = Capture(output_limit)
        shell = shutil.which("bash", path="/usr/bin:/bin") or "/bin/sh"
        program = await Program.start(
            (shell, "-c", command), room=await self._shell_room(), bwrap=self._isolation.bwrap,
            output=output, limits=self._settings.shell,
        )  # fmt: skip
        watching = asyncio.create_task(watch(program.pid, self._settings.shell, program.kill, folder=self._folder))
        code = 0
        try:
            async with asyncio.timeout(timeout):
                code = await program.wait()
        except TimeoutError:
            program.kill(Breach(reason=KillReason.TIMEOUT, message=f"it took longer than {timeout:g} s"))
        finally:
            watching.cancel()
            await program.end()
        return _result(output, code, program.ended_by)

    @asynccontextmanager
    async def job(self, *, approved: bool = False) -> AsyncGenerator[Worker]:
        """Lend a warm worker for one job.

        Raises:
            IsolationUnavailable: the code is not approved and would run beside the person's files.
            ToolchainMissing: there is nothing to run it with.
        """
        if not (approved or self._settings.allow_unisolated):
            self._isolation.require()
        async with self._pool.lend() as worker:
            yield worker

    async def close(self) -> None:
        """End everything that runs and remove the folder."""
        if self._shares_pool:
            await asyncio.to_thread(_remove, self._folder)
        else:
            await self._pool.close()
            await asyncio.to_thread(_remove, self._folder.parent)  # the sessions' folders with it

    async def _start(self) -> Worker:
        return await Worker.start(await self._toolchain(), self._settings.worker, bwrap=self._isolation.bwrap)

    async def _toolchain(self) -> Toolchain:
        """Find the toolchain once; a missing one is looked for again, as it may be installed by then."""
        async with self._finding:
            if self._found is None:
                self._found = await self._find()
            return self._found

    async def _shell_room(self) -> Room:
        try:
            toolchain = await self._toolchain()
        except ToolchainMissing:
            return Room(folder=self._folder, processes=True, inet=True)  # a bare shell still serves
        return Room(
            folder=self._folder, processes=True, inet=True, tmp_mb=1024,
            read_only=toolchain.read_only, environment=toolchain.environment,
        )  # fmt: skip


def _result(output: Capture, code: int, ended_by: Breach | None) -> ExecuteResult:
    text = output.text()
    if ended_by is None:
        return ExecuteResult(output=text, exit_code=code, truncated=output.truncated)
    line = "" if not text or text.endswith("\n") else "\n"
    return ExecuteResult(
        output=f"{text}{line}[the command was ended: {ended_by.message}]\n",
        exit_code=124 if ended_by.reason == KillReason.TIMEOUT else 137,
        truncated=output.truncated,
        killed=ended_by.reason,
    )


def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="uom-sandbox-")) / "shared"
    folder.mkdir()
    _FOLDERS.add(folder.parent)
    return folder


@atexit.register
def _remove_all() -> None:
    for folder in list(_FOLDERS):
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, also where a program took away its own rights to one below."""
    for below, folders, _ in os.walk(folder):
        for each in folders:
            path = Path(below, each)
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
    _FOLDERS.discard(folder)


if TYPE_CHECKING:

    def _is_sandbox(local: LocalSandbox) -> Sandbox:
        return local

"""Sandboxes at a Daytona service: made from snapshots, kept while warm, made anew when lost, deleted at the end."""

import asyncio
import shlex
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from react_agent.sandbox.daytona_service import RemoteBox, Service, create
from react_agent.sandbox.daytona_snapshots import START_WORKER, snapshot_name
from react_agent.sandbox.folder import BadPath
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.output import Capture
from react_agent.sandbox.pool import Pool, PoolClosed
from react_agent.sandbox.protocol import ExecuteResult, KillReason, Sandbox, SandboxType
from react_agent.sandbox.remote_program import Answers, Printed, Questions, RemoteProgram, SandboxLost
from react_agent.sandbox.validation import Log, SandboxClient, worker_settings
from react_agent.sandbox.watchdog import Breach

_LOG = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DaytonaClient:
    """Opens sandboxes at a service; equal settings are the same client, and share what is warm."""

    service: Service
    warm: int = 1

    async def open(self, kind: SandboxType, log: Log) -> "DaytonaSandbox":
        """Create a sandbox and wait until its first worker is warm.

        Raises:
            ToolchainMissing: the service is not there, refuses the key, or lacks the snapshot.
            SandboxError: the worker did not start there.
        """
        snapshot = await asyncio.to_thread(snapshot_name, kind)
        log(f"{kind}: creating a sandbox at {self.service.api_url} from {snapshot}")
        sandbox = DaytonaSandbox(self.service, snapshot, worker_settings(kind), warm=self.warm)
        try:
            await sandbox.warm()
        except BaseException:
            await sandbox.close()
            raise
        log(f"{kind}: ready at {self.service.api_url}")
        return sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """One sandbox at the service and the workers in it; both are lost together."""

    box: RemoteBox
    pool: Pool

    @property
    def files(self) -> str:
        return f"{self.box.folder}/shared"


class DaytonaSandbox:
    """Runs programs of one side at the service, which keeps them apart from the person's machine."""

    def __init__(self, service: Service, snapshot: str, settings: WorkerSettings, *, warm: int = 1) -> None:
        self._service = service
        self._snapshot = snapshot
        self._settings = settings
        self._warm = warm
        self._room: _Room | None = None
        self._making = asyncio.Lock()
        self._closed = False

    async def warm(self) -> None:
        """Wait until a worker is ready.

        Raises:
            ToolchainMissing: there is no sandbox to be had.
            SandboxError: the worker did not start.
        """
        await (await self._present()).pool.ready()

    async def upload_files(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write files below the sandbox's folder.

        Raises:
            BadPath: a path leads out of the folder.
        """
        room = await self._present()
        for path, data in files:
            target = PurePosixPath(room.files, _below(path))
            await room.box.run(shlex.join(("mkdir", "-p", str(target.parent))))
            await room.box.put(str(target), data)

    async def download_files(self, paths: Sequence[str]) -> list[tuple[str, bytes]]:
        """Read files below the sandbox's folder.

        Raises:
            FileNotFoundError: a file is not there.
            BadPath: a path leads out of the folder.
        """
        room = await self._present()
        return [(path, await _read(room, path)) for path in paths]

    async def execute(
        self,
        command: str,
        *,
        timeout: float = 120,  # noqa: ASYNC109 - the callers' word for it
        output_limit: int = 256 * 1024,
    ) -> ExecuteResult:
        """Run a shell command in the sandbox's folder; a cancelled caller ends it there.

        Raises:
            ToolchainMissing: there is no sandbox to be had.
            SandboxLost: the sandbox went away while the command ran.
        """
        room = await self._present()
        program = await RemoteProgram.start(room.box, command, where=room.files)
        code = 0
        try:
            try:
                async with asyncio.timeout(timeout):
                    code = await program.wait()
            except TimeoutError:
                program.kill(Breach(reason=KillReason.TIMEOUT, message=f"it took longer than {timeout:g} s"))
                await program.wait()
            if program.ended_by is not None and program.ended_by.reason == KillReason.DIED:
                raise SandboxLost(program.ended_by.message)
            return _result(await program.printed(output_limit), code, program.ended_by)
        finally:
            await program.end()

    @asynccontextmanager
    async def job(self, *, approved: bool = False) -> AsyncGenerator[Worker]:  # noqa: ARG002 - nothing of ours is there
        """Lend a warm worker for one job; a sandbox that was lost is made anew first.

        Raises:
            ToolchainMissing: there is no sandbox to be had.
        """
        room = await self._present()
        async with room.pool.lend() as worker:
            yield worker

    async def close(self) -> None:
        """End everything that runs and delete the sandbox at the service."""
        self._closed = True
        async with self._making:
            await self._drop()

    async def _present(self) -> _Room:
        """Give the room that is there, or a new one where there was none or it was lost."""
        async with self._making:
            if self._closed:
                raise PoolClosed
            if self._room is None or not await self._room.box.present():
                await self._drop()
                box = await create(self._service, self._snapshot)
                self._room = _Room(box=box, pool=Pool(lambda: self._start(box), warm=self._warm))
                self._room.pool.fill()
            return self._room

    async def _drop(self) -> None:
        room, self._room = self._room, None
        if room is not None:
            # The sandbox goes first: its programs go with it, and nothing is left to ask them one by one.
            await room.box.delete()
            await room.pool.close()

    async def _start(self, box: RemoteBox) -> Worker:
        output = Capture(_LOG)
        command = f"UOM_HEAP_MB={self._settings.heap_mb} {START_WORKER} --in 3 --out 4 --warm"
        program = await RemoteProgram.start(
            box, command, where=f"{box.folder}/shared", frames=True, limits=self._settings.limits, output=output
        )
        return await Worker.over(program, output, self._settings, reader=Answers(program), writer=Questions(program))


async def _read(room: _Room, path: str) -> bytes:
    try:
        return await room.box.get(f"{room.files}/{_below(path)}")
    except FileNotFoundError:
        raise FileNotFoundError(f"{path!r} is not in the sandbox") from None


def _below(path: str) -> str:
    steps = [step for step in PurePosixPath(path).parts if step != "/"]
    if not steps or "\0" in path:
        raise BadPath(path, "this names no file")
    if ".." in steps:
        raise BadPath(path, "'..' leads out of the sandbox")
    return "/".join(steps)


def _result(printed: Printed, code: int, ended_by: Breach | None) -> ExecuteResult:
    if ended_by is None:
        return ExecuteResult(output=printed.text, exit_code=code, truncated=printed.truncated)
    line = "" if not printed.text or printed.text.endswith("\n") else "\n"
    return ExecuteResult(
        output=f"{printed.text}{line}[the command was ended: {ended_by.message}]\n",
        exit_code=124 if ended_by.reason == KillReason.TIMEOUT else 137,
        truncated=printed.truncated,
        killed=ended_by.reason,
    )


if TYPE_CHECKING:

    def _is_sandbox(sandbox: DaytonaSandbox) -> Sandbox:
        return sandbox

    def _is_client(client: DaytonaClient) -> SandboxClient:
        return client

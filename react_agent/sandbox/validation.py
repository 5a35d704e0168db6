"""The long-lived sandbox of each side, started once and shared by the whole process."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.job import WorkerSettings
from react_agent.sandbox.local import LocalSandbox, LocalSettings
from react_agent.sandbox.probe import find_isolation
from react_agent.sandbox.protocol import Sandbox, SandboxType
from react_agent.sandbox.toolchains import find_toolchain
from react_agent.sandbox.watchdog import Limits

Log = Callable[[str], None]
"""Takes lines for people; never standard output, which may be a protocol's wire."""


class SandboxClient(Protocol):
    """A service that runs sandboxes elsewhere."""

    async def open(self, kind: SandboxType, log: Log) -> Sandbox:
        """Create a sandbox, or reconnect to a warm one."""
        ...


class LocalClient:
    """Runs sandboxes on this machine; what `client=None` means."""

    def __init__(self, *, allow_unisolated: bool = False, warm: int = 1) -> None:
        self._allow_unisolated = allow_unisolated
        self._warm = warm

    async def open(self, kind: SandboxType, log: Log) -> LocalSandbox:
        """Start a sandbox and wait until its first worker is warm.

        Raises:
            ToolchainMissing: there is nothing to start a worker with.
        """
        isolation = await find_isolation()
        _tell(isolation, log, allowed=self._allow_unisolated)
        settings = LocalSettings(worker=worker_settings(kind), allow_unisolated=self._allow_unisolated, warm=self._warm)
        sandbox = await LocalSandbox.open(lambda: find_toolchain(kind), isolation=isolation, settings=settings)
        try:
            await sandbox.warm()
        except BaseException:
            await sandbox.close()
            raise
        log(f"{kind}: ready")
        return sandbox


LOCAL = LocalClient()
"""The client that `None` stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A sandbox that is starting or has started, and the loop it lives in."""

    task: asyncio.Task[Sandbox]
    loop: asyncio.AbstractEventLoop


class ValidationSandbox:
    """Hands out one warm sandbox per kind; concurrent callers share one start."""

    SANDBOXES: ClassVar[dict[tuple[SandboxType, SandboxClient], _Start]] = {}

    @classmethod
    async def get_sandbox(cls, client: SandboxClient | None, kind: SandboxType, log: Log) -> Sandbox:
        """Get the warm sandbox of a kind, starting it when there is none.

        A start that fails is not remembered: the next caller tries again.

        Raises:
            ToolchainMissing: there is nothing to start a worker with.
            SandboxError: it did not start.
        """
        client = LOCAL if client is None else client
        loop = asyncio.get_running_loop()
        start = cls.SANDBOXES.get((kind, client))
        if start is None or start.loop is not loop or _failed(start.task):
            start = _Start(task=loop.create_task(_open(client, kind, log)), loop=loop)
            start.task.add_done_callback(_failed)  # seen here, should every caller have given up
            cls.SANDBOXES[kind, client] = start
        # Shielded: a caller that gives up must not take the sandbox from the others.
        return await asyncio.shield(start.task)

    @classmethod
    async def close(cls) -> None:
        """Close every sandbox of this loop; call it before the loop ends."""
        loop = asyncio.get_running_loop()
        mine = {key: start for key, start in cls.SANDBOXES.items() if start.loop is loop}
        for key, start in mine.items():
            del cls.SANDBOXES[key]
            if not start.task.done():
                start.task.cancel()
        ended = await asyncio.gather(*(start.task for start in mine.values()), return_exceptions=True)
        await asyncio.gather(*(each.close() for each in ended if not isinstance(each, BaseException)))


def worker_settings(kind: SandboxType) -> WorkerSettings:
    """Tell what a job of a kind may use."""
    match kind:
        case SandboxType.DOTNET_10_SANDBOX:
            return WorkerSettings(heap_mb=768, limits=Limits(memory_mb=1536, processes=8, threads=256))
        case SandboxType.JAVA_25_SANDBOX:
            # The embedded database answers on the loopback of the worker's own network.
            limits = Limits(memory_mb=2048, processes=8, threads=512)
            return WorkerSettings(inet=True, heap_mb=768, limits=limits)


async def _open(client: SandboxClient, kind: SandboxType, log: Log) -> Sandbox:
    return await client.open(kind, log)


def _failed(task: asyncio.Task[Sandbox]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _tell(isolation: Isolation, log: Log, *, allowed: bool) -> None:
    if isolation.available:
        return
    what = "code runs beside your files, as you allowed" if allowed else "only approved code will run"
    log(f"isolation is not available: {isolation.reason}; {what}. {isolation.hint}".strip())

"""Talk to a Daytona service: one SDK client a sandbox, and its errors in our words."""

import asyncio
import contextlib
import importlib
import logging
import secrets
import shlex
import warnings
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from react_agent.context import Context
from react_agent.sandbox.protocol import SandboxError, ToolchainMissing
from react_agent.sandbox.remote_program import SCRIPT, Place, SandboxLost

if TYPE_CHECKING:
    from daytona import AsyncDaytona, AsyncSandbox

log = logging.getLogger(__name__)

_COMMAND_SECONDS = 60
"""How long one short command may take; waiting for a program is many of them."""
_CREATE_SECONDS = 180
_IDLE_MINUTES = 15
"""When the service stops a sandbox that nobody uses; stopped ones of ours are deleted there."""
_FOLDER = ".uom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where a Daytona service is, and the key to it."""

    api_url: str
    api_key: str = field(repr=False)
    target: str | None = None

    async def client(self) -> "AsyncDaytona":
        """Make a client; its library is heavy, so that it is imported when first needed and off the loop.

        Raises:
            ToolchainMissing: the library is not installed.
        """
        try:
            sdk = await asyncio.to_thread(library)
            made, settings = sdk.AsyncDaytona, sdk.DaytonaConfig
        except ImportError:
            what = "DAYTONA_API_KEY is set, but the Daytona library is not installed"
            raise ToolchainMissing(what, "Run: pip install 'uom[daytona]', or unset DAYTONA_API_KEY.") from None
        with warnings.catch_warnings():
            # Polling is deprecated for what waits long. We wait for one start, and a socket of events to a service
            # that has none stays open when the client is closed.
            warnings.simplefilter("ignore", DeprecationWarning)
            return made(
                settings(api_key=self.api_key, api_url=self.api_url, target=self.target, use_deprecated_polling=True)
            )


def service_of(context: Context) -> Service:
    """Read the service from the settings."""
    assert context.daytona_api_key
    return Service(
        api_url=context.daytona_api_url.rstrip("/"), api_key=context.daytona_api_key, target=context.daytona_target
    )


def library() -> Any:
    """Give the SDK, which is optional: `Service.client` has loaded it before anything else is asked of it."""
    return importlib.import_module("daytona")


async def check(service: Service) -> list[str]:
    """List the snapshots of ours that can be used.

    Raises:
        ToolchainMissing: the service is not there, or does not accept the key.
    """
    client = await service.client()
    try:
        return [name for name, state in (await states(client)).items() if state == "active"]
    except library().DaytonaError as error:
        raise explained(error, service) from None
    finally:
        await client.close()


async def states(client: "AsyncDaytona") -> dict[str, str]:
    """List the snapshots of ours with their states."""
    found: dict[str, str] = {}
    pages, number = 1, 0
    while number < pages:
        number += 1
        page = await client.snapshot.list(page=number, limit=100)
        pages = page.total_pages
        found |= {each.name: str(getattr(each.state, "value", each.state)) for each in page.items}
    return {name: state for name, state in found.items() if name.startswith("uom-")}


def explained(error: Exception, service: Service, *, snapshot: str = "") -> ToolchainMissing:
    """Say in one line why a sandbox cannot be had, and what helps."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    if status in {401, 403}:
        what = f"Daytona at {service.api_url} does not accept the key"
        return ToolchainMissing(what, "Check DAYTONA_API_KEY, or unset it to run programs on this machine.")
    if snapshot and status == 404:
        what = f"Daytona at {service.api_url} has no snapshot {snapshot}"
        return ToolchainMissing(what, "Prepare it once for your team: python scripts/prepare_sandboxes.py")
    if "Connection" in name:
        what = f"nothing answers at {service.api_url}"
        return ToolchainMissing(what, "Check DAYTONA_API_URL, or unset DAYTONA_API_KEY to run programs here.")
    said = str(error).splitlines()[0][:200] if str(error) else name
    return ToolchainMissing(f"Daytona at {service.api_url}: {said}", "Look at the sandboxes in its dashboard.")


async def create(service: Service, snapshot: str) -> "RemoteBox":
    """Create a sandbox from a snapshot, without a network, and wait until it runs.

    Raises:
        ToolchainMissing: the service is not there, refuses the key, or has no such snapshot.
    """
    client = await service.client()
    making = asyncio.create_task(_made(client, snapshot))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        # What was asked for comes to be, wanted or not; so it is waited for, and deleted.
        await asyncio.shield(asyncio.create_task(_unmade(client, making)))
        raise
    except library().DaytonaError as error:
        await client.close()
        raise explained(error, service, snapshot=snapshot) from None


async def _made(client: "AsyncDaytona", snapshot: str) -> "RemoteBox":
    from daytona import CreateSandboxFromSnapshotParams  # noqa: PLC0415 - loaded by now; optional

    parameters = CreateSandboxFromSnapshotParams(
        name=f"{snapshot}-{secrets.token_hex(4)}", snapshot=snapshot, labels={"made-by": "uom"},
        network_block_all=True, auto_stop_interval=_IDLE_MINUTES, auto_delete_interval=0,
    )  # fmt: skip
    sandbox = await client.create(parameters, timeout=_CREATE_SECONDS)
    try:
        box = RemoteBox(client, sandbox, f"{(await sandbox.get_work_dir()).rstrip('/')}/{_FOLDER}")
        await sandbox.process.exec(shlex.join(("mkdir", "-p", box.folder)), timeout=_COMMAND_SECONDS)
        await box.put(f"{box.folder}/{SCRIPT.name}", await asyncio.to_thread(SCRIPT.read_bytes))
    except BaseException:
        await sandbox.delete()
        raise
    return box


async def _unmade(client: "AsyncDaytona", making: "asyncio.Task[RemoteBox]") -> None:
    await asyncio.wait([making])
    if making.cancelled() or making.exception() is not None:
        await client.close()
    else:
        await making.result().delete()


class RemoteBox:
    """One sandbox at the service, as a place where programs run."""

    def __init__(self, client: "AsyncDaytona", sandbox: "AsyncSandbox", folder: str) -> None:
        self._client = client
        self._sandbox = sandbox
        self._folder = folder
        self._deleted = False

    @property
    def folder(self) -> str:
        """Tell the folder that is ours there."""
        return self._folder

    @property
    def name(self) -> str:
        """Tell its name at the service."""
        return self._sandbox.name

    async def run(self, command: str) -> tuple[int, str]:
        """Run a short command; returns its exit code and output.

        Raises:
            SandboxLost: the sandbox is not there any more.
        """
        reply = await self._do(self._ask().process.exec(command, timeout=_COMMAND_SECONDS))
        return int(reply.exit_code or 0), reply.result

    async def put(self, path: str, data: bytes) -> None:
        """Write a file.

        Raises:
            SandboxLost: the sandbox is not there any more.
        """
        await self._do(self._ask().fs.upload_file(data, path))

    async def get(self, path: str) -> bytes:
        """Read a file.

        Raises:
            FileNotFoundError: it is not there.
            SandboxLost: the sandbox is not there any more.
        """
        from daytona import FileDownloadRequest  # noqa: PLC0415 - loaded by now; optional

        reply, *_ = await self._do(self._ask().fs.download_files([FileDownloadRequest(source=path)]))
        if isinstance(reply.result, bytes):
            return reply.result
        status = reply.error_details.status_code if reply.error_details else None
        if status == 404 or "no such file" in (reply.error or "").lower() or "not found" in (reply.error or "").lower():
            raise FileNotFoundError(path)
        raise SandboxError(f"{path} could not be read in sandbox {self.name}: {reply.error}")

    async def present(self) -> bool:
        """Ask the service whether the sandbox still runs."""
        try:
            await self._do(self._ask().refresh_data())
        except SandboxLost:
            return False
        return getattr(self._sandbox.state, "value", self._sandbox.state) == "started"

    async def delete(self) -> None:
        """Delete it at the service; one that is gone already is as good."""
        deleting, self._deleted = self._do(self._sandbox.delete()), True
        try:
            await deleting
        except SandboxError as error:
            log.info("sandbox %s: %s", self.name, error)
        finally:
            with contextlib.suppress(Exception):
                await self._client.close()

    def _ask(self) -> "AsyncSandbox":
        """Give the sandbox for a call; asked after its end, the library would open connections that nobody closes."""
        if self._deleted:
            raise SandboxLost(f"sandbox {self.name} was deleted")
        return self._sandbox

    async def _do(self, doing: Awaitable[Any]) -> Any:
        try:
            return await doing
        except library().DaytonaError as error:
            status = getattr(error, "status_code", None)
            said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            if status in {404, 410, 502, 503} or "Connection" in type(error).__name__:
                raise SandboxLost(f"sandbox {self.name} is lost: {said}") from None
            raise SandboxError(f"sandbox {self.name}: {said}") from None


if TYPE_CHECKING:

    def _is_place(box: RemoteBox) -> Place:
        return box

"""A Daytona service on the loopback: the calls that its SDK makes, and commands that really run, in a folder each.

It follows the SDK's generated clients. What a snapshot's image would hold stands in a folder of this machine; a
Dockerfile is really followed, command by command, with `/opt/uom` moved into that folder.
"""

import asyncio
import json
import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import BodyPartReader, MultipartWriter, web

from react_agent.sandbox.jdk import find_jdk
from react_agent.sandbox.protocol import ToolchainMissing

KEY = "dtn_the-right-key"
_HOME = "/opt/uom"
TOOLCHAINS = ("DOTNET_ROOT", "JAVA_HOME")
"""Variables of an image that say where its toolchain is; here, where this machine's is."""


@dataclass(kw_only=True)
class Snapshot:
    """An image: where its `/opt/uom` is, and its variables."""

    name: str
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    state: str = "active"
    logs: list[str] = field(default_factory=list)

    def dto(self) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat()
        return {
            "id": f"id-of-{self.name}", "general": False, "name": self.name, "state": self.state, "size": 1.0,
            "entrypoint": None, "cpu": 2, "gpu": 0, "mem": 4, "disk": 8, "createdAt": now, "updatedAt": now,
            "errorReason": "the build failed" if self.state == "build_failed" else None,
            "lastUsedAt": None, "sourceSandboxId": None,
        }  # fmt: skip


@dataclass(kw_only=True)
class Box:
    """A sandbox: its folder, and how it was asked for."""

    id: str
    folder: Path
    snapshot: Snapshot
    asked: Mapping[str, Any]
    state: str = "starting"

    def dto(self, url: str) -> dict[str, Any]:
        return {
            "id": self.id, "organizationId": "org", "name": self.asked.get("name") or self.id, "user": "daytona",
            "snapshot": self.snapshot.name, "env": {}, "labels": self.asked.get("labels") or {}, "public": False,
            "networkBlockAll": bool(self.asked.get("networkBlockAll")), "kvm": False, "target": "us",
            "cpu": 2, "gpu": 0, "memory": 4, "disk": 8, "state": self.state,
            "toolboxProxyUrl": f"{url.removesuffix('/api')}/toolbox",
        }  # fmt: skip

    @property
    def variables(self) -> dict[str, str]:
        mark = {"HOME": str(self.folder), "UOM_HOME": str(self.snapshot.home), "FAKE_SANDBOX": self.id}
        return {"PATH": os.environ["PATH"], **self.snapshot.variables, **mark}

    def processes(self) -> list[int]:
        """List what runs in it."""
        return [int(each.name) for each in Path("/proc").glob("[0-9]*") if self._owns(each)]

    def _owns(self, process: Path) -> bool:
        with suppress(OSError):
            alive = (process / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
            return alive and f"FAKE_SANDBOX={self.id}".encode() in (process / "environ").read_bytes().split(b"\0")
        return False

    def lose(self) -> None:
        """End all that runs, and forget its files."""
        self.state = "destroyed"
        for _ in range(20):
            if not (left := self.processes()):
                break
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


class DaytonaApi:
    """The service: its snapshots, its sandboxes, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.snapshots: dict[str, Snapshot] = {}
        self.boxes: dict[str, Box] = {}
        self.created: list[Box] = []
        self.asked: list[str] = []
        self.building: set[asyncio.Task[None]] = set()

    def offer(self, name: str, home: Path, variables: Mapping[str, str] | None = None) -> None:
        """Have a snapshot ready."""
        self.snapshots[name] = Snapshot(name=name, home=home, variables=variables or {})

    def lose(self, box: Box) -> None:
        """Take a sandbox away, as a service does that cleans up."""
        del self.boxes[box.id]
        box.lose()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/sandbox", self._create), web.get("/api/sandbox/{id}", self._sandbox),
            web.delete("/api/sandbox/{id}", self._delete), web.get("/api/sandbox", self._list),
            web.get("/api/snapshots", self._snapshots), web.post("/api/snapshots", self._build),
            web.get("/api/snapshots/{id}", self._snapshot), web.delete("/api/snapshots/{id}", self._forget),
            web.get("/api/snapshots/{id}/build-logs-url", self._logs_url), web.get("/logs/{id}", self._logs),
            web.get("/toolbox/{id}/work-dir", self._work_dir),
            web.post("/toolbox/{id}/process/execute", self._execute),
            web.post("/toolbox/{id}/files/bulk-upload", self._upload),
            web.post("/toolbox/{id}/files/bulk-download", self._download),
        ]  # fmt: skip

    @web.middleware
    async def authorized(self, request: web.Request, handler: Callable[..., Any]) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path}")
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return _problem(401, "Invalid credentials")
        return await handler(request)

    async def _create(self, request: web.Request) -> web.Response:
        asked = await request.json()
        snapshot = self.snapshots.get(asked.get("snapshot", ""))
        if snapshot is None or snapshot.state != "active":
            return _problem(404, f"Snapshot {asked.get('snapshot')} not found")
        name = f"box-{secrets.token_hex(6)}"
        folder = self.folder / name
        folder.mkdir()
        box = self.boxes[name] = Box(id=name, folder=folder, snapshot=snapshot, asked=asked)
        self.created.append(box)
        return web.json_response(box.dto(self.url))

    async def _sandbox(self, request: web.Request) -> web.Response:
        box = self._box(request)
        answer = web.json_response(box.dto(self.url))
        box.state = "started" if box.state == "starting" else box.state
        return answer

    async def _delete(self, request: web.Request) -> web.Response:
        box = self._box(request)
        del self.boxes[box.id]
        await asyncio.to_thread(box.lose)
        return web.json_response(box.dto(self.url))

    async def _list(self, _: web.Request) -> web.Response:
        return web.json_response({"items": [b.dto(self.url) for b in self.boxes.values()], "nextCursor": None})

    async def _snapshots(self, _: web.Request) -> web.Response:
        items = [snapshot.dto() for snapshot in self.snapshots.values()]
        return web.json_response({"items": items, "total": len(items), "page": 1, "totalPages": 1})

    async def _snapshot(self, request: web.Request) -> web.Response:
        return web.json_response(self._named(request).dto())

    async def _forget(self, request: web.Request) -> web.Response:
        del self.snapshots[self._named(request).name]
        return web.json_response({})

    async def _build(self, request: web.Request) -> web.Response:
        asked = await request.json()
        home = self.folder / f"image-{secrets.token_hex(4)}"
        home.mkdir()
        given = {name: os.environ[name] for name in TOOLCHAINS if name in os.environ}
        variables = given | await asyncio.to_thread(_toolchain)
        snapshot = Snapshot(name=asked["name"], home=home, variables=variables, state="building")
        self.snapshots[snapshot.name] = snapshot
        build = asyncio.create_task(_follow(asked["buildInfo"]["dockerfileContent"], snapshot))
        self.building.add(build)
        return web.json_response(snapshot.dto())

    async def _logs_url(self, request: web.Request) -> web.Response:
        return web.json_response({"url": f"{self.url.removesuffix('/api')}/logs/{request.match_info['id']}"})

    async def _logs(self, request: web.Request) -> web.Response:
        return web.Response(text="".join(self._named(request).logs) or "building\n")

    async def _work_dir(self, request: web.Request) -> web.Response:
        return web.json_response({"dir": str(self._box(request).folder)})

    async def _execute(self, request: web.Request) -> web.Response:
        box, asked = self._box(request), await request.json()
        process = await asyncio.create_subprocess_shell(
            asked["command"], cwd=box.folder, env=box.variables, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(asked.get("timeout") or 10):
                output, _ = await process.communicate()
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            return _problem(408, "command execution timeout")
        if box.id not in self.boxes:
            return _problem(502, "the sandbox is gone")
        return web.json_response({"exitCode": process.returncode, "result": output.decode(errors="replace")})

    async def _upload(self, request: web.Request) -> web.Response:
        box = self._box(request)
        target = box.folder
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            if (part.name or "").endswith(".path"):
                target = box.folder / (await part.text())
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(await part.read(decode=False))
        return web.json_response({})

    async def _download(self, request: web.Request) -> web.Response:
        box, asked = self._box(request), await request.json()
        boundary = secrets.token_hex(8)
        with MultipartWriter("form-data", boundary=boundary) as writer:
            for path in asked["paths"]:
                try:
                    part, name = writer.append((box.folder / path).read_bytes()), "file"
                except OSError as error:
                    problem = {"message": str(error), "statusCode": 404, "code": "FILE_NOT_FOUND"}
                    part, name = writer.append_json(problem), "error"
                part.set_content_disposition("form-data", quote_fields=False, name=name, filename=path)
            return web.Response(body=writer)

    def _box(self, request: web.Request) -> Box:
        found = next((b for b in self.boxes.values() if request.match_info["id"] in {b.id, b.asked.get("name")}), None)
        if found is None:
            raise web.HTTPNotFound(text=json.dumps({"message": "Sandbox not found", "statusCode": 404}))
        return found

    def _named(self, request: web.Request) -> Snapshot:
        wanted = request.match_info["id"].removeprefix("id-of-")
        if wanted not in self.snapshots:
            raise web.HTTPNotFound(text=json.dumps({"message": "Snapshot not found", "statusCode": 404}))
        return self.snapshots[wanted]


def _toolchain() -> dict[str, str]:
    """The JDK that stands for the image's; an older one may be first on the PATH."""
    try:
        return {"JAVA_HOME": str(find_jdk().home)}
    except ToolchainMissing:
        return {}


async def _follow(dockerfile: str, snapshot: Snapshot) -> None:
    """Follow a Dockerfile on this machine, its toolchain standing for the image's."""
    for line in dockerfile.splitlines():
        if not line.startswith("RUN "):
            continue
        process = await asyncio.create_subprocess_shell(
            line.removeprefix("RUN ").replace(_HOME, str(snapshot.home)), cwd=snapshot.home,
            env={**os.environ, **_toolchain(), "UOM_HOME": str(snapshot.home)}, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = await process.communicate()
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        snapshot.logs.append(output.decode(errors="replace"))
        if process.returncode != 0:
            snapshot.state = "build_failed"
            return
    snapshot.state = "active"


def _problem(status: int, message: str) -> web.Response:
    return web.json_response({"statusCode": status, "message": message}, status=status)


@asynccontextmanager
async def daytona_api() -> AsyncGenerator[DaytonaApi]:
    """Serve until the test is over; whatever it left behind is ended then."""
    with tempfile.TemporaryDirectory(prefix="fake-daytona-", ignore_cleanup_errors=True) as folder:
        api = DaytonaApi(Path(folder))
        app = web.Application(middlewares=[api.authorized], client_max_size=2**30)
        app.add_routes(api.routes())
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        api.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api"
        try:
            yield api
        finally:
            for build in api.building:
                build.cancel()
            for box in list(api.boxes.values()):
                box.lose()
            await runner.cleanup()

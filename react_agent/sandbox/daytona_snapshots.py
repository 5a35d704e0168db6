"""Snapshots of Daytona sandboxes: a toolchain and the worker, built there once, named by what goes in.

The name holds a hash of the worker's sources, so that a client never meets a worker of another release.
"""

import asyncio
import base64
import hashlib
import io
import shlex
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from react_agent.sandbox import dotnet_build, java_build
from react_agent.sandbox.daytona_service import Service, explained, library, states
from react_agent.sandbox.jdk import Jdk
from react_agent.sandbox.protocol import SandboxType

if TYPE_CHECKING:
    from daytona import CreateSnapshotParams

_SCRIPTS = Path(__file__).with_name("snapshots")
_HOME = "/opt/uom"
_LINE = 48 * 1024
_FAILED = {"error", "build_failed"}
START_WORKER = f'exec "${{UOM_HOME:-{_HOME}}}/bin/uom-worker"'
"""How a shell in a sandbox starts the worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a snapshot is made of."""

    title: str
    base: str
    """The image that holds the toolchain."""
    worker: tuple[Path, ...]
    """The worker's sources, files and folders."""
    script: Path
    """Builds the worker there."""
    cpu: int = 2
    memory_gb: int = 4
    disk_gb: int = 8


def recipe(kind: SandboxType) -> Recipe:
    """Tell what the snapshot of a kind is made of."""
    match kind:
        case SandboxType.DOTNET_10_SANDBOX:
            sources = sorted(p for p in dotnet_build.SOURCES.iterdir() if p.suffix in {".cs", ".csproj"})
            base, script = "mcr.microsoft.com/dotnet/sdk:10.0", _SCRIPTS / "dotnet.sh"
            return Recipe(title="dotnet-10", base=base, worker=tuple(sources), script=script)
        case SandboxType.JAVA_25_SANDBOX:
            sources = [java_build.SOURCES / "pom.xml", java_build.SOURCES / "src"]
            base, script = "maven:3-eclipse-temurin-25", _SCRIPTS / "java.sh"
            return Recipe(title="java-25", base=base, worker=tuple(sources), script=script)


def snapshot_name(kind: SandboxType) -> str:
    """Name the snapshot of a kind by everything that goes into it."""
    made = recipe(kind)
    digest = hashlib.sha256(f"{made.base}\n{_build_script(made)}".encode())
    for source in made.worker:
        for path in [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file()):
            digest.update(f"\0{path.relative_to(source.parent).as_posix()}\0".encode() + path.read_bytes())
    return f"uom-{made.title}-{digest.hexdigest()[:12]}"


async def prepare(service: Service, kind: SandboxType, on_log: Callable[[str], None]) -> str:
    """Build the snapshot of a kind at the service where it is not there yet; returns its name.

    Raises:
        ToolchainMissing: the service is not there, refuses the key, or could not build it.
    """
    name = await asyncio.to_thread(snapshot_name, kind)
    client = await service.client()
    try:
        state = (await states(client)).get(name)
        if state == "active":
            on_log(f"{name}: is there already")
            return name
        if state in _FAILED:
            await client.snapshot.delete(name)
        parameters = await asyncio.to_thread(_parameters, name, recipe(kind))
        await client.snapshot.create(parameters, on_logs=on_log, timeout=0)
    except library().DaytonaError as error:
        raise explained(error, service) from None
    finally:
        await client.close()
    return name


def _parameters(name: str, made: Recipe) -> "CreateSnapshotParams":
    sdk = library()
    packed = base64.b64encode(_context(made)).decode()
    # Inside the Dockerfile and not as a build context: the SDK uploads those over https only, which a service
    # of one's own seldom has. A builder takes lines of at most 64 KiB.
    parts = [packed[start : start + _LINE] for start in range(0, len(packed), _LINE)]
    image = sdk.Image.base(made.base).run_commands(
        f"mkdir -p {_HOME}/context",
        *(f"printf %s {part} >>{_HOME}/context.base64" for part in parts),
        f"base64 -d {_HOME}/context.base64 | tar -xz -C {_HOME}/context",
        f"sh {_HOME}/context/build.sh",
    )
    resources = sdk.Resources(cpu=made.cpu, memory=made.memory_gb, disk=made.disk_gb)
    return sdk.CreateSnapshotParams(name=name, image=image, resources=resources)


def _context(made: Recipe) -> bytes:
    """Pack the worker's sources and the script that builds it."""
    packed = io.BytesIO()
    script = _build_script(made).encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for source in made.worker:
            tar.add(source, arcname=f"worker/{source.name}")
        entry = tarfile.TarInfo("build.sh")
        entry.size = len(script)
        tar.addfile(entry, io.BytesIO(script))
    return packed.getvalue()


def _build_script(made: Recipe) -> str:
    """Fill in how our own JVM workers start, so that a snapshot's start no other way."""
    _, *options, _, _, main = java_build.worker_command(Jdk(home=Path(), version="", build=""), (), ())
    text = made.script.read_text(encoding="utf-8")
    return text.replace("@OPTIONS@", shlex.join(options)).replace("@MAIN@", main)

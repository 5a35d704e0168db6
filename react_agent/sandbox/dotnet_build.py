"""Build the .NET worker once for each SDK, into the user's cache."""

import asyncio
import fcntl
import hashlib
import json
import os
import platform
import pwd
import re
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import platformdirs

from react_agent.sandbox.dotnet_command import Reply, run_dotnet

SOURCES = Path(__file__).parent / "dotnet_worker"
_PROJECT = "UomWorker.csproj"
_DLL = "uom-worker.dll"
_ARGUMENTS = (
    "-c", "Release", "-v", "quiet", "-nologo", "-nodeReuse:false", "-p:UseSharedCompilation=false",
    # A folder above the cache may hold build settings of the user's own projects.
    "-p:ImportDirectoryBuildProps=false", "-p:ImportDirectoryBuildTargets=false",
    "-p:ImportDirectoryPackagesProps=false",
)  # fmt: skip


class WorkerNotBuilt(Exception):
    """The SDK is there, but the worker is not; `hint` says what helps."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.hint = hint


async def build_worker(root: Path, sdk_version: str, environment: Mapping[str, str]) -> Path:
    """Return the worker's assembly, built now where no earlier build of the same sources is kept.

    Two processes that start together build once: the second waits for the first. A build becomes visible by a
    rename, so nobody ever starts half a worker.

    Raises:
        WorkerNotBuilt: restoring or compiling failed, or the cache cannot be written.
    """
    home = cache_folder() / "dotnet-worker"
    kept = home / await asyncio.to_thread(_fingerprint, sdk_version)
    if (kept / _DLL).is_file():
        return kept / _DLL
    try:
        await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
        async with _locked(home / f"{kept.name}.lock"):
            if not (kept / _DLL).is_file():
                await _build(root, sdk_version, environment, kept)
    except OSError as error:
        hint = "Name a folder that can be written with XDG_CACHE_HOME."
        raise WorkerNotBuilt(f"{home} cannot be used ({error.strerror or error})", hint) from None
    return kept / _DLL


def is_built(sdk_version: str) -> bool:
    """Whether the worker of these sources is kept for an SDK."""
    return (cache_folder() / "dotnet-worker" / _fingerprint(sdk_version) / _DLL).is_file()


def cache_folder() -> Path:
    """Find the user's cache, also where HOME is empty."""
    if os.environ.get("HOME") or os.environ.get("XDG_CACHE_HOME"):
        return Path(platformdirs.user_cache_dir("uom"))
    return Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "uom"


async def _build(root: Path, sdk_version: str, environment: Mapping[str, str], kept: Path) -> None:
    work = await asyncio.to_thread(_lay_out, kept, sdk_version)
    try:
        out = work / "out"
        arguments = ["build", _PROJECT, *_ARGUMENTS, "-o", str(out)]
        reply = await run_dotnet(root, arguments, cwd=work, environment=environment)
        if reply.exit_code != 0 or not (out / _DLL).is_file():
            raise WorkerNotBuilt(_reason(reply), _hint(reply))
        await asyncio.to_thread(out.rename, kept)
    finally:
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)


def _lay_out(kept: Path, sdk_version: str) -> Path:
    _forget_killed(kept)
    work = Path(tempfile.mkdtemp(prefix=f"building-{kept.name}-", dir=kept.parent))
    for source in _sources():
        shutil.copyfile(source, work / source.name)
    pinned = {"sdk": {"version": sdk_version, "rollForward": "latestPatch", "allowPrerelease": True}}
    (work / "global.json").write_text(json.dumps(pinned), encoding="utf-8")
    return work


def _forget_killed(kept: Path) -> None:
    """Remove what builds of this folder left that were killed; who holds its lock is the only one who builds it."""
    for left in kept.parent.glob(f"building-{kept.name}-*"):
        shutil.rmtree(left, ignore_errors=True)


def _sources() -> Iterator[Path]:
    yield from sorted(path for path in SOURCES.iterdir() if path.suffix in {".cs", ".csproj"})


def _fingerprint(sdk_version: str) -> str:
    digest = hashlib.sha256(f"{sdk_version} {platform.system()} {platform.machine()}".encode())
    for source in _sources():
        digest.update(f"\0{source.name}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:24]


def _reason(reply: Reply) -> str:
    errors = re.findall(r"(?:error|Error) [A-Z]+\d+: .*?(?= \[|$)", reply.output, re.MULTILINE)
    last = reply.output.strip().splitlines()[-1:]
    return "; ".join(list(dict.fromkeys(errors))[:3] or last) or f"dotnet build ended with {reply.exit_code}"


def _hint(reply: Reply) -> str:
    if re.search(r"error NU\d+", reply.output):
        return "Its packages come from your NuGet sources (dotnet nuget list source): one must offer them."
    return "Check that `dotnet new console && dotnet build` works."


@asynccontextmanager
async def _locked(path: Path) -> AsyncGenerator[None]:
    """Hold a lock between processes; waiting leaves the event loop free."""
    with path.open("w", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.1)
        yield

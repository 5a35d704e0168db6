"""Find a .NET 10 SDK on this machine and the worker built with it."""

import asyncio
import os
import platform
import pwd
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from react_agent.sandbox.dotnet_build import WorkerNotBuilt, build_worker, is_built
from react_agent.sandbox.dotnet_command import run_dotnet
from react_agent.sandbox.protocol import Located, Toolchain, ToolchainMissing

MAJOR = 10
_USUAL_PLACES = (
    "/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet", "/usr/local/share/dotnet", "/usr/local/lib/dotnet",
    "/opt/dotnet", "/opt/homebrew/opt/dotnet/libexec", "/snap/dotnet-sdk/current", "~/.dotnet", "~/.local/share/dotnet",
)  # fmt: skip
_PACKAGES = {
    "debian": "install dotnet-sdk-10.0 from https://learn.microsoft.com/dotnet/core/install/linux-debian",
    "ubuntu": "run: sudo apt-get install dotnet-sdk-10.0",
    "fedora": "run: sudo dnf install dotnet-sdk-10.0",
    "rhel": "run: sudo dnf install dotnet-sdk-10.0",
    "arch": "run: sudo pacman -S dotnet-sdk",
    "alpine": "run: sudo apk add dotnet10-sdk",
    "opensuse": "install dotnet-sdk-10.0 from https://learn.microsoft.com/dotnet/core/install/linux-opensuse",
}
_ANYWHERE = "install it from https://dotnet.microsoft.com/download/dotnet/10.0"
_INVARIANT = "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"


@dataclass(frozen=True, slots=True, kw_only=True)
class DotnetToolchain:
    """An SDK and the worker built with it."""

    root: Path
    """The folder of `dotnet`."""
    sdk_version: str
    worker_dll: Path
    globalization: Mapping[str, str] = field(default_factory=dict)
    """What the runtime must be told where the ICU libraries are missing."""

    @property
    def name(self) -> str:
        """Tell what it is, for reports."""
        return ".NET SDK"

    @property
    def version(self) -> str:
        """Tell which one it is, for reports."""
        return self.sdk_version

    @property
    def dotnet(self) -> Path:
        """The program itself."""
        return self.root / "dotnet"

    @property
    def read_only(self) -> tuple[Path, ...]:
        """List the folders that must be visible inside."""
        return (self.root, self.worker_dll.parent)

    @property
    def environment(self) -> Mapping[str, str]:
        """List the variables its programs need: no diagnostics port, no telemetry, no servers left behind."""
        return {
            "DOTNET_ROOT": str(self.root),
            "DOTNET_EnableDiagnostics": "0",
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
            "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
            "DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE": "true",
            "MSBUILDDISABLENODEREUSE": "1",
            **self.globalization,
        }

    def worker_argv(self, *, fd_in: int, fd_out: int, warm: bool, memory_mb: int) -> tuple[str, ...]:
        """Build the command that starts a worker; the heap limit turns too much memory into an exception."""
        limit = f"DOTNET_GCHeapHardLimit={memory_mb * 1024 * 1024:#x}"
        command = ("/usr/bin/env", limit, str(self.dotnet), "exec", str(self.worker_dll))
        return (*command, "--in", str(fd_in), "--out", str(fd_out), *(["--warm"] if warm else []))


async def find_dotnet() -> DotnetToolchain:
    """Find the newest .NET 10 SDK, and build the worker with it where that was not done before.

    Raises:
        ToolchainMissing: no SDK, or the worker cannot be built with it; the hint fits this system.
    """
    version, root = await _newest()
    globalization = await _globalization(root)
    try:
        dll = await build_worker(root, version, globalization)
    except WorkerNotBuilt as error:
        what = f"the worker could not be built with .NET SDK {version} in {root}: {error}"
        raise ToolchainMissing(what, error.hint) from None
    return DotnetToolchain(root=root, sdk_version=version, worker_dll=dll, globalization=globalization)


async def locate_dotnet() -> Located:
    """Find the SDK that `find_dotnet` would take, and build nothing.

    Raises:
        ToolchainMissing: no SDK; the hint fits this system.
    """
    version, _ = await _newest()
    return Located(name=".NET SDK", version=version, built=await asyncio.to_thread(is_built, version))


async def _newest() -> tuple[str, Path]:
    found = [sdk for root in await asyncio.to_thread(_roots) for sdk in await _sdks(root)]
    if not found:
        raise ToolchainMissing(f"no .NET {MAJOR} SDK was found", f"To get one, {install_hint()}")
    return max(found, key=lambda sdk: _order(sdk[0]))


def install_hint() -> str:
    """Say how .NET is installed on this system."""
    match sys.platform:
        case "darwin":
            return "run: brew install --cask dotnet-sdk"
        case "win32":
            return f"run: winget install Microsoft.DotNet.SDK.{MAJOR}"
        case "linux":
            return next((_PACKAGES[name] for name in _distribution() if name in _PACKAGES), _ANYWHERE)
    return _ANYWHERE


def _distribution() -> list[str]:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return []
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split()]


def _roots() -> list[Path]:
    """List the folders that hold a `dotnet`, each once, links resolved."""
    roots: dict[Path, None] = {}
    for place in _places():
        program = place / "dotnet"
        if program.is_file() and os.access(program, os.X_OK):
            roots[program.resolve().parent] = None
    return list(roots)


def _places() -> Iterator[Path]:
    if on_path := shutil.which("dotnet"):
        yield Path(on_path).parent
    if named := os.environ.get("DOTNET_ROOT"):
        yield Path(named)
    home = os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir
    for place in _USUAL_PLACES:
        yield Path(place.replace("~", home, 1))


async def _sdks(root: Path) -> list[tuple[str, Path]]:
    """List the usable SDKs that a `dotnet` itself reports."""
    reply = await run_dotnet(root, ["--list-sdks"], cwd=root)
    lines = re.findall(r"^(\S+) \[(.+)\]$", reply.output, re.MULTILINE) if reply.exit_code == 0 else []
    return [(version, root) for version, _ in lines if version.split(".")[0] == str(MAJOR)]


def _order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Order versions by number, a preview before its release."""
    numbers, _, preview = version.partition("-")
    return tuple(int(part) for part in numbers.split(".") if part.isdigit()), not preview, preview


async def _globalization(root: Path) -> Mapping[str, str]:
    """Find out whether the runtime starts with ICU; without the libraries it needs to be told so."""
    if _INVARIANT in os.environ:
        return {_INVARIANT: os.environ[_INVARIANT]}
    reply = await run_dotnet(root, ["--version"], cwd=root)
    return {_INVARIANT: "1"} if reply.exit_code != 0 and "ICU" in reply.output else {}


if TYPE_CHECKING:

    def _is_toolchain(toolchain: DotnetToolchain) -> Toolchain:
        return toolchain

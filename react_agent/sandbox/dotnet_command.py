"""Run one `dotnet` command to its end, with the user's own NuGet settings and nothing left behind."""

import asyncio
import contextlib
import os
import pwd
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a command said."""

    exit_code: int
    output: str


async def run_dotnet(
    root: Path, arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None
) -> Reply:
    """Run `dotnet` and wait; cancelling ends it and all that it started."""
    process = await asyncio.create_subprocess_exec(
        str(root / "dotnet"), *arguments,
        cwd=cwd, env=_environment(root) | dict(environment or {}),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = await process.communicate()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        raise
    return Reply(exit_code=process.returncode or 0, output=output.decode(errors="replace"))


def _environment(root: Path) -> dict[str, str]:
    """Take ours, where proxies and package credentials are, and quiet the command line."""
    return os.environ | {
        # NuGet looks for the user's sources in the home folder, also when HOME is empty.
        "HOME": os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir,
        "DOTNET_ROOT": str(root),
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
        "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
        "DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE": "true",
        "DOTNET_CLI_UI_LANGUAGE": "en",
        "MSBUILDDISABLENODEREUSE": "1",
    }

"""`uom doctor`: say of each thing UOM can use whether it is there, and how to get it where it is not."""

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from react_agent.context import BadSetting, Context
from react_agent.sandbox.probe import find_isolation
from react_agent.sandbox.protocol import SandboxType, ToolchainMissing
from react_agent.sandbox.task_limit import Kind, find_task_limit
from react_agent.sandbox.toolchains import locate_toolchain
from react_agent.tools import database_facts

EXIT_NOT_PROVEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked for. `needed` things must be there for a proof; the others widen what can be done."""

    name: str
    ok: bool
    found: str
    fix: str = ""
    needed: bool = False


def run(arguments: argparse.Namespace) -> int:
    """Look at everything side by side; 0 when what a proof needs is there, 3 when not."""
    findings = asyncio.run(_look())
    if arguments.json:
        sys.stdout.write(json.dumps([asdict(f) for f in findings], indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(_line(f) for f in findings) + "\n")
    return 0 if all(f.ok for f in findings if f.needed) else EXIT_NOT_PROVEN


def _line(finding: Finding) -> str:
    mark = "ok  " if finding.ok else "MISS" if finding.needed else "-   "
    fix = f"\n       fix: {finding.fix}" if finding.fix and not finding.ok else ""
    return f"{mark} {finding.name}: {finding.found}{fix}"


async def _look() -> list[Finding]:
    try:
        context = Context()
    except BadSetting as error:
        return [Finding(name="settings", ok=False, found=str(error), fix="correct the variable", needed=True)]
    here = not context.daytona_api_key  # whether programs run on this machine
    looks: list[Callable[[], Awaitable[list[Finding]]]] = [
        lambda: _model(context),
        lambda: _toolchain(".NET SDK", SandboxType.DOTNET_10_SANDBOX, needed=False),
        lambda: _toolchain("JDK and Maven", SandboxType.JAVA_25_SANDBOX, needed=here),
        lambda: _isolation(needed=here),
        lambda: _servers(context),
        lambda: _daytona(context),
    ]
    return [finding for found in await asyncio.gather(*(look() for look in looks)) for finding in found]


async def _model(context: Context) -> list[Finding]:
    rules = Finding(name="model uom/rules", ok=True, found="built in; no key, no network")
    if not context.has_model_endpoint:
        fix = "set OPENAI_API_KEY, OPENAI_API_URL and MODEL for a chat model; uom/rules works without"
        return [rules, Finding(name="chat model", ok=False, found="no key is set", fix=fix)]
    from react_agent.models import list_models  # noqa: PLC0415 - heavy, and only with a key

    try:
        async with asyncio.timeout(10):
            names = await list_models(context)
    except Exception as error:  # noqa: BLE001 - whatever an endpoint does wrong is the finding
        where = f"{context.openai_api_url} does not list its models ({type(error).__name__})"
        return [rules, Finding(name="chat model", ok=False, found=where, fix="check OPENAI_API_URL and OPENAI_API_KEY")]
    return [rules, Finding(name="chat model", ok=True, found=f"{len(names)} models at {context.openai_api_url}")]


async def _toolchain(name: str, kind: SandboxType, *, needed: bool) -> list[Finding]:
    try:
        toolchain = await locate_toolchain(kind)
    except ToolchainMissing as missing:
        return [Finding(name=name, ok=False, found=missing.what, fix=missing.hint, needed=needed)]
    later = "" if toolchain.built else "; its worker is not built yet: that happens at first use, and takes a minute"
    return [Finding(name=name, ok=True, found=f"{toolchain.name} {toolchain.version}{later}", needed=needed)]


async def _isolation(*, needed: bool) -> list[Finding]:
    isolation = await find_isolation()
    found = f"bubblewrap at {isolation.bwrap}" if isolation.available else isolation.reason
    return [
        Finding(name="isolation", ok=isolation.available, found=found, fix=isolation.hint, needed=needed),
        await asyncio.to_thread(_task_limit),
    ]


def _task_limit() -> Finding:
    limit = find_task_limit()
    match limit.kind:
        case Kind.CGROUP:
            found = f"the kernel's, by a control group below {limit.parent}"
        case Kind.RLIMIT:
            found = "the kernel's, by RLIMIT_NPROC inside the sandbox's own user namespace"
        case Kind.NONE:
            found = "a watchdog's, which looks every 50 ms; a program that doubles gets past it for a moment"
    fix = (
        "run as another user than root (Linux 5.14 and newer), or with a writable control group of the pids controller"
    )
    return Finding(name="limit on processes", ok=limit.kind != Kind.NONE, found=found, fix=fix)


async def _servers(context: Context) -> list[Finding]:
    facts = await database_facts(context)
    fix = "start the server, or set its address; UOM works from the code alone without it"
    return [
        Finding(name=f.server, ok=not f.problem, found=f.problem or "answers", fix=fix if f.problem else "")
        for f in facts
    ]


async def _daytona(context: Context) -> list[Finding]:
    if not context.daytona_api_key:
        return [Finding(name="Daytona", ok=False, found="not configured; programs run on this machine")]
    from react_agent.sandbox.daytona_service import check, service_of  # noqa: PLC0415 - only with a key
    from react_agent.sandbox.daytona_snapshots import snapshot_name  # noqa: PLC0415

    try:
        async with asyncio.timeout(10):
            there = await check(service_of(context))
    except ToolchainMissing as missing:
        return [Finding(name="Daytona", ok=False, found=missing.what, fix=missing.hint, needed=True)]
    except TimeoutError:
        found = f"no answer from {context.daytona_api_url} within 10 s"
        return [Finding(name="Daytona", ok=False, found=found, fix="check DAYTONA_API_URL", needed=True)]
    lacking = [name for kind in SandboxType if (name := snapshot_name(kind)) not in there]
    if lacking:
        found, fix = f"lacks the snapshot {' and '.join(lacking)}", "run: python scripts/prepare_sandboxes.py"
        return [Finding(name="Daytona", ok=False, found=found, fix=fix, needed=True)]
    return [Finding(name="Daytona", ok=True, found=f"programs run at {context.daytona_api_url}", needed=True)]

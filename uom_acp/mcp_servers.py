"""The tools of the MCP servers that an editor passes with a session."""

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp.schema import McpServerSse, McpServerStdio
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient

from uom_acp.log import masked
from uom_deep_agent.approval import EFFECTS

log = logging.getLogger(__name__)

LONGEST_START = 20.0
"""Seconds that a server may take until it has listed its tools; a first start may download it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """What a server offers; `fault` says why it offers nothing, or less."""

    tools: Sequence[BaseTool] = ()
    fault: str | None = None


async def connect(servers: Sequence[Any], cwd: Path) -> tuple[list[BaseTool], list[str]]:
    """Connect all servers side by side; one that fails costs its own tools only."""
    found = await asyncio.gather(*(_connect(server, cwd) for server in servers))
    return [tool for each in found for tool in each.tools], [each.fault for each in found if each.fault]


async def _connect(server: Any, cwd: Path) -> Connected:
    prefix = re.sub(r"[^A-Za-z0-9_-]", "_", server.name)
    client = MultiServerMCPClient({prefix: _reached(server, cwd)}, tool_name_prefix=True)
    try:
        async with asyncio.timeout(LONGEST_START):
            return _without_ours(server.name, await client.get_tools())
    except Exception as error:  # noqa: BLE001 - a server of the person's may fail in any way; the session goes on
        log.warning("MCP server %s: %s", server.name, masked(str(error)))
        where = masked(server.command if isinstance(server, McpServerStdio) else server.url)
        what = "command" if isinstance(server, McpServerStdio) else "address"
        return Connected(
            fault=f"The MCP server {server.name} did not start ({_reason(error)}). Check its {what} "
            f"`{where}` in the editor's settings; the log on stderr has the details."
        )


def _reached(server: Any, cwd: Path) -> Any:
    """Say how a server is reached."""
    if isinstance(server, McpServerStdio):
        environment = {variable.name: variable.value for variable in server.env}
        return {
            "transport": "stdio",
            "command": server.command,
            "args": list(server.args),
            "env": environment or None,
            "cwd": cwd,
        }
    headers = {header.name: header.value for header in server.headers}
    transport = "sse" if isinstance(server, McpServerSse) else "streamable_http"
    return {"transport": transport, "url": server.url, "headers": headers or None}


def _reason(error: BaseException) -> str:
    """Name what failed; a task group's error names nothing."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__


def _without_ours(server: str, tools: Sequence[BaseTool]) -> Connected:
    """Leave out tools that would pass for ours: what is asked about goes by the name."""
    kept = [tool for tool in tools if tool.name not in EFFECTS]
    left_out = ", ".join(tool.name for tool in tools if tool.name in EFFECTS)
    fault = f"Tools of the MCP server {server} are left out, their names are taken: {left_out}." if left_out else None
    return Connected(tools=kept, fault=fault)

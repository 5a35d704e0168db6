"""Database facts from MCP servers: tables, types, keys and sample documents, for the model's eyes and the report.

A server that is not there is the normal case, not an error. What a server says is data: it is bounded, kept out of the
chat, and never decides a verdict.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from react_agent.context import Context

log = logging.getLogger(__name__)

CONNECT_SECONDS = 2.0
"""How long a server may take to be there; a local one answers in milliseconds."""

ANSWER_SECONDS = 15.0
"""How long one tool may take."""

MAX_CHARACTERS = 20_000
"""How much of all answers is kept."""

FACT_WORDS = ("list_tables", "list-tables", "describe", "schema", "list_collections", "list-collections")
"""Parts of the names of tools that tell facts and need no arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one server told: `text` is empty and `problem` set where it could not be asked."""

    server: str
    text: str = ""
    problem: str = ""


async def database_facts(context: Context) -> tuple[Facts, ...]:
    """Ask the configured servers side by side; never raises for a server that is not there."""
    servers = {
        "Database Toolbox": _addresses(context.db_toolbox_uri, ("/mcp", "/mcp/sse")),
        "MongoDB MCP": _addresses(context.mongodb_mcp_uri, ("",)),
    }
    return tuple(await asyncio.gather(*(_ask(name, urls) for name, urls in servers.items())))


def _addresses(uri: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    bare = urlsplit(uri).path in {"", "/"}
    return tuple(uri.rstrip("/") + path for path in paths) if bare else (uri,)


async def _ask(server: str, urls: tuple[str, ...]) -> Facts:
    parts = urlsplit(urls[0])
    if not await _listens(parts.hostname or "localhost", parts.port or (443 if parts.scheme == "https" else 80)):
        return Facts(server=server, problem=f"nothing answers at {parts.scheme}://{parts.netloc}")
    for url in urls:
        try:
            return Facts(server=server, text=await _read(url))
        except Exception as error:  # noqa: BLE001 - a server may fail in any way; the next address may work
            log.info("%s at %s: %s", server, url, type(error).__name__)
    return Facts(server=server, problem=f"no MCP server at {', '.join(urls)}")


async def _listens(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def _read(url: str) -> str:
    from langchain_mcp_adapters.client import (  # noqa: PLC0415 - heavy, and seldom needed
        Connection,
        MultiServerMCPClient,
        SSEConnection,
        StreamableHttpConnection,
    )

    connection: Connection = (
        SSEConnection(transport="sse", url=url)
        if url.endswith("/sse")
        else StreamableHttpConnection(transport="streamable_http", url=url)
    )
    async with asyncio.timeout(ANSWER_SECONDS):
        tools = await MultiServerMCPClient({"server": connection}).get_tools()
    answers = []
    for tool in tools:
        tells_facts = any(word in tool.name.lower() for word in FACT_WORDS)
        if tells_facts and not _required(tool):
            async with asyncio.timeout(ANSWER_SECONDS):
                answers.append(f"## {tool.name}\n{await tool.ainvoke({})}")
    return "\n\n".join(answers)[:MAX_CHARACTERS]


def _required(tool: Any) -> list[str]:
    schema = tool.args_schema if isinstance(tool.args_schema, dict) else tool.args_schema.model_json_schema()
    return list(schema.get("required", ()))

"""Database facts from MCP servers: tables, types, keys and sample rows, for the model's eyes and the report.

A server that is not there is the normal case, not an error. What a server says is data: it is bounded, kept out of the
chat, and never decides a verdict. Nothing is asked that could change a database.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from react_agent import table_facts
from react_agent.context import Context
from react_agent.document_facts import document_facts
from react_agent.mcp_session import McpSession, mcp_session

log = logging.getLogger(__name__)

CONNECT_SECONDS = 2.0
"""How long a server may take to be there; a local one answers in milliseconds."""

ALL_SECONDS = 20.0
"""How long one server may take for everything; what it told by then is lost with it."""

MAX_CHARACTERS = 20_000
"""How much of a server's answers is kept."""

Gather = Callable[[McpSession], Awaitable[str]]
"""Asks a server for its facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one server told: `text` is empty and `problem` set where it could not be asked."""

    server: str
    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    name: str
    urls: tuple[str, ...]
    """Addresses of the same server, one for each transport, the newer first."""
    gather: Gather
    readers: frozenset[str] = frozenset()


async def database_facts(context: Context) -> tuple[Facts, ...]:
    """Ask the configured servers side by side; never raises for a server that is not there."""
    servers = (
        _Server(
            name="Database Toolbox",
            urls=_addresses(context.db_toolbox_uri, ("/mcp", "/mcp/sse")),
            gather=table_facts.table_facts,
            readers=table_facts.READERS,
        ),
        _Server(name="MongoDB MCP", urls=_addresses(context.mongodb_mcp_uri, ("/mcp",)), gather=document_facts),
    )
    return tuple(await asyncio.gather(*(_ask(server) for server in servers)))


def _addresses(uri: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    bare = urlsplit(uri).path in {"", "/"}
    return tuple(uri.rstrip("/") + path for path in paths) if bare else (uri,)


async def _ask(server: _Server) -> Facts:
    parts = urlsplit(server.urls[0])
    where = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    if not await _listens(parts.hostname or "localhost", parts.port or (443 if parts.scheme == "https" else 80)):
        return Facts(server=server.name, problem=f"nothing answers at {where}")
    problem = ""
    try:
        async with asyncio.timeout(ALL_SECONDS):
            for url in server.urls:
                try:
                    return await _read(server, url)
                except Exception as error:  # noqa: BLE001 - a server may fail in any way; the next address may work
                    problem = f"no facts from the MCP server at {where} ({_cause(error)})"
                    log.info("%s at %s: %s", server.name, where, _cause(error))
    except TimeoutError:
        problem = f"no answer from {where} within {ALL_SECONDS:g} s"
    return Facts(server=server.name, problem=problem)


async def _read(server: _Server, url: str) -> Facts:
    async with mcp_session(url, server.readers) as session:
        text = await server.gather(session)
    if not text:
        return Facts(server=server.name, problem="it has no tools that tell what is in the database")
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS]}\n[{len(text) - MAX_CHARACTERS} characters left out]"
    return Facts(server=server.name, text=text)


def _cause(error: BaseException) -> str:
    """Name what went wrong, below the groups that libraries wrap around it; addresses may hold secrets, so no text."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__


async def _listens(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True

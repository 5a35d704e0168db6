"""One session with an MCP server over HTTP: bounded in time and size, and able to read only."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

MAX_BYTES = 4 * 1024 * 1024
"""How much one server may say over all; facts are small, and what is more is not read."""

CALL_SECONDS = 5.0
"""How long one tool may take."""


class Unreadable(Exception):
    """A server failed, said too much, or has no such tool that only reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool said: its texts, and the same as data where the server gives it."""

    texts: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)

    def values(self) -> list[Any]:
        """Read the texts as JSON; the elements of a list count one by one, what is no JSON is left out."""
        found: list[Any] = []
        for text in self.texts:
            try:
                value = json.loads(text)
            except ValueError:
                continue
            found += value if isinstance(value, list) else [value]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as its server describes it."""

    name: str
    reads: bool
    """Whether the server says that it changes nothing."""
    required: tuple[str, ...]


class McpSession:
    """A server's tools; one that might change something is never called."""

    def __init__(self, session: Any, tools: Sequence[Tool], readers: frozenset[str]) -> None:
        self._session = session
        self._tools = {tool.name: tool for tool in tools if tool.reads or tool.name in readers}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """List the tools that may be called, by name."""
        return self._tools

    async def call(self, name: str, **arguments: object) -> Answer:
        """Call a tool that reads.

        Raises:
            Unreadable: it is not there, might change something, or answered with an error.
            TimeoutError: it took too long.
        """
        if name not in self._tools:
            raise Unreadable(f"no tool {name} that only reads")
        async with asyncio.timeout(CALL_SECONDS):
            reply = await self._session.call_tool(name, arguments)
        texts = tuple(block.text for block in reply.content if getattr(block, "text", None))
        if reply.isError:
            raise Unreadable(f"{name}: {' '.join(texts)[:200]}")
        return Answer(texts=texts, data=reply.structuredContent or {})


@asynccontextmanager
async def mcp_session(url: str, readers: frozenset[str]) -> AsyncGenerator[McpSession]:
    """Open a session at an address; one that ends in `/sse` is spoken to in the older of the two transports.

    Args:
        url: where the server is.
        readers: names of tools known to read, whatever their server says: some mark all of theirs as dangerous.
    """
    from langchain_mcp_adapters.sessions import (  # noqa: PLC0415 - heavy, and seldom needed
        SSEConnection,
        StreamableHttpConnection,
        create_session,
    )

    connection = (
        SSEConnection(transport="sse", url=url, httpx_client_factory=_client)
        if url.endswith("/sse")
        else StreamableHttpConnection(transport="streamable_http", url=url, httpx_client_factory=_client)
    )
    async with create_session(connection) as session:
        await session.initialize()
        listed = (await session.list_tools()).tools
        yield McpSession(session, [_tool(each) for each in listed], readers)


def _tool(described: Any) -> Tool:
    schema = described.inputSchema or {}
    return Tool(
        name=described.name,
        reads=described.annotations is not None and described.annotations.readOnlyHint is True,
        required=tuple(schema.get("required") or ()),
    )


def _client(
    headers: dict[str, str] | None = None, timeout: httpx.Timeout | None = None, auth: httpx.Auth | None = None
) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        headers=headers, timeout=timeout or httpx.Timeout(CALL_SECONDS), auth=auth, follow_redirects=False,
        transport=_Bounded(httpx.AsyncHTTPTransport()),
    )  # fmt: skip


class _Bounded(httpx.AsyncBaseTransport):
    """Counts what comes in, and reads no more once it is too much."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self._left = MAX_BYTES

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        return httpx.Response(
            response.status_code, headers=response.headers, extensions=response.extensions,
            stream=_Counted(response.stream, self._take),
        )  # fmt: skip

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise httpx.ReadError(f"the server said more than {MAX_BYTES} bytes")


class _Counted(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, take: Any) -> None:
        self._inner = inner
        self._take = take

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._take(len(chunk))
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()

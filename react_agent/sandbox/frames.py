"""Frames between us and a worker: four bytes of length, big-endian, then a JSON object in UTF-8."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol

LARGEST = 64 * 1024 * 1024
_BLOCKING = 256 * 1024
"""From this size on JSON is read and written off the loop."""


class Incoming(Protocol):
    """Where frames come from: a pipe's `asyncio.StreamReader`, or what stands in for one elsewhere."""

    async def readexactly(self, n: int, /) -> bytes:
        """Give the next `n` bytes; raises asyncio.IncompleteReadError where there are no more."""
        ...

    def at_eof(self) -> bool:
        """Tell whether nothing more will come."""
        ...


class Outgoing(Protocol):
    """Where frames go: a pipe's `asyncio.StreamWriter`, or what stands in for one elsewhere."""

    def write(self, data: bytes, /) -> None:
        """Take bytes in."""
        ...

    async def drain(self) -> None:
        """Wait until what was taken in is on its way."""
        ...


class BadFrame(ValueError):
    """What came is no frame; the message says why."""


def encode(message: Mapping[str, Any]) -> bytes:
    """Write a message as a frame.

    Raises:
        BadFrame: it is larger than a frame may be.
    """
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    if len(body) > LARGEST:
        raise BadFrame(f"a message of {len(body)} bytes; a frame holds at most {LARGEST}")
    return len(body).to_bytes(4, "big") + body


def decode(body: bytes) -> dict[str, Any]:
    """Read the body of a frame.

    Raises:
        BadFrame: it is no JSON object.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a frame that is no JSON ({error})") from None
    if not isinstance(message, dict):
        raise BadFrame(f"a frame that is no JSON object but {type(message).__name__}")
    return message


async def read_frame(reader: Incoming) -> dict[str, Any]:
    """Read the next message.

    Raises:
        BadFrame: what came is no frame.
        EOFError: the other side closed its end (asyncio.IncompleteReadError is one).
    """
    size = int.from_bytes(await reader.readexactly(4), "big")
    if size > LARGEST:
        raise BadFrame(f"a frame of {size} bytes; the largest has {LARGEST}")
    body = await reader.readexactly(size)
    return await asyncio.to_thread(decode, body) if size > _BLOCKING else decode(body)


async def write_frame(writer: Outgoing, message: Mapping[str, Any]) -> None:
    """Write a message, and wait until the pipe has room again.

    Raises:
        BadFrame: the message is larger than a frame may be.
        ConnectionError: nobody reads any more.
    """
    # Nobody can tell the size of a message without writing it, so all are written off the loop.
    writer.write(await asyncio.to_thread(encode, message))
    await writer.drain()

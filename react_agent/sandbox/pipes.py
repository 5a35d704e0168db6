"""Pipes between the event loop and programs."""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

_CAPACITY = 60_000
"""What a pipe surely takes without a reader (Linux: 64 KiB)."""


def pipe_holding(data: bytes) -> int:
    """Make a descriptor from which a program will read this.

    Raises:
        ValueError: there is more than a pipe holds.
    """
    if len(data) > _CAPACITY:
        raise ValueError(f"{len(data)} bytes do not fit into a pipe; at most {_CAPACITY} do")
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
    finally:
        os.close(writing)
    return reading


def close_all(descriptors: Iterable[int]) -> None:
    """Close our copies of descriptors."""
    for descriptor in descriptors:
        os.close(descriptor)


@asynccontextmanager
async def read_pipe(descriptor: int) -> AsyncGenerator[asyncio.StreamReader]:
    """Read a pipe's end without blocking the loop; it is closed afterwards."""
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    file = os.fdopen(descriptor, "rb", buffering=0)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: protocol, file)
    try:
        yield reader
    finally:
        transport.close()


@asynccontextmanager
async def write_pipe(descriptor: int) -> AsyncGenerator[asyncio.StreamWriter]:
    """Write into a pipe's end without blocking the loop; it is closed afterwards."""
    protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    file = os.fdopen(descriptor, "wb", buffering=0)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_write_pipe(lambda: protocol, file)
    try:
        yield asyncio.StreamWriter(transport, protocol, None, loop)
    finally:
        if not transport.is_closing():
            transport.abort()

"""Carry JSON-RPC frames over two file descriptors, one JSON object a line.

The SDK's own stdio transport ends the process at a line that is no object, leaves broken JSON unanswered, lets `_meta`
keys replace parameters and overlooks text ids. This one answers or repairs all of these before the SDK sees a frame.
"""

import asyncio
import contextlib
import json
import logging
import math
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

log = logging.getLogger(__name__)

Frame = dict[str, Any]
RequestId = int | str | None

LARGEST_FRAME = 32 * 1024 * 1024
READ_SIZE = 256 * 1024
LONGEST_FLUSH = 1.0
LARGEST_BACKLOG = 64 * 1024 * 1024
"""Bytes that may wait for an editor that does not read; then the sender waits too."""
CANCEL_REQUEST = "$/cancel_request"

request_id: ContextVar[RequestId] = ContextVar("request_id", default=None)
"""The id of the request that the current task answers; set when its frame was received."""


def claim_stdout() -> int:
    """Take stdout for the wire and point descriptor 1 at stderr, for C code and children too."""
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    return wire


class LineSplitter:
    """Cut a byte stream into lines; a line over the limit is dropped while it arrives."""

    def __init__(self, limit: int = LARGEST_FRAME) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Give each line that is complete now, None for one that was too long."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._keep(end)
            yield None if self._size > self._limit else b"".join(self._parts)
            self._parts, self._size = [], 0
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._parts = []
        elif part:
            self._parts.append(part)


def error_frame(code: int, message: str, details: str, answered: RequestId = None) -> Frame:
    """Answer a frame that never reaches a method."""
    error = {"code": code, "message": message, "data": {"details": details}}
    return {"jsonrpc": "2.0", "id": answered, "error": error}


def read_frame(line: bytes) -> tuple[Frame | None, Frame | None]:
    """Turn a line into a frame for the router, or into the answer that refuses it."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return None, error_frame(-32700, "Parse error", "The line is not one JSON value in UTF-8.")
    if not isinstance(frame, dict):
        return None, error_frame(-32600, "Invalid request", "A frame must be one JSON object.")
    return checked_frame(frame)


def checked_frame(frame: Frame) -> tuple[Frame | None, Frame | None]:
    """Refuse what is neither a request, a notification nor a response; normalise the rest."""
    answered = frame.get("id")
    if isinstance(answered, bool) or not isinstance(answered, int | str | None):
        return None, error_frame(-32600, "Invalid request", "`id` must be a number, a string or null.")
    if "method" not in frame:
        if "id" in frame and ("result" in frame or "error" in frame):
            return normalised_response(frame), None
        refused = "A frame needs a `method`, or an `id` with a `result` or an `error`."
        return None, error_frame(-32600, "Invalid request", refused, answered)
    if not isinstance(frame["method"], str):
        return None, error_frame(-32600, "Invalid request", "`method` must be a string.", answered)
    if not isinstance(frame.get("params", {}), dict | None):
        if "id" not in frame:
            return None, None
        return None, error_frame(-32602, "Invalid params", "`params` must be an object.", answered)
    return boxed_meta(frame), None


def normalised_response(frame: Frame) -> Frame:
    """Give a response the number we asked under; some clients send it back as text."""
    answered = frame["id"]
    if isinstance(answered, str) and answered.isascii() and answered.isdecimal():
        frame = {**frame, "id": int(answered)}
    if "error" in frame and not isinstance(frame["error"], dict):
        frame = {**frame, "error": {"code": -32603, "message": "Malformed error"}}
    return frame


def boxed_meta(frame: Frame) -> Frame:
    """Put `_meta` under one key; the SDK spreads its keys over the method's parameters."""
    params = frame.get("params") or {}
    boxed = {"meta": params["_meta"]} if "_meta" in params else {}
    if frame.get("method") == "initialize":  # the SDK's models drop what is newer than they are
        boxed["capabilities_as_sent"] = params.get("clientCapabilities")
    return {**frame, "params": {**params, "_meta": boxed} if boxed else params}


def encoded(frame: Frame) -> bytes:
    """Write a frame that every parser reads: no NaN, no lone surrogate, no raw newline."""
    try:
        text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        finite = _finite(frame)
        text = json.dumps(finite, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


class DescriptorTransport:
    """The SDK's transport over a readable and a writable descriptor.

    A thread for each direction: descriptors of an editor may be pipes, sockets, terminals or files, and neither a slow
    reader nor a full pipe may hold the event loop.
    """

    def __init__(
        self,
        reader: int,
        writer: int,
        *,
        on_cancel_request: Callable[[RequestId], None] | None = None,
        largest_frame: int = LARGEST_FRAME,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._on_cancel_request = on_cancel_request
        self._largest_frame = largest_frame
        self._loop = asyncio.get_running_loop()
        self._incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._lines = self._split()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._backlog = 0
        self._broken = False
        self._room = asyncio.Event()
        self._write_thread = threading.Thread(target=self._write, name="acp-write", daemon=True)
        self._write_thread.start()
        threading.Thread(target=self._read, name="acp-read", daemon=True).start()

    async def send(self, message: Frame) -> None:
        """Queue a frame; the order of calls is the order on the wire."""
        if self._broken:
            return
        data = encoded(message)
        self._backlog += len(data)
        self._outgoing.put(data)
        if self._backlog > LARGEST_BACKLOG:
            self._room.clear()
            await self._room.wait()

    async def receive(self) -> Frame | None:
        """Give the next frame for the router; None when the editor closed its end."""
        async for line in self._lines:
            if line is None:
                refused = f"A frame may have at most {self._largest_frame} bytes."
                await self.send(error_frame(-32600, "Invalid request", refused))
                continue
            if not line.strip():
                continue
            frame, answer = read_frame(line)
            if answer is not None:
                await self.send(answer)
            if frame is not None and not self._is_cancel_request(frame):
                request_id.set(frame.get("id") if "method" in frame else None)
                return frame
        return None

    async def close(self) -> None:
        """Write what is queued, but never wait long for an editor that reads no more."""
        self._outgoing.put(None)
        await asyncio.to_thread(self._write_thread.join, LONGEST_FLUSH)

    def _is_cancel_request(self, frame: Frame) -> bool:
        if frame.get("method") != CANCEL_REQUEST:
            return False
        if self._on_cancel_request is not None:
            # After the frames before it: the request it withdraws may not have started yet.
            self._loop.call_soon(self._on_cancel_request, frame["params"].get("requestId"))
        return True

    async def _split(self) -> Any:
        splitter = LineSplitter(self._largest_frame)
        while (data := await self._incoming.get()) is not None:
            for line in splitter.feed(data):
                yield line
        for line in splitter.feed(b"\n"):
            yield line

    def _read(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            while data := os.read(self._reader, READ_SIZE):
                self._loop.call_soon_threadsafe(self._incoming.put_nowait, data)
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._incoming.put_nowait, None)

    def _write(self) -> None:
        while data := self._waiting():
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._writer, view) :]
            except OSError:
                log.debug("the editor closed its end of the wire")
                self._broken = True
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._written, len(data))
            if self._broken:
                return

    def _waiting(self) -> bytes:
        """Take all that waits, as one piece: a call and a wake-up for each token would cost more than the token."""
        first = self._outgoing.get()
        parts = [] if first is None else [first]
        while parts and not self._outgoing.empty():
            more = self._outgoing.get()
            if more is None:
                self._outgoing.put(None)
                break
            parts.append(more)
        return b"".join(parts)

    def _written(self, size: int) -> None:
        self._backlog -= size
        if self._broken or self._backlog <= LARGEST_BACKLOG:
            self._room.set()

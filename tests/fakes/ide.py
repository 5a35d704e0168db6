"""An editor: an ACP client over real pipes that judges every frame by the protocol's schema."""

import asyncio
import contextlib
import json
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.fakes.terminals import Terminals
from tests.fakes.transcript import Transcript
from tests.fakes.wire_schema import faults_of_answer, faults_of_call
from uom_acp.connection import serve_connection

Frame = dict[str, Any]
Answer = Callable[[Frame], Awaitable[Any] | Any]

ALL_OFFERS = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
PATIENCE = 20


class AgentError(Exception):
    """The agent answered a request with an error."""

    def __init__(self, error: Frame) -> None:
        super().__init__(f"{error['code']} {error['message']} {error.get('data')}")
        self.code, self.data = error["code"], error.get("data")


class FakeIde:
    """One connected editor; `answers(...)` queues what the person chooses."""

    def __init__(self, reader: asyncio.StreamReader, writer: int) -> None:
        self._reader, self._writer = reader, writer
        self._pending: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._next = 100
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self.transcript = Transcript()
        self.faults: list[str] = []
        self.unstable: set[str] = set()
        self.unread: list[Frame] = []
        self.choices: deque[str | Answer] = deque()
        self.terminals = Terminals()
        self.forms: deque[Frame | Callable[[Frame], Frame]] = deque()
        self.asked_in: list[float] = []
        self.withdrawn: list[Any] = []
        self.buffers: dict[str, str] = {}
        self.saves: Callable[[Path, str], None] = _save
        self.holds_files = asyncio.Event()
        self.holds_files.set()
        self.eof = asyncio.Event()
        self.session = ""
        self.private: set[str] = set()
        """Files that this editor lets no agent read."""
        self._listening = asyncio.create_task(self._listen())

    def answers(self, *choices: str | Answer) -> None:
        """Queue answers to permission questions: an option's kind, `cancelled`, `never`, or a function."""
        self.choices.extend(choices)

    async def request(self, method: str, params: Frame, *, request_id: Any = None, judged: bool = True) -> Any:
        """Call the agent; a method that is not stable yet is in no schema to be judged by."""
        if not judged:
            self.unstable.add(method)
        return await self.begin(method, params, request_id=request_id)

    def begin(self, method: str, params: Frame, *, request_id: Any = None) -> asyncio.Future[Any]:
        """Call the agent now; the answer comes later."""
        if request_id is None:
            self._next += 1
            request_id = self._next
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[request_id] = (method, future)
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return future

    def notify(self, method: str, params: Frame) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, frame: Frame) -> None:
        self.transcript.sent(frame)
        self.send_line(json.dumps(frame).encode())

    def send_line(self, line: bytes) -> None:
        self.send_bytes(line + b"\n")

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._writer, view) :]

    async def initialize(self, **capabilities: Any) -> Frame:
        return await self.request(
            "initialize",
            {"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": {"name": "fake", "version": "1"}},
        )

    async def new_session(self, cwd: Path, **more: Any) -> Frame:
        result = await self.request("session/new", {"cwd": str(cwd), "mcpServers": [], **more})
        self.session = result["sessionId"]
        return result

    def prompting(self, text: str, **more: Any) -> asyncio.Future[Any]:
        block = {"type": "text", "text": text}
        return self.begin("session/prompt", {"sessionId": self.session, "prompt": [block], **more})

    async def prompt(self, text: str) -> str:
        async with asyncio.timeout(PATIENCE):
            return (await self.prompting(text))["stopReason"]

    async def set_mode(self, mode: str) -> None:
        await self.request("session/set_mode", {"sessionId": self.session, "modeId": mode})

    def cancel(self) -> None:
        self.notify("session/cancel", {"sessionId": self.session})

    async def until(self, seen: Callable[[Transcript], Any]) -> Any:
        """Wait until the transcript shows something."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: seen(self.transcript))
            return seen(self.transcript)

    async def close(self) -> None:
        """Close both ends; fail on any frame the schema refused."""
        await self.terminals.close()
        self.hang_up()
        for task in (self._listening, *self._tasks):
            task.cancel()
        await asyncio.wait({self._listening, *self._tasks})
        assert self.faults == []

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._writer)
        self._writer = -1

    async def _listen(self) -> None:
        while line := await self._reader.readline():
            frame = json.loads(line)
            self.transcript.received(frame)
            self._receive(frame)
            async with self._changed:
                self._changed.notify_all()
        self.eof.set()
        for _, future in self._pending.values():
            future.cancel()

    def _receive(self, frame: Frame) -> None:
        if "method" not in frame:
            self._answered(frame)
            return
        self.faults += faults_of_call(frame) if frame["method"] != "$/cancel_request" else []
        if "id" in frame:
            task = asyncio.create_task(self._serve(frame))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif frame["method"] == "$/cancel_request":
            self.withdrawn.append(frame["params"]["requestId"])

    def _answered(self, frame: Frame) -> None:
        method, future = self._pending.pop(frame["id"], (None, None))
        if method is None or future is None:
            self.unread.append(frame)
            return
        self.faults += faults_of_answer(method, frame) if method not in self.unstable else []
        if future.done():
            return
        if "error" in frame:
            future.set_exception(AgentError(frame["error"]))
        else:
            future.set_result(frame["result"])

    async def _serve(self, frame: Frame) -> None:
        try:
            result = await self._result(frame["method"], frame["params"])
        except FileNotFoundError:
            error = {"code": -32002, "message": "Resource not found"}
            self.send({"jsonrpc": "2.0", "id": frame["id"], "error": error})
            return
        except PermissionError:
            error = {"code": -32603, "message": "Internal error"}
            self.send({"jsonrpc": "2.0", "id": frame["id"], "error": error})
            return
        self.send({"jsonrpc": "2.0", "id": frame["id"], "result": result})

    async def _result(self, method: str, params: Frame) -> Any:
        match method:
            case "session/request_permission":
                return await self._chosen(params)
            case "elicitation/create":
                return await self._filled(params)
            case (
                "terminal/create" | "terminal/wait_for_exit" | "terminal/output" | "terminal/kill" | "terminal/release"
            ):
                return await self.terminals.answer(method.removeprefix("terminal/"), params)
            case "fs/read_text_file":
                await self.holds_files.wait()
                return {"content": self._read(params["path"])}
            case "fs/write_text_file":
                await self.holds_files.wait()
                self.buffers.pop(params["path"], None)
                self.saves(Path(params["path"]), params["content"])
                return {}
        raise AssertionError(f"the agent called {method}, which this editor does not offer")

    async def _chosen(self, params: Frame) -> Frame:
        choice = self.choices.popleft() if self.choices else "cancelled"
        if callable(choice):
            made = choice(params)
            choice = await made if isinstance(made, Awaitable) else made
        if isinstance(choice, dict):
            return choice
        if choice == "never":
            await asyncio.Event().wait()
        if choice == "cancelled":
            return {"outcome": {"outcome": "cancelled"}}
        chosen = next(option for option in params["options"] if option["kind"] == choice)
        return {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}

    async def _filled(self, params: Frame) -> Frame:
        filled = self.forms.popleft()
        return filled(params) if callable(filled) else filled

    def _read(self, path: str) -> str:
        if path in self.private:
            raise PermissionError(path)
        if path in self.buffers:
            return self.buffers[path]
        # As editors do: line ends become line feeds in the buffer.
        return Path(path).read_bytes().decode().replace("\r\n", "\n")


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@contextlib.asynccontextmanager
async def connected(server: Any) -> AsyncIterator[FakeIde]:
    """Serve an agent server to a new editor over two pipes, in this process."""
    to_agent, from_ide = os.pipe()
    to_ide, from_agent = os.pipe()
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(to_ide, "rb", 0)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    ide = FakeIde(reader, from_ide)
    serving = asyncio.create_task(serve_connection(server, to_agent, from_agent))
    try:
        yield ide
    finally:
        ide.hang_up()
        async with asyncio.timeout(5):
            await serving
            await server.close()
        os.close(from_agent)
        os.close(to_agent)
        await ide.close()
        transport.close()

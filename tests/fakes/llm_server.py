"""An OpenAI-compatible HTTP server on the loopback that follows a script.

The real client, its streaming parser and its retries run against it; only the model is missing.
``chunking`` is a parameter, so that one story runs with the answer whole, per token, per character
and with every byte in a network write of its own.
"""

import json
import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from tests.fakes.llm_script import Call, Say, Step, Think

Chunking = Literal["whole", "token", "char", "byte"]


class FakeLlm:
    """A scripted model behind ``url``; ``close()`` fails on faults and on steps nobody asked for."""

    def __init__(
        self, *, chunking: Chunking = "token", models: tuple[str | dict[str, Any], ...] = ("einfra/kimi-k2.6",)
    ) -> None:
        self.chunking: Chunking = chunking
        self.models = models
        self.steps: list[Step] = []
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.faults: list[str] = []
        self.model_status = 200
        self._taken = 0
        self._lock = threading.Condition()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Served", (Endpoint,), {"llm": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def expect(
        self,
        user: str | None = None,
        *,
        tool_result: str | None = None,
        system: str | None = None,
        tools: tuple[str, ...] = (),
    ) -> Step:
        """Add the next step: the texts the request must hold; the reply is chained on the result."""
        step = Step(user=user, tool_result=tool_result, system=system, tools=tools)
        self.steps.append(step)
        return step

    def say(self, text: str) -> Step:
        return self.expect().say(text)

    def call(self, tool: str, /, **arguments: Any) -> Step:
        return self.expect().call(tool, **arguments)

    def fail(self, status: int, message: str = "scripted failure", **headers: str) -> Step:
        """Answer the next request with an HTTP error."""
        step = self.expect()
        step.status, step.message, step.headers = status, message, headers
        return step

    def drop(self, *, after: int = 0) -> Step:
        """Cut the connection of the next request."""
        return self.expect().say("never fully sent, the connection is cut").drop(after=after)

    def wait_for_requests(self, count: int, timeout: float = 20) -> None:
        """Block until that many requests came; for ``asyncio.to_thread``."""
        with self._lock:
            assert self._lock.wait_for(lambda: len(self.requests) >= count, timeout)

    def take(self, request: dict[str, Any], authorization: str | None) -> Step:
        """Return the step for a request; a request that does not fit becomes a 417 step."""
        with self._lock:
            self.requests.append(request)
            self.authorizations.append(authorization)
            self._lock.notify_all()
            if self._taken >= len(self.steps):
                return self._fault(f"request {len(self.requests)} has no step left in the script")
            step = self.steps[self._taken]
            self._taken += 1
            fault = step.fault(request)
            return self._fault(f"step {self._taken}: {fault}") if fault else step

    def _fault(self, message: str) -> Step:
        self.faults.append(message)
        return Step(status=417, message=message)

    def close(self, *, check: bool = True) -> None:
        """Stop serving; raise when the conversation was not the scripted one."""
        self._closing.set()
        for step in self.steps:
            step.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
        if check:
            assert not self.faults, "\n".join(self.faults)
            unused = len(self.steps) - self._taken
            assert unused == 0, f"{unused} scripted step(s) were never asked for"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(check=kind is None)


class Endpoint(BaseHTTPRequestHandler):
    """One connection of the client; a subclass names the script it serves."""

    protocol_version = "HTTP/1.1"
    llm: FakeLlm

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it
        pass

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            listed = [m if isinstance(m, dict) else {"id": m} for m in self.llm.models]
            data = [{"object": "model", "owned_by": "script", "created": 0, **m} for m in listed]
            self._json(self.llm.model_status, {"object": "list", "data": data})
        else:
            self._json(404, {"error": {"message": f"no route {self.path}"}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        request = json.loads(body)
        step = self.llm.take(request, self.headers.get("Authorization"))
        try:
            self._answer(step, request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self, step: Step, request: dict[str, Any]) -> None:
        if step.drop_after == 0:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif step.status != 200:
            error = {"message": step.message, "type": "scripted", "code": step.status}
            self._json(step.status, {"error": error}, step.headers)
        elif request.get("stream"):
            self._stream(step, request)
        else:
            if step.held:
                step.gate.wait(60)
            self._json(200, completion(step, request.get("model", "")))

    def _json(self, status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in (headers or {}).items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, step: Step, request: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for count, chunk in enumerate(chunks(step, request, self.llm.chunking), start=1):
            self._write(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode())
            if step.held and count == 1:
                step.gate.wait(60)
            if step.drop_after is not None and count >= step.drop_after:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        pieces = [data[i : i + 1] for i in range(len(data))] if self.llm.chunking == "byte" else [data]
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()


def pieces(text: str, chunking: Chunking) -> list[str]:
    """Split a text the way the chunking says; joined again it is the same text."""
    if chunking == "whole" or not text:
        return [text]
    if chunking == "token":
        return re.findall(r"\S+\s*|\s+", text)
    return list(text)


def call_id(call: Call, place: int, request: dict[str, Any]) -> str:
    """Return an id no other call of the conversation has."""
    return call.id or f"call_{len(request.get('messages', []))}_{place}"


def chunks(step: Step, request: dict[str, Any], chunking: Chunking) -> Iterator[dict[str, Any]]:
    """Yield the streamed chunks of a step's answer."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "chatcmpl-script",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": request.get("model", ""),
            "choices": [choice],
        }

    yield chunk({"role": "assistant", "content": ""})
    place = 0
    for part in step.parts:
        match part:
            case Say(text=text):
                yield from (chunk({"content": p}) for p in pieces(text, chunking))
            case Think(text=text):
                yield from (chunk({"reasoning_content": p}) for p in pieces(text, chunking))
            case Call(name=name, arguments=arguments):
                head = {
                    "index": place,
                    "id": call_id(part, place, request),
                    "type": "function",
                    "function": {"name": name, "arguments": ""},
                }
                yield chunk({"tool_calls": [head]})
                for piece in pieces(arguments, chunking):
                    yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
                place += 1
    yield chunk({}, finish(step))
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**chunk({}), "choices": [], "usage": usage(step)}


def finish(step: Step) -> str:
    """Return the finish reason of a step's answer."""
    called = any(isinstance(p, Call) for p in step.parts)
    return step.finish_reason or ("tool_calls" if called else "stop")


def usage(step: Step) -> dict[str, int]:
    """Return a token count that follows the answer's size."""
    out = max(1, sum(len(getattr(p, "text", getattr(p, "arguments", ""))) for p in step.parts) // 4)
    return {"prompt_tokens": 10, "completion_tokens": out, "total_tokens": 10 + out}


def completion(step: Step, model: str) -> dict[str, Any]:
    """Return a step's answer as one response that is not streamed."""
    calls = [
        {
            "id": p.id or f"call_{place}",
            "type": "function",
            "function": {"name": p.name, "arguments": p.arguments},
        }
        for place, p in enumerate(p for p in step.parts if isinstance(p, Call))
    ]
    text = "".join(p.text for p in step.parts if isinstance(p, Say)) or None
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": finish(step)}
    return {
        "id": "chatcmpl-script",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage(step),
    }

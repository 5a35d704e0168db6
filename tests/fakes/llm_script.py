"""The script a scripted model follows: one step a request, each an expectation and a reply.

A script reads like the conversation: ``expect("rename it").call("write_file", ...)`` answers the
request whose last user message holds "rename it" with one tool call. Steps are used in order; a
request that does not fit its step is a fault the server answers with, and the test fails on.
"""

import json
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: str
    id: str | None = None


@dataclass(slots=True)
class Step:
    """One request's expectation and what the model answers."""

    user: str | None = None
    tool_result: str | None = None
    system: str | None = None
    tools: tuple[str, ...] = ()
    parts: list[Say | Think | Call] = field(default_factory=list)
    status: int = 200
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    drop_after: int | None = None
    gate: threading.Event = field(default_factory=threading.Event)
    held: bool = False
    finish_reason: str | None = None

    def say(self, text: str) -> "Step":
        """Answer with text."""
        self.parts.append(Say(text))
        return self

    def think(self, text: str) -> "Step":
        """Stream reasoning (``reasoning_content``) before what follows."""
        self.parts.append(Think(text))
        return self

    def call(self, tool: str, /, *, call_id: str | None = None, **arguments: Any) -> "Step":
        """Call a tool; several calls in one step are one message with parallel calls."""
        self.parts.append(Call(tool, json.dumps(arguments, ensure_ascii=False), call_id))
        return self

    def call_raw(self, tool: str, arguments: str, *, call_id: str | None = None) -> "Step":
        """Call a tool with argument text exactly as given, broken JSON included."""
        self.parts.append(Call(tool, arguments, call_id))
        return self

    def stop(self, reason: str) -> "Step":
        """End with this ``finish_reason`` (``length``, ``content_filter``) instead of the natural one."""
        self.finish_reason = reason
        return self

    def hold(self) -> "Step":
        """Send the first chunk, then wait until ``gate`` is set or the server closes."""
        self.held = True
        return self

    def drop(self, *, after: int = 0) -> "Step":
        """Cut the connection after that many chunks; 0 cuts before any byte of the answer."""
        self.drop_after = after
        return self

    def fault(self, request: dict[str, Any]) -> str | None:
        """Say how a request differs from what this step expects; None when it fits."""
        found = {
            "user": (self.user, last_user_text(request)),
            "tool_result": (self.tool_result, trailing_tool_text(request)),
            "system": (self.system, text_of_role(request, "system")),
        }
        faults = [
            f"expected {what} to hold {wanted!r}, got {got[-600:]!r}"
            for what, (wanted, got) in found.items()
            if wanted is not None and wanted not in got
        ]
        offered = tool_names(request)
        faults += [f"expected tool {t!r} offered, got {offered}" for t in self.tools if t not in offered]
        return "; ".join(faults) or None


def text(content: Any) -> str:
    """Join the text of a message content, a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [] if isinstance(block, dict))


def last_user_text(request: dict[str, Any]) -> str:
    """Return the text of the last user message."""
    users = [m for m in request.get("messages", []) if m.get("role") == "user"]
    return text(users[-1].get("content")) if users else ""


def trailing_tool_text(request: dict[str, Any]) -> str:
    """Return the text of the tool results that end the conversation."""
    found: list[str] = []
    for message in reversed(request.get("messages", [])):
        if message.get("role") != "tool":
            break
        found.append(text(message.get("content")))
    return "\n".join(reversed(found))


def text_of_role(request: dict[str, Any], role: str) -> str:
    """Return the text of every message of a role."""
    return "\n".join(text(m.get("content")) for m in request.get("messages", []) if m.get("role") == role)


def tool_names(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools a request offers."""
    return [t["function"]["name"] for t in request.get("tools", [])]

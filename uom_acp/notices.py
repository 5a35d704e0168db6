"""What is said to a person beside the conversation: a notice where the editor shows them, else a quoted line. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Literal

Severity = Literal["info", "warning", "error"]
Update = dict[str, Any]
FIRST_SENTENCE = re.compile(r"(.+?[.!?])\s+(\S.*)", re.DOTALL)


def notice(text: str, severity: Severity = "info") -> Update:
    """Say something: its first sentence stands alone, the rest explains."""
    line = " ".join(text.split())
    parts = FIRST_SENTENCE.fullmatch(line)
    title, rest = parts.groups() if parts else (line, "")
    return {"sessionUpdate": "notice", "severity": severity, "title": title, **({"description": rest} if rest else {})}


def reported(event: Mapping[str, Any]) -> Update:
    """Say what the translator noticed."""
    severity = event.get("level")
    return notice(str(event.get("message", "")), severity if severity in {"info", "warning", "error"} else "info")


def as_message(said: Mapping[str, Any]) -> Update:
    """Write a notice into the conversation, apart from what the model says."""
    label = "" if said["severity"] == "info" else f"**{said['severity'].capitalize()}:** "
    text = " ".join(part for part in (said["title"], said.get("description")) if part)
    content = {"type": "text", "text": f"> {label}{text}\n\n"}
    return {"sessionUpdate": "agent_message_chunk", "content": content}

"""Both directions of the wire, with stable names for what differs from run to run."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

Frame = dict[str, Any]


@dataclass(slots=True)
class Transcript:
    """Frames in the order they passed, `>` to the agent and `<` from it."""

    frames: list[tuple[str, Frame]] = field(default_factory=list)

    def sent(self, frame: Frame) -> None:
        self.frames.append((">", frame))

    def received(self, frame: Frame) -> None:
        self.frames.append(("<", frame))

    def updates(self, kind: str | None = None) -> list[Frame]:
        """The session updates from the agent, of one kind or all."""
        found = [
            f["params"]["update"] for side, f in self.frames if side == "<" and f.get("method") == "session/update"
        ]
        return [update for update in found if kind in {None, update["sessionUpdate"]}]

    def asked(self, method: str) -> list[Frame]:
        """The agent's calls of a method, their parameters."""
        return [f["params"] for side, f in self.frames if side == "<" and f.get("method") == method]

    def text(self) -> str:
        """Everything the agent said as itself."""
        chunks = self.updates("agent_message_chunk")
        return "".join(chunk["content"].get("text", "") for chunk in chunks)

    def cards(self) -> dict[str, list[Frame]]:
        """The updates of each tool card, by its id."""
        found: dict[str, list[Frame]] = {}
        for update in self.updates():
            if "toolCallId" in update:
                found.setdefault(update["toolCallId"], []).append(update)
        return found

    def statuses(self, call_id: str) -> list[str]:
        """The statuses a card went through, repetitions left out."""
        told = [update["status"] for update in self.cards()[call_id] if "status" in update]
        return [status for n, status in enumerate(told) if n == 0 or told[n - 1] != status]

    def outline(self, *hidden: str) -> list[str]:
        """One line a frame: direction, method or answer, what matters; ids and `hidden` texts replaced."""
        names: dict[str, str] = {}
        return [f"{side} {_stable(_outlined(frame), names, hidden)}" for side, frame in self.frames]


def _outlined(frame: Frame) -> str:
    if "error" in frame:
        return f"error {frame['error']['code']}"
    if "result" in frame:
        return f"result {json.dumps(frame['result'], sort_keys=True)}"
    return f"{frame['method']} {json.dumps(frame.get('params'), sort_keys=True)}"


def _stable(line: str, names: dict[str, str], hidden: tuple[str, ...]) -> str:
    for text in hidden:
        line = line.replace(text, "…")
    return re.sub(r"uom-[0-9a-f]{32}", lambda found: names.setdefault(found[0], f"session-{len(names) + 1}"), line)

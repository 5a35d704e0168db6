"""What an agent is built for."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class ApprovalMode(StrEnum):
    """How much an agent may do without asking."""

    ASK_BEFORE_EDITS = "ask_before_edits"
    ACCEPT_EDITS = "accept_edits"
    ACCEPT_EVERYTHING = "accept_everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSessionContext:
    """One session's folder, mode and model, as they were when the agent was built."""

    cwd: Path
    """The workspace folder, absolute."""
    mode: str
    """Id of the mode the session started in; the gate asks for the present one at each call."""
    model: str
    """Wire name of the chat model."""

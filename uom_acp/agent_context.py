"""What an agent is built for, with the session's live ends attached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from uom_acp.editor import Editor
from uom_acp.editor_files import EditorFiles
from uom_acp.editor_shell import EditorShell, Shown
from uom_deep_agent.session_context import AgentSessionContext
from uom_deep_agent.shell import LocalShell, Watcher, WorkspaceShell
from uom_deep_agent.workspace import LocalFiles, WorkspaceFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSessionContext(AgentSessionContext):
    """A session's context as a factory gets it; a factory that needs the values alone ignores the rest."""

    session_id: str
    """The thread that the conversation is checkpointed under."""
    approval: Callable[[], str]
    """The session's mode at the moment of the call; a gate asks it before each tool call."""
    workspace_files: WorkspaceFiles
    """The user's files, through the editor where it offers them."""
    workspace_shell: WorkspaceShell | None = None
    """The editor's terminals, where it offers them."""
    mcp_servers: Sequence[Any] = ()
    """The MCP servers that the editor passed, as the protocol describes them."""
    tell: Callable[[str], None] = lambda _: None
    """Says something in the panel before the agent's next answer."""
    thought_level: str | None = None
    """How much the model should think; None: as it does by itself."""
    steering: Callable[[], Sequence[HumanMessage]] = tuple
    """Gives what the person said while the turn runs, and forgets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What the agent's parts call while they work."""

    tell: Callable[[str], None]
    in_terminal: Shown
    in_output: Watcher
    steering: Callable[[], Sequence[Any]]


def live_context(
    *,
    session_id: str,
    cwd: Path,
    mode: Callable[[], str],
    model: str,
    editor: Editor,
    mcp_servers: Sequence[Any],
    thought_level: str | None,
    hooks: Hooks,
) -> LiveSessionContext:
    """Join a session's values with its live ends."""
    return LiveSessionContext(
        session_id=session_id,
        cwd=cwd,
        mode=mode(),
        model=model,
        approval=mode,
        workspace_files=EditorFiles(editor, session_id, LocalFiles(cwd)),
        workspace_shell=EditorShell(editor, session_id, cwd, hooks.in_terminal)
        if editor.offers.terminals
        else LocalShell(cwd, hooks.in_output),
        mcp_servers=mcp_servers,
        tell=hooks.tell,
        thought_level=thought_level,
        steering=lambda: [HumanMessage(content=said) for said in hooks.steering()],
    )

"""Tell the model about the folder it works in: once at the start, again after a summary.

The script's text goes into the system prompt of every model call. It is made anew only when summarization
has moved its cutoff, because then the prompt's cached beginning is gone anyway.
"""

import asyncio
import logging
import shlex
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import SystemMessage
from langgraph.runtime import Runtime

from uom_deep_agent.shell import LocalShell

SCRIPT = Path(__file__).with_name("detect_context.sh")
TIMEOUT = 5.0
"""Seconds the script may take; each of its searches ends after one."""
LIMIT = 12_000
"""Characters of its text kept for the prompt."""

log = logging.getLogger(__name__)


class LocalContextState(AgentState):
    """What the model was told about the folder."""

    local_context: NotRequired[Annotated[str, PrivateStateAttr]]
    _local_context_refreshed_at_cutoff: NotRequired[Annotated[int, PrivateStateAttr]]


class LocalContextMiddleware(AgentMiddleware[LocalContextState]):
    """Adds what `detect_context.sh` finds to the system prompt."""

    state_schema = LocalContextState

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    async def abefore_model(
        self,
        state: LocalContextState,
        runtime: Runtime[Any],  # noqa: ARG002 LangChain's signature
    ) -> dict[str, Any] | None:
        """Look at the folder when nobody has, or when the conversation's start was summarized away."""
        cutoff = summarized_up_to(state)
        if "local_context" in state and state.get("_local_context_refreshed_at_cutoff") == cutoff:
            return None
        return {
            "local_context": await detect(self._root),
            "_local_context_refreshed_at_cutoff": cutoff,
        }

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Put what was found at the end of the system prompt."""
        found = request.state.get("local_context")
        if not isinstance(found, str) or not found:
            return await handler(request)
        told = f"# The user's workspace when last looked at\n\n{found}"
        before = request.system_message.content_blocks if request.system_message else []
        message = SystemMessage(content_blocks=[*before, {"type": "text", "text": f"\n\n{told}"}])
        return await handler(request.override(system_message=message))


def summarized_up_to(state: LocalContextState) -> int:
    """Return the cutoff of the last summary; 0 before the first."""
    event = dict(state).get("_summarization_event")
    return int(event.get("cutoff_index", 0)) if isinstance(event, dict) else 0


async def detect(root: Path) -> str:
    """Run the script in a folder; a script that fails leaves the prompt without it, and a log line."""
    with tempfile.TemporaryDirectory(prefix="uom-context-") as folder:
        command = f"exec bash {shlex.quote(str(SCRIPT))} {shlex.quote(folder)}"
        try:
            result = await LocalShell(root).run(command, seconds=TIMEOUT)
        except OSError as error:
            log.warning("the workspace %s could not be looked at: %s", root, error)
            return ""
        await asyncio.to_thread(log_errors, Path(folder))
    if result.exit_code:
        log.warning("detect_context.sh ended with %s: %s", result.exit_code, result.output[-500:])
        return ""
    return result.output[:LIMIT]


def log_errors(folder: Path) -> None:
    """Log what the sections of the script said on stderr."""
    for path in sorted(folder.glob("*.errors")):
        if said := path.read_text(errors="replace").strip():
            log.info("detect_context.sh, %s: %s", path.stem, said[:500])

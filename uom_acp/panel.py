"""The agent panel of one session, open for one turn."""

from collections.abc import Iterable, Mapping
from typing import Any

from acp.schema import AgentMessageChunk, TextContentBlock
from pydantic import BaseModel

from uom_acp.editor import Editor

Update = BaseModel | Mapping[str, Any]


def message(text: str, message_id: str | None = None) -> Update:
    """Say something as the agent."""
    return AgentMessageChunk(
        session_update="agent_message_chunk",
        content=TextContentBlock(type="text", text=text),
        message_id=message_id,
    )


class Panel:
    """Where a turn shows what it does; once shut, whatever comes late is dropped."""

    def __init__(self, editor: Editor, session_id: str) -> None:
        self.editor = editor
        self.session_id = session_id
        self.shut = False

    async def show(self, updates: Iterable[Update]) -> None:
        """Send updates in order, until the turn is over."""
        for update in updates:
            if self.shut:
                return
            try:
                await self.editor.update(self.session_id, update)
            except ConnectionError:  # the editor went away; what ends now has nobody to tell
                self.shut = True

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Ask the editor something about this session."""
        return await self.editor.request(method, {"sessionId": self.session_id, **params})

"""The agent panel of one session, open for one turn."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from uom_acp.editor import Editor, as_params
from uom_acp.notices import as_message
from uom_acp.record import Record

Update = BaseModel | Mapping[str, Any]


def message(text: str, message_id: str | None = None, kind: str = "agent_message_chunk") -> Update:
    """Say something as the agent. Written out: a model would be built and taken apart again for each token."""
    said: dict[str, Any] = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return said if message_id is None else {**said, "messageId": message_id}


async def _nothing() -> None:
    await asyncio.sleep(0)


class Panel:
    """Where a turn shows what it does; once shut, whatever comes late is dropped.

    What is shown goes into the session's record; `save` stores it before a person is asked, because they may take long.
    """

    def __init__(
        self,
        editor: Editor,
        session_id: str,
        record: Record | None = None,
        save: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self.editor = editor
        self.session_id = session_id
        self.record = Record() if record is None else record
        self.shut = False
        self._save = save

    async def show(self, updates: Iterable[Update]) -> None:
        """Send updates in order, until the turn is over."""
        for update in updates:
            if self.shut:
                return
            body = as_params(update) if isinstance(update, BaseModel) else dict(update)
            if body["sessionUpdate"] == "notice" and not self.editor.offers.notices:
                body = as_message(body)
            self.record.take(body)
            if body.get("status") == "completed":  # what was shown as done is there after any end of this process
                await self._save()
            try:
                await self.editor.update(self.session_id, body)
            except ConnectionError:  # the editor went away; what ends now has nobody to tell
                self.shut = True

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Ask the editor something about this session."""
        await self._save()
        return await self.editor.request(method, {"sessionId": self.session_id, **params})

"""Talk to the editor: updates, permission requests, its files."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from uom_acp.transport import CANCEL_REQUEST


class Wire(Protocol):
    """The part of the SDK's connection that an editor is reached through."""

    async def send_request(self, method: str, params: Any | None = None) -> Any:
        """Ask and wait for the result."""
        ...

    async def send_notification(self, method: str, params: Any | None = None) -> None:
        """Tell without an answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorOffers:
    """What the editor said in `initialize` that it can do; everything omitted is no."""

    read_files: bool = False
    write_files: bool = False
    terminals: bool = False
    boolean_options: bool = False
    forms: bool = False
    notices: bool = False


def as_params(model: BaseModel) -> dict[str, Any]:
    """Write a schema model as it goes over the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """One connected editor."""

    wire: Wire
    offers: EditorOffers = EditorOffers()

    async def update(self, session_id: str, update: BaseModel | Mapping[str, Any]) -> None:
        """Send one session update."""
        body = as_params(update) if isinstance(update, BaseModel) else dict(update)
        await self.wire.send_notification("session/update", {"sessionId": session_id, "update": body})

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Ask the editor; when the asker is cancelled, the question is withdrawn from the panel."""
        asked = self._next_id()
        try:
            return await self.wire.send_request(method, dict(params))
        except asyncio.CancelledError:
            if asked is not None:
                await self.wire.send_notification(CANCEL_REQUEST, {"requestId": asked})
            raise

    def _next_id(self) -> int | None:
        # The SDK gives its requests consecutive numbers and shows none; without this one the question stays on screen.
        return getattr(self.wire, "_next_request_id", None)

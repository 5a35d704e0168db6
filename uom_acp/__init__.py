"""The editor's door: an ACP agent server and the command line."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uom_acp.server import AgentServerACP

__all__ = ["AgentServerACP"]


def __getattr__(name: str) -> Any:
    """Load the server when it is asked for; no other command waits for the protocol's models."""
    if name in __all__:
        return getattr(importlib.import_module("uom_acp.server"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

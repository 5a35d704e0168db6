"""The editor's door: an ACP agent server and the command line."""

from uom_acp.server import AgentServerACP

__all__ = ["AgentServerACP"]

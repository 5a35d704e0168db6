"""The conversational agent: model, files, shell, translator, approvals; knows neither editors nor ACP."""

from uom_deep_agent.approval import ApprovalMode
from uom_deep_agent.session_context import AgentSessionContext
from uom_deep_agent.uom_agent import build_deep_agent

__all__ = ["AgentSessionContext", "ApprovalMode", "build_deep_agent"]

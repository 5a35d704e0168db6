"""The conversational agent: model, files, shell, translator, approvals; knows neither editors nor ACP.

`build_deep_agent` is imported when it is first asked for: it brings LangGraph and DeepAgents with it, and a
server answers its first request before that.
"""

from typing import TYPE_CHECKING, Any

from uom_deep_agent.session_context import AgentSessionContext, ApprovalMode

if TYPE_CHECKING:
    from uom_deep_agent.uom_agent import build_deep_agent

__all__ = ["AgentSessionContext", "ApprovalMode", "build_deep_agent"]


def __getattr__(name: str) -> Any:
    if name != "build_deep_agent":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from uom_deep_agent.uom_agent import build_deep_agent  # noqa: PLC0415 heavy, see above

    return build_deep_agent

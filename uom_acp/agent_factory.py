"""Build a session's agent: model, translator, sandboxes, memory. Imports LangGraph and everything behind it."""

import asyncio
import logging
from typing import Any, cast

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from react_agent.context import Context
from react_agent.graph import graph
from react_agent.models import load_chat_model
from react_agent.sandbox.protocol import Sandbox, SandboxError, SandboxType, ToolchainMissing
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.workbench import sandbox_of
from uom_acp.agent_context import LiveSessionContext
from uom_acp.mcp_servers import connect
from uom_deep_agent.approval import ApprovalMode
from uom_deep_agent.uom_agent import build_deep_agent

log = logging.getLogger(__name__)

CHECKPOINTS = InMemorySaver()
"""The conversations of this process."""
MEMORIES = InMemoryStore()
"""What agents keep under `/memories/`, for all sessions of this process."""


async def build_agent(context: LiveSessionContext) -> Any:
    """Build the agent of one session; sandboxes that are not ready yet are joined when they are used."""
    tools, faults = await connect(context.mcp_servers, context.cwd)
    for fault in faults:
        context.tell(fault)
    return build_deep_agent(
        model=await load_chat_model(context.model, Context(model=context.model)),
        translator=cast(Any, graph),
        context=context,
        approval=lambda: ApprovalMode(context.approval()),
        dotnet_sandbox=_ready(SandboxType.DOTNET_10_SANDBOX),
        java_sandbox=_ready(SandboxType.JAVA_25_SANDBOX),
        checkpointer=CHECKPOINTS,
        store=MEMORIES,
        workspace_files=context.workspace_files,
        tools=tools,
    )


_sandboxes: dict[SandboxType, Sandbox] = {}


def _ready(kind: SandboxType) -> Sandbox | None:
    return _sandboxes.get(kind)


async def warm_sandboxes() -> None:
    """Start both sandboxes; one that cannot start is said in the log and, by the translator, in its verdict."""
    await asyncio.gather(*(_warm(kind) for kind in SandboxType))


async def _warm(kind: SandboxType) -> None:
    try:
        _sandboxes[kind] = await sandbox_of(kind, Context())
    except ToolchainMissing as missing:
        log.warning("%s: %s", kind, missing)
    except SandboxError as error:
        log.warning("%s did not start: %s", kind, error)


async def close_sandboxes() -> None:
    """End what runs in them."""
    await ValidationSandbox.close()

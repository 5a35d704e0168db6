"""Build a session's agent: model, translator, sandboxes, memory. Imports LangGraph and everything behind it."""

import asyncio
import logging
from pathlib import Path
from typing import Any, cast

from react_agent.context import Context
from react_agent.graph import graph
from react_agent.models import close_models, load_chat_model
from react_agent.sandbox.protocol import Sandbox, SandboxError, SandboxType, ToolchainMissing
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.workbench import sandbox_of
from uom_acp.agent_context import LiveSessionContext
from uom_acp.conversations import Conversations
from uom_acp.mcp_servers import connect
from uom_deep_agent.approval import ApprovalMode
from uom_deep_agent.uom_agent import build_deep_agent

log = logging.getLogger(__name__)

_opening: dict[Path | None, "asyncio.Task[Conversations]"] = {}


async def conversations(folder: Path | None) -> Conversations:
    """Open the conversations on first use; callers at the same time share one opening."""
    if folder not in _opening:
        _opening[folder] = asyncio.create_task(Conversations(folder).open())
    try:
        return await asyncio.shield(_opening[folder])
    except Exception:
        _opening.pop(folder, None)
        raise


async def build_agent(context: LiveSessionContext, folder: Path | None = None) -> Any:
    """Build the agent of one session; a sandbox that is still starting is asked for when it is used."""
    remembered = await conversations(folder)
    tools, faults = await connect(context.mcp_servers, context.cwd)
    for fault in faults:
        context.tell(fault)
    return build_deep_agent(
        model=await load_chat_model(context.model, Context(model=context.model, thought_level=context.thought_level)),
        translator=cast(Any, graph),
        context=context,
        approval=lambda: ApprovalMode(context.approval()),
        dotnet_sandbox=lambda: _sandboxes.get(SandboxType.DOTNET_10_SANDBOX),
        java_sandbox=lambda: _sandboxes.get(SandboxType.JAVA_25_SANDBOX),
        checkpointer=remembered.saver,
        store=remembered.store,
        workspace_files=context.workspace_files,
        workspace_shell=context.workspace_shell,
        tools=tools,
        steering=context.steering,
    )


_sandboxes: dict[SandboxType, Sandbox] = {}


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


async def close() -> None:
    """End what runs in the sandboxes, and close the conversations and the connections to models."""
    await ValidationSandbox.close()
    await close_models()
    for opening in list(_opening.values()):
        await (await opening).close()
    _opening.clear()

"""The conversational agent, composed in one expression."""

from collections.abc import Callable, Sequence
from typing import Any

from deepagents import create_deep_agent
from langchain.agents.middleware import AgentMiddleware, TodoListMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from react_agent.context import Context
from uom_deep_agent.approval import ApprovalGate
from uom_deep_agent.backend import build_backend
from uom_deep_agent.local_context import LocalContextMiddleware
from uom_deep_agent.preview import Preview
from uom_deep_agent.prompts import HELPER_DESCRIPTION, HELPER_PROMPT, SYSTEM_PROMPT
from uom_deep_agent.sandbox_folder import SandboxSource
from uom_deep_agent.session_context import AgentSessionContext, ApprovalMode
from uom_deep_agent.shell import WorkspaceShell
from uom_deep_agent.steering import Steering, SteeringMiddleware
from uom_deep_agent.translator import FilesAndWholeTranslations, translator_subagent
from uom_deep_agent.verbatim import VerbatimDelegation
from uom_deep_agent.workspace import WorkspaceFiles


def build_deep_agent(  # noqa: PLR0913 the one place where everything meets
    *,
    model: BaseChatModel,
    translator: CompiledStateGraph,
    context: AgentSessionContext,
    approval: Callable[[], ApprovalMode],
    dotnet_sandbox: SandboxSource = None,
    java_sandbox: SandboxSource = None,
    checkpointer: BaseCheckpointSaver | None = None,
    store: BaseStore | None = None,
    workspace_files: WorkspaceFiles | None = None,
    workspace_shell: WorkspaceShell | None = None,
    tools: Sequence[BaseTool] = (),
    steering: Steering = tuple,
) -> CompiledStateGraph[Any, Context, Any, Any]:
    """Compose the agent of one session.

    `approval` is asked for the mode whenever a call's turn comes. A sandbox may be a function that gives the
    present one, so that an agent can be built while it starts. Without a `store`, memories last as long as
    this process. `tools` are more tools, as from an editor's MCP servers; each asks like a command.
    `steering` gives what the person said while a turn runs.
    deepagents adds a `general-purpose` sub-agent by itself, without our gate; naming one replaces it.
    """
    kept = store or InMemoryStore()
    backend = build_backend(
        cwd=context.cwd,
        store=kept,
        dotnet_sandbox=dotnet_sandbox,
        java_sandbox=java_sandbox,
        workspace_files=workspace_files,
        workspace_shell=workspace_shell,
    )
    gate = ApprovalGate(approval, Preview(backend), kept)
    middleware: list[AgentMiddleware[Any, Any, Any]] = [
        FilesAndWholeTranslations(backend=backend),
        LocalContextMiddleware(backend.root),
        TodoListMiddleware(),
        VerbatimDelegation(
            root=backend.root,
            files=backend.workspace.files,
            search=backend.workspace,
            store=kept,
        ),
        gate,
        SteeringMiddleware(steering),
    ]
    return create_deep_agent(
        model=model,
        tools=list(tools),
        system_prompt=SYSTEM_PROMPT,
        backend=backend,
        middleware=middleware,
        subagents=[
            translator_subagent(translator),
            {
                "name": "general-purpose",
                "description": HELPER_DESCRIPTION,
                "system_prompt": HELPER_PROMPT,
                "middleware": [gate],
            },
        ],
        context_schema=Context,
        checkpointer=checkpointer,
        store=kept,
        name="uom",
    )

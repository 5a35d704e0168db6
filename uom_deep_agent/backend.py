"""The route table: what each first folder of the agent's file tree is."""

import re
from pathlib import Path

from deepagents.backends import FilesystemBackend, StoreBackend
from langgraph.config import get_config
from langgraph.store.base import BaseStore

from uom_deep_agent.files_backend import FilesBackend
from uom_deep_agent.routed_execution import RoutedBackend
from uom_deep_agent.sandbox_folder import SandboxFolder, SandboxSource
from uom_deep_agent.shell import LocalShell, WorkspaceShell
from uom_deep_agent.workspace import LocalFiles, WorkspaceFiles

DOTNET = "/dotnet_sandbox/"
JAVA = "/java_sandbox/"
MEMORIES = "/memories/"
OF_A_SESSION = ("/conversation_history/", "/large_tool_results/", "/blobs/")
"""What middleware sets aside by itself; each has a route so that none of it lands in the user's folder."""


def build_backend(
    *,
    cwd: Path,
    store: BaseStore,
    dotnet_sandbox: SandboxSource = None,
    java_sandbox: SandboxSource = None,
    workspace_files: WorkspaceFiles | None = None,
    workspace_shell: WorkspaceShell | None = None,
) -> RoutedBackend:
    """Lay out the agent's file tree over the workspace, the sandboxes and the store."""
    root = cwd.resolve()
    sandboxes = {
        DOTNET: SandboxFolder(DOTNET, dotnet_sandbox),
        JAVA: SandboxFolder(JAVA, java_sandbox),
    }
    return RoutedBackend(
        workspace=FilesBackend(
            name="the workspace",
            files=workspace_files or LocalFiles(root),
            search=FilesystemBackend(root_dir=root, virtual_mode=True),
            shell=workspace_shell or LocalShell(root),
        ),
        root=root,
        sandboxes=sandboxes,
        routes={
            **{
                prefix: FilesBackend(name=prefix, files=folder, search=folder, shell=folder, prefix=prefix)
                for prefix, folder in sandboxes.items()
            },
            MEMORIES: StoreBackend(store=store, namespace=lambda _: ("memories",)),
            **{route: _of_this_session(route, store) for route in OF_A_SESSION},
        },
    )


def _of_this_session(route: str, store: BaseStore) -> StoreBackend:
    name = route.strip("/")
    return StoreBackend(store=store, namespace=lambda _: ("sessions", _thread(), name))


def _thread() -> str:
    """Return the session's thread id in the characters a store key may have."""
    thread = str(get_config().get("configurable", {}).get("thread_id") or "no-thread")
    return re.sub(r"[^A-Za-z0-9\-_.@+:~]", "~", thread)

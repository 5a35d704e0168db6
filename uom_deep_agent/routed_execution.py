"""Send a shell command where its paths are.

deepagents routes files by prefix and runs every command on the default backend. Here a command that names
`/dotnet_sandbox/` or `/java_sandbox/` runs in that sandbox with the paths translated, and one that
names two places is refused, because no shell sees both.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deepagents.backends import CompositeBackend
from deepagents.backends.protocol import BackendProtocol, ExecuteResponse, GlobResult, GrepResult

from uom_deep_agent.files_backend import FilesBackend
from uom_deep_agent.sandbox_folder import SandboxFolder

REFUSED = 126
"""Exit code of a command that was not run."""
PLAIN_PATH = re.compile(r"[\w./+@-]+")
"""A folder that can stand in a command in any quotes."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A command that no single shell can run: why, and what to do instead."""

    reason: str


class RoutedBackend(CompositeBackend):
    """The routes of files, and the same routes for commands."""

    def __init__(
        self,
        *,
        workspace: FilesBackend,
        root: Path,
        sandboxes: Mapping[str, SandboxFolder],
        routes: dict[str, BackendProtocol],
        artifacts_root: str = "/",
    ) -> None:
        super().__init__(default=workspace, routes=routes, artifacts_root=artifacts_root)
        self.workspace = workspace
        self.root = root
        self.sandboxes = sandboxes

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Search a folder; the root is the user's workspace alone, not the conversation or a sandbox."""
        if path in {None, "/"}:
            return await self.workspace.agrep(pattern, path, glob, max_count=max_count)
        return await super().agrep(pattern, path, glob, max_count=max_count)

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name; the root is the user's workspace alone, unless the pattern names a route."""
        if path in {None, "/"} and not pattern.startswith(tuple(self.routes)):
            return await self.workspace.aglob(pattern, path)
        return await super().aglob(pattern, path)

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Refuse: a blocking command could not be cancelled."""
        raise NotImplementedError("commands are asynchronous; use aexecute")

    async def aexecute(
        self,
        command: str,
        *,
        timeout: int | None = None,  # noqa: ASYNC109 deepagents' signature
    ) -> ExecuteResponse:
        """Run a command in the workspace or in the one sandbox it names."""
        match where(command, tuple(self.routes), self.root):
            case Refused(reason=reason):
                return ExecuteResponse(output=f"Not run: {reason}", exit_code=REFUSED)
            case None:
                return await self.workspace.aexecute(command, timeout=timeout)
            case str(prefix) if prefix in self.sandboxes:
                return await self._in_sandbox(prefix, command, timeout)
            case prefix:
                reason = f"{prefix} is no folder of any shell; use the file tools there"
                return ExecuteResponse(output=f"Not run: {reason}", exit_code=REFUSED)

    async def _in_sandbox(self, prefix: str, command: str, seconds: int | None) -> ExecuteResponse:
        backend = self.routes[prefix]
        assert isinstance(backend, FilesBackend)
        try:
            root = await self.sandboxes[prefix].root()
        except OSError as error:
            return ExecuteResponse(output=f"Not run: {error}", exit_code=REFUSED)
        if not PLAIN_PATH.fullmatch(root):
            reason = f"the sandbox's folder {root!r} cannot stand in a command"
            return ExecuteResponse(output=f"Not run: {reason}", exit_code=REFUSED)
        translated = naming(prefix).sub(root.rstrip("/"), command)
        return await backend.aexecute(translated, timeout=seconds)


def naming(prefix: str) -> re.Pattern[str]:
    """Match a route's prefix where it starts a path, not inside a longer path or name."""
    return re.compile(rf"(?<![\w./~-]){re.escape(prefix.rstrip('/'))}(?=/|[^\w.-]|$)")


def where(command: str, prefixes: tuple[str, ...], root: Path) -> str | Refused | None:
    """Return the one route a command names, None for the workspace, or why it cannot run."""
    named = [prefix for prefix in prefixes if naming(prefix).search(command)]
    if len(named) > 1:
        return Refused(
            f"the command names {' and '.join(named)}, and no shell sees both. Run one command for "
            "each, and move files between them with read_file and write_file."
        )
    if not named:
        return None
    [prefix] = named
    rest = naming(prefix).sub(" ", command)
    own = sorted({m.group() for m in re.finditer(r"(?<![\w./~-])/[\w.@+-]+", rest)})
    mixed = [path for path in own if (root / path.lstrip("/")).exists() and not Path(path).exists()]
    mixed += [str(root)] if str(root) in rest else []
    if mixed:
        return Refused(
            f"the command names {prefix} and {mixed[0]} of the workspace, and no shell sees both. "
            "Copy files between them with read_file and write_file."
        )
    return prefix

"""A validation sandbox's folder as files, search and shell for the agent."""

import re
import shlex
from collections.abc import Callable

from deepagents.backends.protocol import FileInfo, GlobResult, GrepMatch, GrepResult, LsResult

from react_agent.sandbox.protocol import Sandbox, SandboxError
from uom_deep_agent.shell import DEFAULT_TIMEOUT, OUTPUT_LIMIT, CommandResult
from uom_deep_agent.workspace import OutsideWorkspace

LISTING_LIMIT = 2_000_000
"""Bytes of a listing read at most."""
MATCHES = 1000
"""Matches of a search shown when the caller names no number."""


SandboxSource = Sandbox | Callable[[], Sandbox | None] | None
"""A sandbox; or what gives the present one, while it starts or after it was lost; None is none at all."""


class SandboxFolder:
    """Files, search and shell of one sandbox."""

    def __init__(self, prefix: str, source: SandboxSource) -> None:
        self.prefix = prefix
        self._source = source
        self._root: tuple[Sandbox, str] | None = None

    @property
    def sandbox(self) -> Sandbox:
        """Return the sandbox.

        Raises:
            PermissionError: There is none; nothing may fall through to the user's workspace.
        """
        source = self._source
        found: Sandbox | None = source() if isinstance(source, Callable) else source
        if found is None:
            raise PermissionError(f"{self.prefix} is not available: no sandbox is set up, or not yet")
        return found

    async def read_bytes(self, path: str) -> bytes:
        """Read a file."""
        [(_, data)] = await self.sandbox.download_files([_below(path)])
        return data

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file."""
        await self.sandbox.upload_files([(_below(path), data)])

    async def delete(self, path: str) -> None:
        """Delete a file or folder."""
        if not (below := _below(path)):
            raise OutsideWorkspace(f"deleting {self.prefix} itself")
        target = shlex.quote(f"./{below}")
        result = await self.run(f"ls -d {target} >/dev/null 2>&1 || exit 3; rm -rf {target}")
        if result.exit_code == 3:
            raise FileNotFoundError(path)
        if result.exit_code:
            raise OSError(result.output.strip())

    async def root(self) -> str:
        """Return the folder's own path inside the sandbox, asked for once a sandbox."""
        sandbox = self.sandbox
        if self._root is None or self._root[0] is not sandbox:
            self._root = (sandbox, (await self.run("pwd")).output.strip())
        return self._root[1]

    async def run(
        self, command: str, *, seconds: float | None = DEFAULT_TIMEOUT, limit: int = OUTPUT_LIMIT
    ) -> CommandResult:
        """Run a command in the folder."""
        try:
            result = await self.sandbox.execute(command, timeout=seconds or 24 * 3600.0, output_limit=limit)
        except SandboxError as error:
            raise OSError(str(error)) from error
        return CommandResult(output=result.output, exit_code=result.exit_code, truncated=result.truncated)

    async def als(self, path: str) -> LsResult:
        """List a folder."""
        base = _below(path)
        try:
            found = await self._find(base, "-mindepth 1 -maxdepth 1")
        except OSError as error:
            return LsResult(error=f"Path '{path}': {error}")
        return LsResult(entries=found)

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name."""
        base = _below(path or "/")
        try:
            matches = glob_pattern(pattern)
            found = await self._find(base, "-type f")
        except (OSError, re.error) as error:
            return GlobResult(error=f"Cannot search {path or '/'} for {pattern!r}: {error}")
        start = f"/{base}/" if base else "/"
        return GlobResult(matches=[info for info in found if matches(info["path"].removeprefix(start))])

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Find literal text in files."""
        base = _below(path or "/")
        command = f"grep -rnIFZ -e {shlex.quote(pattern)} -- {shlex.quote('./' + base)}"
        try:
            result = await self.run(command, limit=LISTING_LIMIT)
            wanted = glob_pattern(glob) if glob else None
        except (OSError, re.error) as error:
            return GrepResult(error=str(error))
        if result.exit_code > 1:
            return GrepResult(error=result.output.strip())
        matches = [m for m in _grep_lines(result.output) if not wanted or wanted(m["path"].lstrip("/"))]
        most = max_count or MATCHES
        return GrepResult(matches=matches[:most], truncated=result.truncated or len(matches) > most)

    async def _find(self, base: str, options: str) -> list[FileInfo]:
        target = shlex.quote("./" + base)
        result = await self.run(f"find {target} {options} -printf '%y\\t%s\\t%p\\0'", limit=LISTING_LIMIT)
        if result.exit_code:
            raise OSError(result.output.strip() or "path_not_found")
        return sorted(
            (_file_info(line) for line in result.output.split("\0") if line),
            key=lambda info: info["path"],
        )


def _below(path: str) -> str:
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts or "\x00" in path:
        raise OutsideWorkspace(path)
    return "/".join(parts)


def _file_info(line: str) -> FileInfo:
    kind, size, path = line.split("\t", 2)
    folder = kind == "d"
    return FileInfo(path=re.sub(r"^\./*", "/", path) + ("/" if folder else ""), is_dir=folder, size=int(size))


def _grep_lines(output: str) -> list[GrepMatch]:
    found: list[GrepMatch] = []
    for line in output.splitlines():
        path, _, rest = line.partition("\0")
        number, _, text = rest.partition(":")
        if number.isdecimal():
            found.append(GrepMatch(path=re.sub(r"^\./*", "/", path), line=int(number), text=text))
    return found


def glob_pattern(pattern: str):  # noqa: ANN201 a predicate; its type is in the return line
    """Compile a file glob: `*`, `?`, `[…]`, `{a,b}` in a name, `**` over folders.

    A pattern without `/` fits the name at any depth.
    """
    anchored = "/" in pattern
    body = pattern.lstrip("/")
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|\{|\}|,|[^*?\[\]{},]+|.", body)
    depth, parts = 0, []
    for token in tokens:
        match token:
            case "**/":
                parts.append("(?:[^/]+/)*")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case "{":
                depth += 1
                parts.append("(?:")
            case "}" if depth:
                depth -= 1
                parts.append(")")
            case "," if depth:
                parts.append("|")
            case _ if token.startswith("[") and len(token) > 2:
                parts.append(token.replace("[!", "[^", 1))
            case _:
                parts.append(re.escape(token))
    compiled = re.compile(("" if anchored else "(?:.*/)?") + "".join(parts))
    return lambda path: compiled.fullmatch(path) is not None

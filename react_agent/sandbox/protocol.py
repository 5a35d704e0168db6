"""The words every sandbox shares: what one can do, what a job can raise, what a toolchain must tell."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

OnProgress = Callable[[int, int], None]
"""Called with (done, total) while a job works."""


class SandboxType(StrEnum):
    """Which side's programs a sandbox runs."""

    DOTNET_10_SANDBOX = "dotnet_10_sandbox"
    JAVA_25_SANDBOX = "java_25_sandbox"


class KillReason(StrEnum):
    """Why a program was ended before it was done."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    PROCESSES = "processes"
    PROTOCOL = "protocol"
    DIED = "died"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding of a compiler; lines and columns start at 1."""

    file: str
    line: int
    column: int
    code: str
    message: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Diagnostic":
        """Read a worker's diagnostic; a worker that leaves a field out is taken at its word."""
        return cls(
            file=str(value.get("file") or ""),
            line=int(value.get("line") or 0),
            column=int(value.get("column") or 0),
            code=str(value.get("code") or ""),
            message=str(value.get("message") or ""),
        )

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{where}{self.code} {self.message}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteResult:
    """What a command did."""

    output: str
    """Standard output and error as they came, undecodable bytes replaced."""
    exit_code: int
    """The shell's exit code; 124 when time ran out, 137 when another limit ended it."""
    truncated: bool = False
    """Whether the middle of the output was left out."""
    killed: KillReason | None = None
    """The limit that ended the command, if one did."""


class SandboxError(Exception):
    """A program could not do its work in the sandbox; each subclass says why."""


class ToolchainMissing(SandboxError):
    """No usable compiler or runtime was found; `hint` says how to install one."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}. {hint}")
        self.what = what
        self.hint = hint


class IsolationUnavailable(SandboxError):
    """Programs cannot be kept apart from this machine, and nobody approved running them so."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"isolation is not available: {reason}. {hint}")
        self.reason = reason
        self.hint = hint


class JobRefused(SandboxError):
    """The worker answered a request with an error of its own."""

    def __init__(self, stage: str, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__("\n".join([f"{stage}: {message}", *map(str, diagnostics)]))
        self.stage = stage
        self.message = message
        self.diagnostics = tuple(diagnostics)


class JobTimedOut(SandboxError):
    """A request took longer than it was given; the worker was ended."""

    def __init__(self, stage: str, seconds: float) -> None:
        super().__init__(f"{stage}: no answer within {seconds:g} s; the program was ended")
        self.stage = stage
        self.seconds = seconds


class JobKilled(SandboxError):
    """The worker was ended by a limit, or ended itself, before it answered."""

    def __init__(self, reason: KillReason, message: str, log: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.log = log
        """The end of what the program printed; never shown without being asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A compiler and runtime found on this machine; `built` says whether the worker for it is there too."""

    name: str
    version: str
    built: bool


class Toolchain(Protocol):
    """A compiler and runtime found on this machine, and the worker built for it."""

    @property
    def name(self) -> str:
        """Tell what it is, for reports."""
        ...

    @property
    def version(self) -> str:
        """Tell which one it is, for reports."""
        ...

    @property
    def read_only(self) -> tuple[Path, ...]:
        """List the folders and files that must be visible inside, at their own paths."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """List the variables that its programs need; nothing else is passed on."""
        ...

    def worker_argv(self, *, fd_in: int, fd_out: int, warm: bool, memory_mb: int) -> tuple[str, ...]:
        """Build the command that starts a worker speaking frames on these descriptors."""
        ...


class Job(Protocol):
    """A warm worker, lent for one job."""

    @property
    def engine(self) -> Mapping[str, Any]:
        """Tell the engine facts that the worker sent when it was ready."""
        ...

    @property
    def log(self) -> str:
        """Tell what the programs printed so far, capped."""
        ...

    async def request(
        self,
        op: str,
        payload: Mapping[str, Any],
        *,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the callers' word for it
    ) -> dict[str, Any]:
        """Ask the worker for one thing and wait for its result.

        Raises:
            JobRefused: the worker's own error.
            JobTimedOut: no answer in time; the worker is gone.
            JobKilled: a limit or its own end stopped the worker.
        """
        ...


class Sandbox(Protocol):
    """A place where programs run apart from the user's machine."""

    async def upload_files(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write files at paths below the sandbox's folder."""
        ...

    async def download_files(self, paths: Sequence[str]) -> list[tuple[str, bytes]]:
        """Read files below the sandbox's folder; a missing one raises FileNotFoundError."""
        ...

    async def execute(
        self,
        command: str,
        *,
        timeout: float = 120,  # noqa: ASYNC109 - the callers' word for it
        output_limit: int = 256 * 1024,
    ) -> ExecuteResult:
        """Run a shell command in the sandbox's folder."""
        ...

    def job(self, *, approved: bool = False) -> AbstractAsyncContextManager[Job]:
        """Lend a warm worker for one job; `approved` code may run where isolation is missing."""
        ...

    async def close(self) -> None:
        """End everything that runs and remove the folder."""
        ...

"""A deepagents backend over whole files as bytes, so that what an edit does not touch stays as it was."""

import base64
from typing import Protocol

from deepagents.backends.protocol import (
    DeleteResult,
    EditResult,
    ExecuteResponse,
    FileData,
    FileDownloadResponse,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    SandboxBackendProtocol,
    WriteResult,
)
from deepagents.backends.utils import slice_read_response

from uom_deep_agent.shell import DEFAULT_TIMEOUT, WorkspaceShell
from uom_deep_agent.text_edit import EditFault, replaced, rewritten, text_of
from uom_deep_agent.workspace import OutsideWorkspace, WorkspaceFiles

BINARY = frozenset(
    ".png .jpg .jpeg .gif .webp .bmp .ico .pdf .ppt .pptx .mp3 .wav .ogg .flac .aac .mp4 .mov"
    " .avi .webm .mkv .heic .heif .aiff .mpeg .mpg .flv .wmv .3gpp".split()
)
"""Endings whose files go to the model as media, never as text."""


class Search(Protocol):
    """Finding files and text in them, without changing anything."""

    async def als(self, path: str) -> LsResult:
        """List a folder."""
        ...

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name."""
        ...

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Find literal text in files."""
        ...


class FilesBackend(SandboxBackendProtocol):
    """File tools over `WorkspaceFiles`, commands over `WorkspaceShell`; asynchronous only."""

    def __init__(
        self, *, name: str, files: WorkspaceFiles, search: Search, shell: WorkspaceShell, prefix: str = ""
    ) -> None:
        self.name = name
        self.files = files
        self.search = search
        self.shell = shell
        self._prefix = prefix.rstrip("/")

    @property
    def id(self) -> str:
        """Name the backend in logs and errors."""
        return self.name

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Read some lines, shown with line feeds; media files whole, as base64."""
        try:
            data = await self.files.read_bytes(file_path)
            if _suffix(file_path) in BINARY:
                content = base64.standard_b64encode(data).decode()
                return ReadResult(file_data=FileData(content=content, encoding="base64"))
            text = text_of(data)
        except (OSError, EditFault) as error:
            return ReadResult(error=_said("read", self._prefix + file_path, error))
        return slice_read_response(FileData(content=text, encoding="utf-8"), offset, limit)

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        """Write a file; one that exists keeps its encoding and line endings."""
        try:
            await self.files.write_bytes(file_path, rewritten(await self._present(file_path), content))
        except (OSError, EditFault) as error:
            return WriteResult(error=_said("write", self._prefix + file_path, error))
        return WriteResult(path=file_path)

    async def aedit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,  # noqa: FBT001, FBT002 deepagents' signature
    ) -> EditResult:
        """Replace text in a file's bytes."""
        try:
            data, count = replaced(
                await self.files.read_bytes(file_path),
                old_string,
                new_string,
                replace_all=replace_all,
            )
            await self.files.write_bytes(file_path, data)
        except (OSError, EditFault) as error:
            return EditResult(error=_said("edit", self._prefix + file_path, error))
        return EditResult(path=file_path, occurrences=count)

    def delete(self, file_path: str) -> DeleteResult:
        """Refuse: being there tells deepagents that `adelete` works."""
        raise NotImplementedError(f"{self.name} is asynchronous; use adelete for {file_path}")

    async def adelete(self, file_path: str) -> DeleteResult:
        """Delete a file or folder."""
        try:
            await self.files.delete(file_path)
        except OSError as error:
            return DeleteResult(error=_said("delete", self._prefix + file_path, error))
        return DeleteResult(path=file_path)

    async def als(self, path: str) -> LsResult:
        """List a folder."""
        return await self.search.als(path)

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by name."""
        return await self.search.aglob(pattern, path)

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Find literal text in files."""
        return await self.search.agrep(pattern, path, glob, max_count=max_count)

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Write files as they are."""
        return [await self._upload(path, data) for path, data in files]

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Read files as they are."""
        return [await self._download(path) for path in paths]

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Refuse: a blocking command could not be cancelled."""
        raise NotImplementedError(f"{self.name} is asynchronous; use aexecute")

    async def aexecute(
        self,
        command: str,
        *,
        timeout: int | None = None,  # noqa: ASYNC109 deepagents' signature
    ) -> ExecuteResponse:
        """Run a command in the folder; 0 means no time limit."""
        seconds = DEFAULT_TIMEOUT if timeout is None else timeout or None
        try:
            result = await self.shell.run(command, seconds=seconds)
        except OSError as error:
            return ExecuteResponse(output=f"The command could not start: {error}", exit_code=126)
        return ExecuteResponse(output=result.output, exit_code=result.exit_code, truncated=result.truncated)

    async def _present(self, path: str) -> bytes | None:
        try:
            return await self.files.read_bytes(path)
        except FileNotFoundError:
            return None

    async def _upload(self, path: str, data: bytes) -> FileUploadResponse:
        try:
            await self.files.write_bytes(path, data)
        except OSError as error:
            return FileUploadResponse(path=path, error=_code(error))
        return FileUploadResponse(path=path)

    async def _download(self, path: str) -> FileDownloadResponse:
        try:
            return FileDownloadResponse(path=path, content=await self.files.read_bytes(path))
        except OSError as error:
            return FileDownloadResponse(path=path, error=_code(error))


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""


def _said(doing: str, path: str, error: Exception) -> str:
    match error:
        case FileNotFoundError():
            reason = "there is no such file"
        case IsADirectoryError():
            reason = "it is a folder"
        case EditFault() | OutsideWorkspace():
            reason = str(error)
        case OSError():
            reason = error.strerror or str(error)
        case _:
            reason = str(error)
    return f"Cannot {doing} '{path.removeprefix('/')}': {reason}"


def _code(error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return "file_not_found"
        case IsADirectoryError():
            return "is_directory"
        case PermissionError():
            return "permission_denied"
        case _:
            return error.strerror or str(error)

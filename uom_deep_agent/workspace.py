"""The user's files: what the agent may do with them, and doing it on this machine.

`WorkspaceFiles` is the seam to the editor. An editor that offers its files (with what is not saved yet)
gives its own; `LocalFiles` works on the disk.
"""

import asyncio
import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Protocol


class OutsideWorkspace(PermissionError):
    """A path leads out of the workspace."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} leads out of the workspace; only files below it can be used")


class WorkspaceFiles(Protocol):
    """Whole files of the workspace, as bytes.

    Paths start with `/`, which is the workspace folder. A missing file is FileNotFoundError, a folder
    is IsADirectoryError, a path that leaves the workspace OutsideWorkspace.
    """

    async def read_bytes(self, path: str) -> bytes:
        """Read a file, the editor's unsaved text included."""
        ...

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file whole or not at all; missing folders are created."""
        ...

    async def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it; a link is removed, not followed."""
        ...


class LocalFiles:
    """The workspace on this machine's disk."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    async def read_bytes(self, path: str) -> bytes:
        """Read a file."""
        return await asyncio.to_thread(lambda: self.locate(path).read_bytes())

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file through a temporary one beside it, so that a crash leaves the old text."""
        await asyncio.to_thread(self._write, path, data)

    async def delete(self, path: str) -> None:
        """Delete a file or folder."""
        await asyncio.to_thread(self._delete, path)

    def locate(self, path: str) -> Path:
        """Return where a workspace path really is, links followed.

        Raises:
            OutsideWorkspace: It is not below the workspace folder.
        """
        parts = [part for part in path.split("/") if part not in {"", "."}]
        if ".." in parts or "\x00" in path:
            raise OutsideWorkspace(path)
        real = self.root.joinpath(*parts).resolve()
        if not real.is_relative_to(self.root):
            raise OutsideWorkspace(path)
        return real

    def _write(self, path: str, data: bytes) -> None:
        target = self.locate(path)
        if target.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(_mode(target))
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise

    def _delete(self, path: str) -> None:
        parent, _, name = path.rstrip("/").rpartition("/")
        if not name:
            raise OutsideWorkspace("deleting the workspace folder itself")
        target = self.locate(parent) / name
        if name == ".." or (not target.is_symlink() and not target.exists()):
            raise FileNotFoundError(f"{path} does not exist")
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()


def _mode(target: Path) -> int:
    """Return the permission bits a written file gets: the old file's, or the usual ones."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask

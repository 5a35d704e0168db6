"""Files of a sandbox, read and written from outside, never through a link.

A program inside may leave a symbolic link to a file of this machine where we will look next;
so every step of a path is opened from the one before it, and none may be a link.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from react_agent.sandbox.protocol import SandboxError

_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class BadPath(SandboxError):
    """A path leads out of the sandbox, or through something that is no folder."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r}: {why}; give a path below the sandbox's folder")
        self.path = path


def write_below(root: Path, path: str, data: bytes) -> None:
    """Write a file below a folder, whole or not at all; missing folders are made.

    Raises:
        BadPath: the path leads out of the folder or through a link.
    """
    *folders, name = _steps(path)
    with _opened(root, path, folders, make=True) as folder:
        temporary = f".{secrets.token_hex(8)}.partial"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o644, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except IsADirectoryError:
            raise BadPath(path, "this is a folder") from None
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)


def read_below(root: Path, path: str) -> bytes:
    """Read a file below a folder.

    Raises:
        BadPath: the path leads out of the folder or through a link, or is no regular file.
        FileNotFoundError: there is no such file.
    """
    *folders, name = _steps(path)
    with _opened(root, path, folders, make=False) as folder:
        # Non-blocking, so that a pipe with nobody at its other end cannot hold us.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(name, flags, dir_fd=folder)
        except FileNotFoundError:
            raise FileNotFoundError(f"{path!r} is not in the sandbox") from None
        except OSError as error:
            raise BadPath(path, f"this is no plain file ({error.strerror})") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise BadPath(path, "this is no plain file")
        with os.fdopen(descriptor, "rb") as file:
            return file.read()


def _steps(path: str) -> list[str]:
    steps = [step for step in PurePosixPath(path).parts if step != "/"]
    if not steps or "\0" in path:
        raise BadPath(path, "this names no file")
    if ".." in steps:
        raise BadPath(path, "'..' leads out of the sandbox")
    return steps


@contextmanager
def _opened(root: Path, path: str, folders: list[str], *, make: bool) -> Generator[int]:
    """Open the folder that holds a file, step by step from the root."""
    folder = os.open(root, _STEP)
    try:
        for step in folders:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(step, 0o755, dir_fd=folder)
            try:
                deeper = os.open(step, _STEP, dir_fd=folder)
            except FileNotFoundError:
                raise FileNotFoundError(f"{path!r} is not in the sandbox") from None
            except OSError as error:
                raise BadPath(path, f"{step!r} is no folder ({error.strerror})") from None
            os.close(folder)
            folder = deeper
        yield folder
    finally:
        os.close(folder)

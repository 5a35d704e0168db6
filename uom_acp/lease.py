"""One process alone works on a session; the lock ends with the process, however that ends."""

import contextlib
import os
from pathlib import Path

from uom_acp.errors import SessionElsewhere

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class Lease:
    """A session that is this process's own until it is released."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self._path = path

    @classmethod
    def take(cls, folder: Path, session_id: str) -> "Lease":
        """Take a session.

        Raises:
            SessionElsewhere: another process, or another connection of this one, has it.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{session_id}.lock"
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(descriptor)
            except OSError:
                holder = os.read(descriptor, 20).decode(errors="replace").strip()
                os.close(descriptor)
                where = f" (process {holder})" if holder.isdigit() else ""
                raise SessionElsewhere(
                    f"This session is open in another editor{where}. Close it there first, or start a new session."
                ) from None
            if _is_at(descriptor, path):
                break
            os.close(descriptor)  # its holder removed it between our opening and our locking it
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        return cls(descriptor, path)

    @property
    def is_held(self) -> bool:
        """Whether the session is still this process's own."""
        return self._descriptor >= 0

    def release(self) -> None:
        """Give the session back; done twice, the second does nothing."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = -1


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # noqa: PLC0415 - there is none elsewhere

    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # ty: ignore[missing-attribute] - of Windows

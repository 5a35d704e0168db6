"""Keep big texts and rows out of the state: stored by content, named by reference."""

import asyncio
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

_SCHEME = "artifact:"
_HASH = re.compile(r"[0-9a-f]{64}")
_FORMAT = re.compile(r"[a-z0-9][a-z0-9.+-]{0,31}")


class ArtifactMissing(Exception):
    """An artefact is not in the store; it was pruned, or the store is another one."""


class ArtifactDamaged(Exception):
    """An artefact is not what was stored; the message says which file to remove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactRef:
    """The name of stored bytes: what they are and what they must hash to."""

    uri: str
    format: str
    """What the bytes are, as a file ending: `json`, `log`, `java`."""
    content_hash: str
    """SHA-256, in hexadecimal."""

    def to_json(self) -> dict[str, str]:
        """Write the reference as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, str]) -> Self:
        """Read a reference back.

        Raises:
            ValueError: it is none; a reference comes from outside and names a file here.
        """
        try:
            ref = cls(uri=value["uri"], format=value["format"], content_hash=value["content_hash"])
        except (KeyError, TypeError):
            raise ValueError(f"not an artefact reference: {value!r:.120}") from None
        if not _HASH.fullmatch(ref.content_hash) or ref.uri != f"{_SCHEME}{ref.content_hash}":
            raise ValueError(f"not an artefact reference: {value!r:.120}")
        return ref


class ArtifactStore:
    """Bytes under their own hash, in a folder that several processes may share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, data: bytes, format: str) -> ArtifactRef:  # noqa: A002 - the reference's own word
        """Store bytes; the same bytes are stored once.

        Raises:
            ValueError: `format` is no file ending.
        """
        if not _FORMAT.fullmatch(format):
            raise ValueError(f"{format!r} is no format; give a file ending such as 'json'")
        content_hash = hashlib.sha256(data).hexdigest()
        await asyncio.to_thread(self._put, data, content_hash)
        return ArtifactRef(uri=f"{_SCHEME}{content_hash}", format=format, content_hash=content_hash)

    async def get(self, ref: ArtifactRef) -> bytes:
        """Read bytes back, and check that they are what was stored.

        Raises:
            ArtifactMissing: they are not here.
            ArtifactDamaged: they are not what was stored.
        """
        return await asyncio.to_thread(self._get, ref.content_hash)

    def _path(self, content_hash: str) -> Path:
        return self._folder / content_hash[:2] / content_hash[2:]

    def _put(self, data: bytes, content_hash: str) -> None:
        path = self._path(content_hash)
        try:
            known = hashlib.sha256(path.read_bytes()).hexdigest() == content_hash
        except FileNotFoundError:
            known = False
        if not known:
            write_whole(path, data)

    def _get(self, content_hash: str) -> bytes:
        path = self._path(content_hash)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise ArtifactMissing(
                f"artefact {content_hash[:12]} is not in {self._folder}; run the step again"
            ) from None
        if hashlib.sha256(data).hexdigest() != content_hash:
            raise ArtifactDamaged(f"{path} does not hold what was stored; remove it and run the step again")
        return data


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees all of it or nothing; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The rights of the file that is replaced, else those that the process gives new files."""
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask

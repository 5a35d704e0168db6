"""A run of the source side, kept under the hash of the source, for machines that cannot run it.

A team records once next to the old service and proves ever after: what was given (instances and
calls) and what came back (the compiler's answer, EF Core's model, the envelopes and the engine's
facts) stand in one file, so a later generator of instances does not invalidate it.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Self

from react_agent.sandbox.artifacts import write_whole

VERSION = 1
VARIABLE = "UOM_RECORDINGS"
BUNDLED = Path(__file__).parent.parent / "samples" / "recordings"
"""Where the package keeps recordings of its own samples."""


class BadRecording(Exception):
    """A recording cannot be read; the message names the file, what is wrong with it and the fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What the source side was given and what it answered."""

    source_hash: str
    recorded_at: str
    """When, in UTC and ISO 8601; a verdict names it."""
    engine: Mapping[str, Any]
    """The engine's facts: versions, culture, ICU."""
    compiled: Mapping[str, Any]
    """The answer to `compile`."""
    model: Mapping[str, Any]
    """What `describe` gave as `model`."""
    instances: Sequence[Mapping[str, Any]]
    calls: Sequence[Mapping[str, Any]]
    envelopes: Sequence[Mapping[str, Any]]

    def to_bytes(self) -> bytes:
        """Write the file: a version, the digest of the body, and the body."""
        body = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps(
            {"version": VERSION, "digest": _digest(body), "recording": body}, ensure_ascii=False, indent=1
        )
        return f"{text}\n".encode()

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Self:
        """Read a file back; `where` names it in complaints.

        Raises:
            BadRecording: it is damaged, or of another version.
        """
        try:
            file = json.loads(data)
            version, digest, body = file["version"], file["digest"], file["recording"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecording(f"{where} is no recording ({error}); record the source again") from None
        if version != VERSION:
            raise BadRecording(
                f"{where} has format version {version}, this UOM reads {VERSION}; record the source again"
            )
        if not isinstance(body, dict) or _digest(body) != digest or body.keys() != set(cls.__slots__):
            raise BadRecording(f"{where} was changed or cut after it was recorded; record the source again")
        return cls(**body)


def now() -> str:
    """Tell the time as recordings name it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def source_hash(sources: Iterable[tuple[str, str]]) -> str:
    """Hash the source files, as (path, text), in whatever order they came and wherever they lie.

    Only a file's own name counts: an editor's workspace and a command line name the same file from other folders.
    Each part is preceded by its length, so that no two different sets of files read the same.
    """
    hashed = hashlib.sha256()
    for name, text in sorted((PurePosixPath(path).name, text) for path, text in sources):
        for part in (name.encode(), text.encode("utf-8", "surrogatepass")):
            hashed.update(len(part).to_bytes(8, "big"))
            hashed.update(part)
    return hashed.hexdigest()


def folders(explicit: Path | None = None, environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """List where recordings are looked for: the folder asked for, `$UOM_RECORDINGS`, our own."""
    named = (os.environ if environment is None else environment).get(VARIABLE)
    return (*([explicit] if explicit else []), *([Path(named).expanduser()] if named else []), BUNDLED)


async def find_recording(source: str, places: Sequence[Path]) -> Recording | None:
    """Find the recording of a source by its hash, in the first place that has one.

    Raises:
        BadRecording: there is one, and it cannot be read.
    """
    return await asyncio.to_thread(_find, source, places)


async def save_recording(recording: Recording, folder: Path) -> Path:
    """Write a recording into a folder, in place of an older one of the same source."""
    path = _path(recording.source_hash, folder)
    await asyncio.to_thread(lambda: write_whole(path, recording.to_bytes()))
    return path


def _find(source: str, places: Sequence[Path]) -> Recording | None:
    for folder in places:
        path = _path(source, folder)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise BadRecording(f"{path} cannot be read ({error.strerror}); check its rights") from None
        recording = Recording.from_bytes(data, str(path))
        if recording.source_hash != source:
            raise BadRecording(f"{path} holds the recording of another source; remove it")
        return recording
    return None


def _path(source: str, folder: Path) -> Path:
    return folder / f"{source}.json"


def _digest(body: Mapping[str, Any]) -> str:
    canonical = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

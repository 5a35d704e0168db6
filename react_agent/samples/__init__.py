"""Bundled samples: small data layers that show the main job, each with a recording of its source side."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import PurePosixPath

from react_agent.model.translation import SourceFile

NAMES = ("workshop",)
"""The samples, by folder name."""


def sample(name: str) -> tuple[SourceFile, ...]:
    """Read a sample's C# files."""
    folder = files(__name__) / name
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".cs"))
    return tuple(SourceFile(path=file, text=(folder / file).read_text(encoding="utf-8")) for file in names)


def is_sample(sources: Sequence[SourceFile]) -> bool:
    """Whether these files are a bundled sample, which counts as approved where isolation is missing."""
    given = {(PurePosixPath(source.path).name, source.text) for source in sources}
    return any(given == {(file.path, file.text) for file in sample(name)} for name in NAMES)

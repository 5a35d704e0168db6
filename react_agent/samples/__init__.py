"""Bundled samples: small data layers that show the main job, each with a recording of its source side."""

from importlib.resources import files
from pathlib import Path

from react_agent.model.translation import SourceFile

NAMES = ("workshop",)
"""The samples, by folder name."""


def sample(name: str) -> tuple[SourceFile, ...]:
    """Read a sample's C# files."""
    folder = files(__name__) / name
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".cs"))
    return tuple(SourceFile(path=file, text=(folder / file).read_text(encoding="utf-8")) for file in names)


def recordings_folder() -> Path:
    """Where the samples' recordings are."""
    return Path(str(files(__name__))) / "recordings"

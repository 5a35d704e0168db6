"""Data layers that faults are put into: the bundled sample, our own, those written blind, the recorded cases."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from react_agent.model.translation import SourceFile
from tests.react_agent.proof.golden import folder

HERE = Path(__file__).parent
CASES = ("01", "04", "06", "11", "17")


def layers() -> dict[str, tuple[SourceFile, ...]]:
    """Each layer's C# files, by a name."""
    return {name: files for name, files in _found() if files}


def _found() -> Iterator[tuple[str, tuple[SourceFile, ...]]]:
    yield "sample workshop", _files(Path(str(resources.files("react_agent.samples"))) / "workshop")
    for home in sorted((HERE / "own").iterdir()):
        yield f"own {home.name}", _files(home)
    for home in sorted((HERE.parent / "layers").glob("*/")):
        yield f"layer {home.name}", _files(home)
    cases = folder()
    for name in CASES if cases is not None else ():
        for home in cases.glob(f"{name}*") if cases is not None else ():
            yield f"case {home.name}", _files(home)


def _files(home: Path) -> tuple[SourceFile, ...]:
    paths = [path for path in sorted(home.glob("*.cs")) if path.name != "Seed.cs"]
    return tuple(SourceFile(path=path.name, text=path.read_text(encoding="utf-8")) for path in paths)

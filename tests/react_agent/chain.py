"""Small data layers of our own, and the whole chain over them in one loop with warm sandboxes."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from react_agent.context import Context
from react_agent.draft import draft
from react_agent.frameworks import FrameworkEnum
from react_agent.model.translation import SourceFile
from react_agent.sources import read_sources
from react_agent.workbench import Workbench
from uom_acp.commands.prove import prove_java

LAYERS = Path(__file__).with_name("layers")
SEED = 3


def layer(name: str) -> tuple[SourceFile, ...]:
    return read_sources([LAYERS / name])


def java_of(sources: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    return tuple(file for file in draft(sources).translation.files if file.path.endswith(".java"))


def changed(files: tuple[SourceFile, ...], edits: Mapping[str, str]) -> tuple[SourceFile, ...]:
    """Make a person's edits; one that changes nothing would show nothing."""
    for old, new in edits.items():
        assert any(old in file.text for file in files), f"the Java does not hold {old!r}"
        files = tuple(replace(file, text=file.text.replace(old, new)) for file in files)
    return files


async def proven(
    sources: tuple[SourceFile, ...], files: tuple[SourceFile, ...], **settings: Any
) -> dict[str, dict[str, Any]]:
    """Prove Java against C#; gives each entry's part of the report."""
    context = Context(model="uom/rules", seed=SEED, **settings)
    bench = Workbench(context=context, sources=sources, target=FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
    try:
        report, _ = await prove_java(bench, files, None)
    finally:
        await bench.close()
    return {entry["entry"].rsplit(".", 1)[1]: entry for entry in report["entries"]}

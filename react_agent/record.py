"""Record: keep a run of the source side, so that a machine without .NET can prove against it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from react_agent.draft import Draft
from react_agent.sandbox.recordings import Recording, now, save_recording, source_hash
from react_agent.workbench import Workbench


async def record(bench: Workbench, candidate: Draft, proof: Mapping[str, Any], folder: Path) -> Path:
    """Write a recording of what the source side was given and answered; returns its file."""
    source = await bench.source()
    try:
        compiled = await source.compile()
    finally:
        await bench.close()
    recording = Recording(
        source_hash=source_hash((file.path, file.text) for file in candidate.sources),
        recorded_at=now(),
        engine=proof["engines"]["source"],
        compiled=dict(compiled.answer),
        model=candidate.mapping.to_json(),
        instances=proof["instances"],
        calls=proof["calls"],
        envelopes=proof["source"],
    )
    return await save_recording(recording, folder)

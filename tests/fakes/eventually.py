"""Wait for what tells nobody: files and processes."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any


async def eventually(holds: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait until something holds, and give it back."""
    async with asyncio.timeout(seconds):
        while not (found := holds()):  # noqa: ASYNC110 - neither files nor processes give an event
            await asyncio.sleep(0.02)
    return found


def number_in(path: Path) -> int:
    """Read a process id once it is written; 0 before."""
    return int((path.read_text() if path.exists() else "").strip() or 0)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"

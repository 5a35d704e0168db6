"""The command line as a process of its own, as a shell starts it."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ORCHARD = ROOT / "tests" / "react_agent" / "layers" / "orchard"
TO = ("--to", "java-spring-data-mongodb")


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left: its exit code and both its outputs."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The lines that are no progress."""
        return "\n".join(line for line in self.err.splitlines() if not line.startswith("  "))


Uom = Callable[..., Ended]


@pytest.fixture
def uom(tmp_path: Path) -> Uom:
    """Runs `uom` to its end in an empty folder; settings of this machine do not reach it."""
    place = tmp_path / "cwd"
    place.mkdir()

    def run(*arguments: object, seconds: float = 170, **environment: str) -> Ended:
        command = [sys.executable, "-m", "uom_acp", *map(str, arguments)]
        settings = environment_of(tmp_path) | environment
        done = subprocess.run(
            command,
            check=False,
            cwd=place,
            env=settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def environment_of(tmp_path: Path) -> dict[str, str]:
    names = ("MODEL", "OPENAI_API_KEY", "OPENAI_API_URL", "SANDBOX_EXECUTION_TIMEOUT", "UOM_SEED")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return kept | {"XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": str(ROOT)}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

"""The recorded cases, where they are: `UOM_CASES`, or `shared/cases` beside the checkout."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

BESIDE = Path(__file__).parents[4] / "shared" / "cases"


def folder() -> Path | None:
    found = Path(os.environ["UOM_CASES"]) if os.environ.get("UOM_CASES") else BESIDE
    return found if found.is_dir() else None


def cases() -> list[Any]:
    """One parameter per recorded call: (case, call, entry); one skipped parameter where there are none."""
    root = folder()
    if root is None:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason="no recorded cases: set UOM_CASES"))]
    found = []
    for path in sorted(root.glob("*/golden.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        entries = (*data["entries"], *data["more"])
        found += [pytest.param(entry, id=f"{path.parent.name[:2]}-{entry['call'][:40]}") for entry in entries]
    return found


def seed(prefix: str) -> dict[str, Any]:
    root = folder()
    if root is None:
        pytest.skip("no recorded cases: set UOM_CASES")
    path = next(root.glob(f"{prefix}*/golden.json"))
    return json.loads(path.read_text(encoding="utf-8"))

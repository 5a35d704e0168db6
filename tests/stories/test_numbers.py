"""The list of what an editor may rely on names tests that exist."""

import re
from pathlib import Path

HERE = Path(__file__).parent
NAMED = re.compile(r"`(?P<file>[\w./]+\.py|…)(?:::(?P<test>\w+))?`")


def test_every_row_names_a_test_that_exists() -> None:
    groups, missing, file = 0, [], ""
    for line in (HERE / "AGENTS.md").read_text(encoding="utf-8").splitlines():
        groups += line.startswith("| **")
        for named in NAMED.finditer(line.rpartition(" | ")[2] if line.startswith("| ") else ""):
            file = named["file"] if named["file"] != "…" else file
            path = HERE / file
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if not text or (named["test"] and f"def {named['test']}(" not in text):
                missing.append(named[0])
    assert (groups, missing) == (15, [])

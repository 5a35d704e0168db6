"""Java whose commands are wrong in one way each, proven against the C# that it came from."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layers.reading import HERE

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(600)]

ENTRIES = ("RenameZoneAsync", "DropSupplierAsync", "BlockEmptyBinsAsync")
WRONG = {
    "getMatchedCount": "getModifiedCount",
    'new Update().unset("supplierId")': 'new Update().unset("remark")',
    '.set("note", "empty")': '.set("note", "Empty")',
}
"""Counting what became different in place of what was met; a reference left; a value in another case."""


def _uom(*arguments: str) -> dict[str, str]:
    command = [sys.executable, "-m", "uom_acp", *arguments, "--json", "--seed", "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
    assert done.stdout, done.stderr
    return {entry["entry"]: entry["verdict"] for entry in json.loads(done.stdout)["entries"]}


def _small(folder: Path) -> Path:
    """The schema of a layer with three of its entries."""
    layer = HERE / "15-stockroom"
    text = (layer / "Query.cs").read_text(encoding="utf-8")
    head, *methods = text.rstrip().removesuffix("}").split("\n    public ")
    kept = [m for m in methods if any(f" {name}(" in m for name in ENTRIES) or m.startswith("StockChores(")]
    folder.mkdir()
    (folder / "Schema.cs").write_bytes((layer / "Schema.cs").read_bytes())
    (folder / "Query.cs").write_text("\n    public ".join([head, *kept]) + "\n}\n", encoding="utf-8")
    return folder


def test_each_wrong_command_is_different(tmp_path: Path) -> None:
    source, java = _small(tmp_path / "source"), tmp_path / "java"
    right = _uom("translate", str(source), "--to", "java-spring-data-mongodb", "--out", str(java))
    file = java / "src/main/java/stockroom/StockChores.java"
    text = file.read_text(encoding="utf-8")
    for old, new in WRONG.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")

    entries = [f"StockChores.{name}" for name in ENTRIES]
    assert right == dict.fromkeys(entries, "equivalent_on_suite")
    assert _uom("prove", str(source), "--against", str(java)) == dict.fromkeys(entries, "different")

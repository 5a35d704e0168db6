"""`uom translate`: what it writes, what it says, what its exit code means."""

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from react_agent.sandbox.jdk import find_jdk
from tests.uom_acp.commands.conftest import ORCHARD, TO, Uom, contents

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.timeout(240)]

ENTRIES = ("CratesOfAsync", "TallAsync", "StandingAsync", "HasNicknameAsync", "DearPickingsAsync")


def test_a_layer_becomes_a_proven_project(uom: Uom, tmp_path: Path) -> None:
    out, report = tmp_path / "out", tmp_path / "r.json"
    first = uom("translate", ORCHARD, *TO, "--out", out, "--report", report)
    assert first.code == 0, first.err
    found = json.loads(report.read_text())
    assert [entry["entry"] for entry in found["entries"]] == [f"OrchardQueries.{name}" for name in ENTRIES]
    assert {entry["verdict"] for entry in found["entries"]} == {"equivalent_on_suite"}
    assert all(entry["mutants"]["killed"] == entry["mutants"]["live"] > 0 for entry in found["entries"])
    assert {"pom.xml", "uom.json", "src/main/java/orchard/OrchardQueries.java"} <= set(contents(out))
    assert all(f"OrchardQueries.{name}" in first.out for name in ENTRIES)

    java = out / "src/main/java/orchard/OrchardQueries.java"
    java.write_text(java.read_text() + "// mine\n")
    again = uom("translate", ORCHARD, *TO, "--out", out)
    assert again.code == 2
    assert str(java) in again.err
    assert java.read_text().endswith("// mine\n")


@pytest.mark.slow
def test_every_run_writes_the_same_project(uom: Uom, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert uom("translate", ORCHARD, *TO, "--out", out).code == 0
    before = contents(out)
    assert uom("translate", ORCHARD, *TO, "--out", out).code == 0
    assert contents(out) == before


@pytest.mark.slow
def test_the_same_seed_gives_the_same_report(uom: Uom, tmp_path: Path) -> None:
    reports = []
    for name in ("a.json", "b.json"):
        assert uom("translate", ORCHARD, *TO, "--seed", 7, "--report", tmp_path / name).code == 0
        report = json.loads((tmp_path / name).read_text())
        assert report.pop("timings")
        reports.append(report)
    assert reports[0] == reports[1]


@pytest.mark.slow
@pytest.mark.parametrize("number", ["01", "04", "06", "11", "17"])
def test_both_sides_give_the_recorded_results(uom: Uom, cases: Path, tmp_path: Path, number: str) -> None:
    case = next(cases.glob(f"{number}-*"))
    golden = json.loads((case / "golden.json").read_text())
    recorded = [*golden["entries"], *golden["more"]]
    (tmp_path / "data.json").write_text(json.dumps(golden["seed"]))
    calls = [{"method": entry["method"], "args": entry["args"]} for entry in recorded]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    files = [tmp_path / name for name in ("data.json", "calls.json", "results.json", "report.json")]
    given = [part for option, file in zip(("data", "calls", "results", "report"), files, strict=True)
             for part in (f"--{option}", file)]  # fmt: skip
    done = uom("translate", case / "Schema.cs", case / "Query.cs", *TO, *given)
    assert done.code == 0, done.out + done.err
    results = json.loads(files[2].read_text())
    assert len(results["source"]) == len(results["target"]) == len(recorded)
    for entry, source, target in zip(recorded, results["source"], results["target"], strict=True):
        assert result_of(source, entry) == result_of(entry, entry), entry["call"]
        assert result_of(target, entry) == result_of(entry, entry), entry["call"]


@pytest.mark.slow
def test_the_project_builds_with_maven(uom: Uom, cases: Path, tmp_path: Path) -> None:
    case = next(cases.glob("01-*"))
    assert uom("translate", case / "Schema.cs", case / "Query.cs", *TO, "--out", tmp_path / "out").code == 0
    environment = os.environ | {"JAVA_HOME": str(find_jdk().home)}
    built = subprocess.run(
        ["mvn", "-q", "-B", "package"],
        check=False,
        cwd=tmp_path / "out",
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert built.returncode == 0, built.stdout[-3000:]
    assert list((tmp_path / "out" / "target").glob("*.jar"))


def result_of(envelope: dict[str, Any], entry: dict[str, Any]) -> Any:
    """What a call came to, so far as the recording's own order facts fix it."""
    value = plain(envelope["value"]) if envelope.get("value") else None
    if envelope["outcome"] == "rows":
        if entry["ordered"] == "ties":  # a page cut inside a tie may hold other rows of the tie
            value = [{key.lstrip("-"): row.get(key.lstrip("-")) for key in entry["order_keys"]} for row in value]
        if entry["ordered"] == "unordered":
            value = sorted(value, key=repr)
    return envelope["outcome"], envelope.get("row_count"), value if envelope["outcome"] != "throws" else None


def plain(cell: dict[str, Any]) -> Any:
    match cell["t"]:
        case "null":
            return None
        case "list":
            return [plain(item) for item in cell["v"]]
        case "object":
            return {name: plain(part) for name, part in cell["f"].items()}
        case "decimal":
            return Decimal(cell["v"]).normalize()
        case "double" | "float":
            return float(cell["v"])
        case "datetime":
            return cell["v"][:23]  # BSON keeps milliseconds: a loss that the report names
        case _:
            return cell["t"], cell["v"]

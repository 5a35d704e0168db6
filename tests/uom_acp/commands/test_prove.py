"""`uom prove`: the Java that `uom translate` wrote, as it is and as a person changed it."""

import json
from pathlib import Path

import pytest

from tests.react_agent.chain import changed, java_of, layer
from tests.react_agent.layers.hostile import layer_of
from tests.react_agent.test_prove import FAULTS
from tests.uom_acp.commands.conftest import ORCHARD, TO, Uom

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(280)]


@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_the_exit_code_tells_a_fault_from_a_right_translation(uom: Uom, tmp_path: Path, fault: str | None) -> None:
    java = java_of(layer("orchard"))
    for file in changed(java, FAULTS[fault]) if fault else java:
        (tmp_path / "java" / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "java" / file.path).write_text(file.text)
    done = uom("prove", ORCHARD, "--against", tmp_path / "java", "--report", tmp_path / "r.json")
    assert done.code == (1 if fault else 0), done.err
    found = {entry["entry"].split(".")[1]: entry for entry in json.loads((tmp_path / "r.json").read_text())["entries"]}
    assert {name for name, entry in found.items() if entry["verdict"] != "equivalent_on_suite"} == ({fault} - {None})
    if fault:
        assert found[fault]["verdict"] == "different"
        assert sum(len(rows) for rows in found[fault]["witness"]["rows"].values()) <= 3
        assert f"Where `OrchardQueries.{fault}` differs" in done.out


def test_a_hostile_entry_is_named_and_the_others_are_proven(uom: Uom, tmp_path: Path) -> None:
    read = 'Console.Error.WriteLine(Environment.GetEnvironmentVariable("PLANTED")); Environment.Exit(0);'
    (tmp_path / "Yard.cs").write_text(layer_of({"Fine": ("", ""), "Exits": ("", read)}))
    done = uom("translate", tmp_path / "Yard.cs", *TO, SANDBOX_EXECUTION_TIMEOUT="20", PLANTED="planted-secret")
    assert done.code == 3
    assert "| `Fine.Count` | `equivalent_on_suite` |" in done.out
    assert "| `Exits.Count` | `harness_error` |" in done.out
    assert "planted-secret" not in done.out + done.err
    assert "Traceback" not in done.err

import pytest

from react_agent.sandbox.protocol import JobRefused
from tests.react_agent.sandbox.dotnet.jobs import (
    sample,
    source,
)

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]


async def test_engine_facts_name_what_can_change_a_result(worker):
    assert worker.engine["name"] == "Microsoft.EntityFrameworkCore.Sqlite"
    assert worker.engine["ef"] == "10.0.15"
    assert worker.engine["culture"] == "invariant"
    assert isinstance(worker.engine["icu"], bool)
    assert worker.engine["dotnet"].startswith("10.")
    assert worker.engine["sqlite"].startswith("3.")


async def test_entries_are_found_by_constructor_interface_and_first_argument(worker):
    found = await worker.request("compile", sample("Shop.cs"))
    assert found["contexts"] == [{"name": "ShopContext", "namespace": "Shop", "full_name": "Shop.ShopContext"}]
    entries = {(entry["class"], entry["method"]): entry for entry in found["entries"]}
    assert {owner for owner, _ in entries} == {"Desk", "Front", "Reports"}
    count = entries["Desk", "Count"]
    assert (count["returns"], count["async"], count["file"], count["line"]) == ("ValueTask<int>", True, "Shop.cs", 145)
    assert count["parameters"] == [
        {"name": "cancel", "type": "CancellationToken", "nullable": False, "optional": True},
        {"name": "least", "type": "int", "nullable": False, "optional": True},
    ]
    assert entries["Desk", "Find"]["returns"] == "Customer?"
    assert entries["Desk", "OfSizes"]["parameters"][1] == {
        "name": "traits", "type": "Traits?", "nullable": True, "optional": False,
    }  # fmt: skip
    assert [parameter["name"] for parameter in entries["Reports", "Lines"]["parameters"]] == ["least"]


async def test_code_without_a_context_compiles_and_cannot_be_described(worker):
    found = await worker.request("compile", source("public class Bag { public List<int> Items { get; } = []; }"))
    assert found == {"contexts": [], "entries": [], "warnings": []}
    with pytest.raises(JobRefused, match="no DbContext is in the sources"):
        await worker.request("describe", {"context": ""})


async def test_code_that_does_not_compile_is_refused_with_lines(worker):
    with pytest.raises(JobRefused) as refused:
        await worker.request("compile", source("public class A\n{\n    Lisst<int> b;\n    int }\n", "A.cs"))
    assert refused.value.stage == "compile"
    assert [(d.file, d.line, d.column, d.code) for d in refused.value.diagnostics] == [
        ("A.cs", 3, 5, "CS0246"), ("A.cs", 4, 9, "CS1519"),
    ]  # fmt: skip

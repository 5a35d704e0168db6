"""A wrong translation is told from the right one, and shown by a few rows."""

import pytest

from react_agent.model.translation import SourceFile
from tests.react_agent.chain import changed, java_of, layer, proven

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.jvm,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("warm"),
]

FAULTS = {
    "CratesOfAsync": {"found.isEmpty() ? 0 : found.get(0).total()": "found.get(0).total()"},
    "TallAsync": {'where("height").gte(least)': 'where("height").gt(least)'},
    "StandingAsync": {'.and("felled").is(false)': ""},
    "HasNicknameAsync": {
        'where("nickname").is(nickname)': (
            'where("nickname").regex("^" + java.util.regex.Pattern.quote(nickname == null ? "" : nickname) + "$", "i")'
        )
    },
    "DearPickingsAsync": {'project().and("crates")': 'project().and("spoilt")'},
}
"""One fault an entry: over nothing, an operator, a dropped filter, the other case, a wrong field."""


@pytest.fixture(scope="module")
def orchard() -> tuple[SourceFile, ...]:
    return layer("orchard")


def rows_of(witness: dict) -> int:
    return sum(len(rows) for rows in witness["rows"].values())


@pytest.mark.slow
async def test_the_java_of_the_rules_is_equivalent(orchard):
    found = await proven(orchard, java_of(orchard))
    assert {name: entry["verdict"] for name, entry in found.items()} == dict.fromkeys(FAULTS, "equivalent_on_suite")
    assert all(entry["mutants"]["killed"] == entry["mutants"]["live"] > 0 for entry in found.values())


async def test_each_fault_is_shown_by_a_few_rows(orchard):
    edits = {old: new for fault in FAULTS.values() for old, new in fault.items()}
    found = await proven(orchard, changed(java_of(orchard), edits))
    assert {name: entry["verdict"] for name, entry in found.items()} == dict.fromkeys(FAULTS, "different")
    for name, entry in found.items():
        assert rows_of(entry["witness"]) <= 2, (name, entry["witness"]["rows"])
        assert entry["witness"]["source"] != entry["witness"]["target"]


@pytest.mark.slow
async def test_a_fault_in_one_entry_leaves_the_others_proven(orchard):
    found = await proven(orchard, changed(java_of(orchard), FAULTS["TallAsync"]))
    assert found.pop("TallAsync")["verdict"] == "different"
    assert {entry["verdict"] for entry in found.values()} == {"equivalent_on_suite"}


@pytest.mark.slow
async def test_decimals_kept_as_text_are_found(orchard):
    edits = {"BigDecimalRepresentation.DECIMAL128": "BigDecimalRepresentation.STRING"}
    found = await proven(orchard, changed(java_of(orchard), edits))
    assert found["TallAsync"]["verdict"] == found["DearPickingsAsync"]["verdict"] == "different"
    assert found["StandingAsync"]["verdict"] == "equivalent_on_suite"
    assert rows_of(found["DearPickingsAsync"]["witness"]) <= 2

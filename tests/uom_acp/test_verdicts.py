from typing import Any

import pytest

from uom_acp.verdicts import verdict_table, verdict_title
from uom_acp.witness_view import LINES_SENT, side_by_side, table


def verdict(entry: str, word: str = "equivalent_on_suite", **more: Any) -> dict[str, Any]:
    return {"type": "verdict", "entry": entry, "verdict": word, "reason": "", "instances": 12, **more}


def test_losses_and_reservations_are_counted_not_listed() -> None:
    losses = [{"what": "ticks", "where": "Order.At", "hazard": "S11"}] * 2
    text = verdict_table([verdict("A.B", losses=losses, reservations=["SQLite folds ASCII only"])])
    assert "| A.B | ✓ equivalent_on_suite | 12 data sets | 2 losses; 1 reservation |" in text
    assert "ticks" not in text


def test_evidence_names_the_variants_told_apart() -> None:
    assert "19 of 20 variants told apart" in verdict_table([verdict("A.B", mutants={"live": 20, "killed": 19})])


def test_at_most_a_few_witnesses_are_shown() -> None:
    witness = {
        "call": "A/1",
        "source": {"outcome": "none"},
        "target": {"outcome": "scalar", "value": {"t": "int", "v": "1"}},
    }
    text = verdict_table([verdict(f"A.M{n}", "different", witness=witness) for n in range(5)])
    assert text.count("differs on") == 3
    assert "2 more witnesses" in text


@pytest.mark.parametrize("witness", [{}, {"arguments": {}}, {"source": None, "target": None, "rows": {}}])
def test_a_witness_of_another_shape_still_shows_its_entry(witness: dict[str, Any]) -> None:
    assert "`A.B`" in verdict_table([verdict("A.B", "different", reason="why", witness=witness)])


def test_title_counts() -> None:
    judged = [verdict("A"), verdict("B", "different"), verdict("C", "undetermined")]
    assert verdict_title(judged) == "Proof: 1 of 3 equivalent on the suite, 1 different"


def test_long_statements_are_cut_in_the_table() -> None:
    text, more = side_by_side(["\n".join(f"LINE {n}" for n in range(99))], ["{}"])
    assert text.count("\n") == LINES_SENT + 1
    assert "75 more lines" in more


def test_a_cell_cannot_break_out_of_its_table() -> None:
    assert table(["a"], [["x | y\n| z <b>"]]).splitlines()[2] == "| x \\| y \\| z &lt;b> |"

import pytest

from react_agent.model.query import Outcome
from react_agent.model.values import NULL, Cell, CellType, scalar
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import evaluate
from react_agent.proof.vacuity import observe
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    const,
    get,
    method,
    new,
    number,
    op,
    query,
    source,
    text,
    var,
    where,
)

CLAIM = {
    "LedgerEntry": NULL,
    "LodgedAt": scalar(CellType.DATETIME, "2024-01-01T00:00:00.0000000"),
    "Stage": Cell(type=CellType.ENUM, text="1", name="Draft", enum="ClaimStage"),
    "Target_Place": text("P"),
    "Target_Zone": NULL,
}
CONSIGNMENTS = {
    "Consignments": (
        {"Number": number(1), "ShipperCode": text("SH")},
        {"Number": number(2), "ShipperCode": text("sh")},
    ),
    "Crates": (),
}


def test_a_condition_that_never_held_is_missing():
    found = observe(PIECES_BOOKED, FREIGHT, [(CONSIGNMENTS, {"shipperCode": text("nobody")})])

    assert found.covered
    assert found.missing == ("the condition at Query.cs:1 was never true",)


def test_a_condition_that_held_and_failed_is_fine():
    found = observe(PIECES_BOOKED, FREIGHT, [(CONSIGNMENTS, {"shipperCode": text("SH")})])

    assert (found.missing, found.notes) == ((), ())


def test_a_tautology_is_a_note_only():
    consignment = var("c", "Consignment")
    always = op(get(consignment, "Number", "int"), ">", const(0, "int"))
    entry = method("M", query([source("c", "Consignment"), where(always)], consignment, Outcome.LIST, "List<C>"))

    found = observe(entry, FREIGHT, [(CONSIGNMENTS, {})])

    assert (found.missing, len(found.notes)) == ((), 1)


def test_an_any_that_is_always_the_same_says_nothing():
    consignment = var("c", "Consignment")
    entry = method("M", query([source("c", "Consignment")], consignment, Outcome.ANY, "bool"))
    answers = tuple(evaluate(entry, FREIGHT, CONSIGNMENTS, {}) for _ in range(2))

    found = observe(entry, FREIGHT, [(CONSIGNMENTS, {})], answers)

    assert found.missing == ("the result was the same for every call",)


def test_a_query_that_cannot_be_followed_is_said_to_be_so():
    found = observe(PIECES_BOOKED, FREIGHT, [(CONSIGNMENTS, {})])

    assert not found.covered
    assert found.missing == ()
    assert NULL.is_null


LINE = new(
    "Line", Number=get(var("c", "Consignment"), "Number", "int"), Note=get(var("c", "Consignment"), "N", "string?")
)
LINES = method("M", query([source("c", "Consignment")], LINE, Outcome.LIST, "List<Line>"))


def lines(*notes):
    made = tuple(
        Cell(type=CellType.OBJECT, name="Line", fields={"Number": number(n), "Note": note})
        for n, note in enumerate(notes)
    )
    value = Cell(type=CellType.LIST, items=made)
    return (Envelope(call="c", instance="i", method="M", outcome="rows", value=value, row_count=len(made)),)


@pytest.mark.parametrize(
    ("notes", "missing", "noted"),
    [
        ([NULL] * 8, ("Note was null in every row",), ()),
        ([NULL] * 3, (), ("Note was null in every row",)),
        ([text("a")] * 8, (), ("Note was null in no row",)),
        ([text("a"), NULL], (), ()),
        ([], (), ()),
    ],
)
def test_a_nullable_member_has_to_be_seen_with_a_value(notes, missing, noted):
    found = observe(LINES, FREIGHT, [], lines(*notes))

    assert (found.missing, found.notes) == (missing, noted)


def test_a_reference_that_no_row_has_is_missing_and_one_that_all_have_is_a_note():
    def seen(*claims):
        members = ({"Id": number(7), "Badge": text("B"), "Label": NULL},)
        rows = tuple(CLAIM | {"Id": number(n), "MemberId": member} for n, member in enumerate(claims))
        return observe(
            OF_BADGE, CLAIMS, [({"claims": rows, "members": members, "claimLines": ()}, {"badge": text("B")})]
        )

    absent, present, both = seen(NULL), seen(number(7)), seen(NULL, number(7))

    assert "TravelClaim.Member was absent from every row that asked for it" in absent.missing
    assert "TravelClaim.Member was always present" in present.notes
    assert both.missing == ()

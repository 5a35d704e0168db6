from react_agent.model.query import Outcome
from react_agent.model.values import NULL
from react_agent.proof.evaluate import evaluate
from react_agent.proof.vacuity import observe
from tests.react_agent.proof.models import (
    FREIGHT,
    PIECES_BOOKED,
    const,
    get,
    method,
    number,
    op,
    query,
    source,
    text,
    var,
    where,
)

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

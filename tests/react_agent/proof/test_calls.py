from dataclasses import replace

import pytest

from react_agent.model.query import Call as Method
from react_agent.model.query import MethodParameter, Outcome, QueryModel
from react_agent.model.values import NULL, CellType
from react_agent.proof.calls import CALLS_A_PAIR, CALLS_OF_KIND, Call, make_calls
from react_agent.proof.evaluate import evaluate
from react_agent.proof.guesses import guessed
from react_agent.proof.instances import Instance, make_instances
from react_agent.proof.vacuity import is_telling
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    clr,
    const,
    each,
    get,
    method,
    op,
    order,
    param,
    query,
    skip,
    source,
    take,
    text,
    var,
    where,
)

CRATE = var("c", "Crate")


def suite(model, entry, seed=7):
    instances = make_instances(model, QueryModel(methods=(entry,)), seed)
    return instances, make_calls(entry, model, instances, seed)


def crates(*clauses, **parameters):
    return method("M", query([source("c", "Crate"), *clauses], CRATE, Outcome.LIST, "List<Crate>"), **parameters)


def arguments(calls, name):
    return [dict(c.args)[name] for c in calls]


def test_calls_are_bounded_and_every_instance_has_some():
    instances, calls = suite(FREIGHT, PIECES_BOOKED)
    counts = {i.id: sum(c.instance == i.id for c in calls) for i in instances}
    extreme = [counts.pop("extreme"), counts.pop("widest")]

    assert min(extreme) == 0
    assert 0 < max(extreme) <= CALLS_OF_KIND["extreme"]
    assert all(0 < n <= CALLS_A_PAIR for n in counts.values())
    assert counts["empty"] <= 2
    assert len({c.id for c in calls}) == len(calls)


def test_arguments_come_from_the_rows_so_that_calls_find_something():
    for model, entry in ((FREIGHT, PIECES_BOOKED), (CLAIMS, OF_BADGE)):
        instances, calls = suite(model, entry)
        tables = {i.id: i.tables for i in instances}
        found = [evaluate(entry, model, tables[c.instance], dict(c.args)) for c in calls if c.instance != "widest"]
        assert sum(is_telling(e) for e in found) >= 10
        assert any(not is_telling(e) for e in found)


def test_texts_are_tried_in_other_case():
    instances, calls = suite(FREIGHT, PIECES_BOOKED)
    codes = {i.id: {r["ShipperCode"].text for r in i.tables["Consignments"]} for i in instances}
    asked = [(c.instance, dict(c.args)["shipperCode"].text or "") for c in calls]

    assert any(a not in codes[i] and a.lower() in {(c or "").lower() for c in codes[i]} for i, a in asked)


def test_a_parameter_without_a_use_still_gets_values_and_null_where_it_may_be():
    _, calls = suite(FREIGHT, crates(odd="string?"))

    assert any(c.is_null for c in arguments(calls, "odd"))
    assert any(not c.is_null for c in arguments(calls, "odd"))


def test_numbers_are_tried_around_the_columns_values():
    pieces = get(CRATE, "Pieces", "int")
    instances, calls = suite(FREIGHT, crates(where(op(pieces, ">", param("least", "int"))), least="int"))
    known = {i.id: {int(r["Pieces"].text or 0) for r in i.tables["Crates"]} for i in instances}
    asked = [(c.instance, int(dict(c.args)["least"].text or 0)) for c in calls]

    assert any(n in known[i] for i, n in asked)
    assert any(n + 1 in known[i] or n - 1 in known[i] for i, n in asked)


def test_pages_lie_inside_and_outside_and_never_below_the_first():
    before = op(op(param("page", "int"), "-", const(1, "int"), "int"), "*", const(2, "int"), "int")
    entry = crates(order(get(CRATE, "Number", "int")), skip(before), take(const(2, "int")), page="int")
    _, calls = suite(FREIGHT, entry)
    pages = {int(c.text or 0) for c in arguments(calls, "page")}

    assert min(pages) >= 1
    assert 1 in pages
    assert max(pages) > 10


def test_enum_parameters_are_members():
    claim = var("claim", "TravelClaim")
    condition = op(get(claim, "Stage", "ClaimStage"), "==", param("stage", "ClaimStage"))
    entry = method(
        "M", query([source("claim", "TravelClaim"), where(condition)], claim, Outcome.COUNT, "int"), stage="ClaimStage"
    )
    _, calls = suite(CLAIMS, entry)

    assert {c.type for c in arguments(calls, "stage")} == {CellType.ENUM}
    assert len({c.name for c in arguments(calls, "stage")}) >= 4


def test_lists_hold_values_of_the_column_strangers_and_nothing():

    inside = Method(
        method="Enumerable.Contains",
        arguments=(param("numbers", "List<int>"), get(CRATE, "GoodsCode", "int")),
        type=clr("bool"),
    )
    _, calls = suite(FREIGHT, crates(where(inside), numbers="List<int>"))
    lists = arguments(calls, "numbers")

    assert any(not c.items for c in lists)
    assert any(len(c.items) > 1 for c in lists)


def test_the_same_seed_makes_the_same_calls():
    assert suite(CLAIMS, OF_BADGE, 3)[1] == suite(CLAIMS, OF_BADGE, 3)[1]


def test_the_users_calls_run_on_the_users_rows():
    user = Instance(id="user", kind="user", tables={"Consignments": (), "Crates": ()})
    instances = make_instances(FREIGHT, QueryModel(methods=()), 1, user=user)
    own = Call(id="x", instance="", class_name="", method="PiecesBookedByAsync", args=(("shipperCode", text("SH")),))
    other = Call(id="y", instance="", class_name="", method="Another", args=())

    calls = make_calls(PIECES_BOOKED, FREIGHT, instances, 1, user=(own, other))

    assert [(c.id, c.instance, c.args) for c in calls[-1:]] == [
        ("Queries.PiecesBookedByAsync/given/1", "user", (("shipperCode", text("SH")),))
    ]
    assert sum("/given/" in c.id and c.args == own.args for c in calls) == 1
    assert any(c.instance == "user" and "/given/" not in c.id for c in calls)
    assert len({c.id for c in calls}) == len(calls)


def test_calls_survive_writing_and_reading():
    for call in suite(CLAIMS, OF_BADGE)[1]:
        assert Call.from_json(call.to_json()) == call


def test_a_collection_of_a_row_is_no_reason_for_null():
    booking = var("b", "Consignment")
    body = query(
        [source("b", "Consignment"), each("c", get(booking, "Crates", "List<Crate>"))],
        CRATE,
        Outcome.LIST,
        "List<Crate>",
    )
    _, calls = suite(FREIGHT, method("M", body))

    assert all(c.args == () for c in calls)
    assert NULL not in [cell for c in calls for _, cell in c.args]


UNREAD = replace(PIECES_BOOKED, query=None)


@pytest.mark.parametrize(
    ("name", "kind", "places"),
    [
        ("shipperCode", "string", [("Consignments", "ShipperCode")]),
        ("minTariff", "decimal", [("Crates", "Tariff")]),
        ("tariffs", "List<decimal>", [("Crates", "Tariff")]),
        ("anything", "decimal", [("Crates", "Tariff")]),
        ("when", "DateTime", []),
    ],
)
def test_a_parameter_of_an_unread_query_is_held_against_columns_of_its_type(name, kind, places):
    found = guessed(MethodParameter(name=name, type=clr(kind)), FREIGHT)
    assert [place for one in found for place in one.places] == places


def test_an_unread_query_is_called_with_what_the_rows_hold():
    instances, calls = suite(FREIGHT, UNREAD)
    held = {row["ShipperCode"].text for i in instances for row in i.tables["Consignments"]}
    asked = [arg.text for call in calls for _, arg in call.args]
    assert sum(text in held for text in asked) > len(asked) / 3
    assert any(text not in held for text in asked)

"""What the special instances show: each kind of careless Java, by rows on which it would go wrong."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

import pytest

from react_agent.model.query import Call, Cast, Outcome, QueryModel
from react_agent.model.values import CellType
from react_agent.proof.calls import make_calls
from react_agent.proof.capabilities import source_reservations
from react_agent.proof.extremes import EXACT, PRODUCTS, SUMS, limits_of
from react_agent.proof.instances import MANY_ROWS, make_instances
from tests.react_agent.proof.models import (
    clr,
    const,
    entity,
    get,
    mapping,
    method,
    op,
    order,
    param,
    prop,
    query,
    skip,
    source,
    take,
    var,
    where,
)

R = var("r", "Reading")
READINGS = mapping(
    entity(
        "Reading",
        [
            prop("Id", "int"),
            prop("Qty", "int"),
            prop("Big", "long"),
            prop("Total", "decimal"),
            prop("Weight", "double"),
            prop("At", "DateTime"),
            prop("Note", "string"),
        ],
    )
)
ID, QTY, BIG = get(R, "Id", "int"), get(R, "Qty", "int"), get(R, "Big", "long")


def entry(*clauses, element=ID, outcome=Outcome.LIST, result="List<int>", **parameters):
    return method("M", query([source("r", "Reading"), *clauses], element, outcome, result), **parameters)


def cells(kind, column, made, seed=3):
    (found,) = [i for i in make_instances(READINGS, QueryModel(methods=(made,)), seed) if i.kind == kind]
    return [row[column] for row in found.tables["Readings"]]


def texts(kind, column, made=None, seed=3):
    return {c.text for c in cells(kind, column, made or entry(), seed)}


@pytest.mark.parametrize("seed", range(5))
def test_texts_differ_in_trailing_blanks_and_in_normal_form_only(seed):
    found = texts("widest", "Note", seed=seed)

    assert {"a", "a "} <= found
    assert {"\u00e9", "e\u0301"} <= found
    assert "" in found


@pytest.mark.parametrize("seed", range(5))
def test_moments_differ_in_milliseconds_only(seed):
    found = [t or "" for t in texts("widest", "At", seed=seed)]

    assert any(a != b and a[:19] == b[:19] for a in found for b in found)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_reach_the_ends_and_lie_beyond_what_doubles_and_floats_hold(seed):
    assert {str(-(2**31)), str(2**31 - 1)} <= texts("widest", "Qty", seed=seed)
    assert {str(EXACT), str(EXACT - 1), str(2**63 - 1)} <= texts("widest", "Big", seed=seed)
    assert {"0.1", "0.10000000149011612"} <= texts("widest", "Weight", seed=seed)
    assert "0.125" in texts("widest", "Total", seed=seed)


def magnitudes(found: Iterable[str | None]) -> int:
    return max(abs(int(Decimal(t or "0"))) for t in found)


def test_what_a_query_computes_with_stays_where_nothing_overflows():
    product = entry(where(op(op(QTY, "*", QTY), ">", const(3, "int"))))
    doubled = entry(element=op(BIG, "*", const(2, "int")), result="List<long>")
    whole = entry(element=BIG, outcome=Outcome.SUM, result="long")
    cast = entry(element=Cast(operand=BIG, type=clr("int")))

    assert magnitudes(texts("extreme", "Qty", product)) <= PRODUCTS
    assert magnitudes(texts("extreme", "Big", doubled)) <= EXACT
    assert magnitudes(texts("extreme", "Big", whole)) <= EXACT
    assert magnitudes(texts("extreme", "Big", cast)) <= PRODUCTS


def test_a_sum_of_ints_that_is_the_whole_result_has_no_limit_and_one_inside_has():
    whole = entry(element=QTY, outcome=Outcome.SUM, result="int")
    inside = entry(element=op(QTY, "+", QTY))

    assert limits_of(READINGS, (whole,)) == {}
    assert limits_of(READINGS, (inside,)) == {("Readings", "Qty"): SUMS}


def test_entries_that_compute_and_those_that_do_not_run_on_their_own_extremes():
    plain, computing = entry(order(QTY)), entry(element=op(QTY, "+", QTY))
    instances = make_instances(READINGS, QueryModel(methods=(plain, computing)), 3)

    def asked(one):
        return {c.instance for c in make_calls(one, READINGS, instances, 3)} & {"extreme", "widest"}

    assert (asked(plain), asked(computing)) == ({"widest"}, {"extreme"})


def test_all_numbers_lie_on_one_side_of_what_they_are_compared_with():
    compared = entry(where(op(QTY, ">", const(5, "int"))))

    assert all(int(t or "0") < -1 for t in texts("below", "Qty", compared))
    assert all(int(t or "0") > 6 for t in texts("above", "Qty", compared))
    assert all(Decimal(t or "0") < 0 for t in texts("below", "Total", compared))


def test_one_instance_has_more_rows_than_a_page_and_is_asked_for_a_long_one():
    paged = entry(order(QTY, ID), skip(param("from", "int")), take(param("size", "int")), **{"from": "int"}, size="int")
    instances = make_instances(READINGS, QueryModel(methods=(paged,)), 3)
    calls = [dict(c.args) for c in make_calls(paged, READINGS, instances, 3) if c.instance == "large"]

    assert len(cells("large", "Qty", paged)) == MANY_ROWS
    assert any(int(args["size"].text or "0") > 100 for args in calls)


@pytest.mark.parametrize("size", [3, 7, 12])
def test_lists_of_every_size_meet_a_row_with_their_last_element_only(size):
    contains = Call(method="Enumerable.Contains", arguments=(param("xs", "List<int>"), QTY), type=clr("bool"))
    made = entry(where(contains), xs="List<int>")
    instances = {i.id: i for i in make_instances(READINGS, QueryModel(methods=(made,)), 3)}
    found = []
    for call in make_calls(made, READINGS, tuple(instances.values()), 3):
        items = [c.text for c in dict(call.args)["xs"].items]
        here = {row["Qty"].text for row in instances[call.instance].tables["Readings"]}
        found.append(len(items) == size and items[-1] in here and not here & set(items[:-1]))

    assert any(found)


def test_integers_that_may_overflow_are_a_reservation():
    product = replace(op(BIG, "*", const(2, "int")), type=clr("long"))
    doubled, whole = entry(element=product), entry(element=QTY, outcome=Outcome.SUM, result="int")

    assert any("overflows" in text for text in source_reservations(doubled, READINGS))
    assert not any("overflows" in text for text in source_reservations(whole, READINGS))
    assert CellType.INT in {c.type for c in cells("widest", "Qty", whole)}

from dataclasses import replace

import pytest

from react_agent.model.query import Cast, Outcome, Part
from react_agent.model.values import Cell, CellType, scalar
from react_agent.proof.compare import compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.inexact import inexact_paths, magnitude
from react_agent.proof.order import Order, OrderRule, order_rule
from tests.react_agent.proof.models import (
    clr,
    each,
    get,
    many,
    mapping,
    method,
    new,
    number,
    param,
    prop,
    query,
    source,
    sub,
    text,
    var,
)
from tests.react_agent.proof.models import entity as entity_

R, L = var("r", "Road"), var("l", "Load")
LENGTH, TONS = get(R, "Length", "double"), get(L, "Tons", "double")
SUM = sub([each("l", get(R, "Loads", "List<Load>"))], TONS, Outcome.SUM, "double")
ROADS = mapping(
    entity_("Road", [prop("Id", "int"), prop("Length", "double")], navigations=(many("Loads", "Load", "RoadId"),)),
    entity_("Load", [prop("Id", "int"), prop("Tons", "double"), prop("RoadId", "int")]),
)


def double(value):
    return scalar(CellType.DOUBLE, value)


def test_sums_and_averages_of_doubles_are_inexact_and_nothing_else_is():
    from_roads = source("r", "Road")
    row = new("Row", Id=get(R, "Id", "int"), Length=LENGTH, Tons=Cast(operand=SUM, type=clr("double?")))

    assert inexact_paths(query([from_roads], LENGTH, Outcome.SUM, "double")) == {()}
    assert inexact_paths(query([from_roads], LENGTH, Outcome.MAX, "double")) == frozenset()
    assert inexact_paths(query([from_roads], get(R, "Id", "int"), Outcome.AVERAGE, "double")) == frozenset()
    assert inexact_paths(query([from_roads], row, Outcome.LIST, "List<Row>")) == {("Tons",)}
    made = method("M", query([from_roads], LENGTH, Outcome.AVERAGE, "double"))
    assert order_rule(made, ROADS).inexact == {()}


def answer(cell):
    return Envelope(call="c", instance="i", method="M", outcome="scalar", value=cell)


RULE = OrderRule(order=Order.TOTAL, inexact=frozenset({()}))


@pytest.mark.parametrize(
    ("one", "other", "size", "same"),
    [
        ("0.6000000000000001", "0.6", 0.6, True),
        ("1000000.1", "1000000.1000001", 1e6, True),
        ("1000000.1", "1000000.1001", 1e6, False),
        ("0", "0.0000001", 1e6, True),
        ("0", "0.0000001", 1.0, False),
        ("2", "3", 5.0, False),
        ("NaN", "1", 5.0, False),
    ],
)
def test_sums_differ_by_no_more_than_a_part_of_what_was_summed(one, other, size, same):
    found = compare(answer(double(one)), answer(double(other)), replace(RULE, magnitude=size))

    assert (found is None) == same


def test_without_a_sum_the_last_digit_counts():
    exact = OrderRule(order=Order.TOTAL)

    assert compare(answer(double("0.6000000000000001")), answer(double("0.6")), exact) is not None


def rows(*pairs):
    made = tuple(
        Cell(type=CellType.OBJECT, name="Row", fields={"Key": text(key), "Tons": double(tons)}) for key, tons in pairs
    )
    value = Cell(type=CellType.LIST, items=made)
    return Envelope(call="c", instance="i", method="M", outcome="rows", value=value, row_count=len(made))


def test_rows_are_paired_by_what_is_exact_in_them():
    rule = OrderRule(order=Order.UNORDERED, inexact=frozenset({("Tons",)}), magnitude=10.0)
    ours = rows(("a", "0.30000000000000004"), ("a", "7"), ("b", "1"))

    assert compare(ours, rows(("b", "1"), ("a", "7.000000000000001"), ("a", "0.3")), rule) is None
    assert compare(ours, rows(("b", "1"), ("a", "7.1"), ("a", "0.3")), rule) is not None
    assert compare(ours, rows(("a", "1"), ("a", "7"), ("b", "0.3")), rule) is not None


def test_the_magnitude_is_that_of_all_doubles_in_the_rows():
    tables = {"Roads": ({"Id": number(1), "Length": double("-2.5")}, {"Id": number(900), "Length": double("4")})}

    assert magnitude(tables) == 6.5


def test_a_mean_in_an_object_that_a_method_makes_of_several_queries_is_inexact_too():
    roads = [source("r", "Road")]
    mean = query(roads, LENGTH, Outcome.AVERAGE, "double?")
    longest = query(roads, LENGTH, Outcome.MAX, "double?")
    parts = (Part(name="low", query=longest, type=clr("double?")), Part(name="mid", query=None, type=clr("double?")))
    made = new("Extremes", Low=param("low", "double?"), Middle=param("mid", "double?"))
    whole = replace(method("M", mean), parts=parts, made=made)

    assert order_rule(whole, ROADS).inexact == {("Middle",)}
    swapped = replace(whole, query=longest, parts=(replace(parts[0], query=mean), parts[1]))
    assert order_rule(swapped, ROADS).inexact == {("Low",)}

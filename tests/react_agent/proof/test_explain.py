import json
from dataclasses import replace

from react_agent.model.values import Cell, CellType
from react_agent.proof.compare import compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.explain import QueryEquivalenceDeepDiff, explain
from react_agent.proof.order import Order, OrderRule
from tests.react_agent.proof.models import number, text

UNORDERED = OrderRule(order=Order.UNORDERED)
TOTAL = OrderRule(order=Order.TOTAL)


def row(id_, name):
    return Cell(type=CellType.OBJECT, name="Row", fields={"Id": number(id_), "Name": text(name)})


def rows(*cells):
    value = Cell(type=CellType.LIST, items=cells)
    return Envelope(call="c", instance="i", method="M", outcome="rows", value=value)


def explained(source, target, rule=UNORDERED, key=()):
    found = compare(source, target, rule)
    assert found is not None
    return explain(found, source, target, rule, key)


def test_rows_are_aligned_by_key_and_the_member_is_named():
    found = explained(rows(row(1, "a"), row(2, "b")), rows(row(2, "B"), row(1, "a")), key=("Id",))

    (only,) = found.rows
    assert (only["source_row"], only["target_row"]) == (2, 1)
    assert only["diff"] == {"values_changed": {"root['Name']": {"new_value": "B (string)", "old_value": "b (string)"}}}


def test_without_a_key_the_closest_row_is_the_partner():
    found = explained(rows(row(1, "a"), row(2, "b")), rows(row(1, "a"), row(2, "x")))

    assert [(r["source_row"], r["target_row"]) for r in found.rows] == [(2, 2)]


def test_missing_and_extra_rows_stand_alone():
    found = explained(rows(row(1, "a"), row(2, "b")), rows(row(1, "a")), key=("Id",))

    assert [(r["source_row"], r["target_row"]) for r in found.rows] == [(2, None)]


def test_another_order_shows_the_first_pair():
    found = explained(rows(row(1, "a"), row(2, "b")), rows(row(2, "b"), row(1, "a")), TOTAL)

    assert (found.kind, found.rows[0]["source_row"]) == ("order", 1)


def test_a_state_is_explained_by_its_table():
    done = Envelope(call="c", instance="i", method="M", outcome="scalar", value=number(1))
    source = replace(done, state={"Beds": ({"Id": number(1), "Label": text("* N")},)})
    target = replace(done, state={"Beds": ({"Id": number(1), "Label": text("N")},)})

    found = explained(source, target, key=("Id",))

    assert found.kind == "state"
    assert "root['Label']" in found.rows[0]["diff"]["values_changed"]


def test_explanations_are_plain_json_and_few_rows_long():
    many = rows(*(row(n, "a") for n in range(2000)))
    other = rows(*(row(n, "b") for n in range(2000)))

    found = explained(many, other)

    assert len(found.rows) == 5
    assert QueryEquivalenceDeepDiff.from_json(json.loads(json.dumps(found.to_json()))) == found

from dataclasses import replace

import pytest

from react_agent.model.values import NULL
from react_agent.proof.canonical import canonical
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope, of_target
from react_agent.proof.instances import Instance, make_instances
from react_agent.proof.loading import documents_for
from react_agent.proof.order import Order, OrderRule
from react_agent.proof.states import with_states
from react_agent.proof.unloading import comparable, rows_for
from react_agent.proof.userdata import read_data
from react_agent.proof.vacuity import observe
from tests.layers.reading import LAYERS, drafted, seed

RULE = OrderRule(order=Order.UNORDERED)
FROM_TEXT = [layer for layer in LAYERS if layer[:2] not in {"03", "07", "14"}]


def stored(row):
    return {column: canonical(cell) for column, cell in row.items() if not cell.is_null and not cell.items}


@pytest.mark.parametrize("layer", FROM_TEXT)
def test_rows_come_back_from_the_documents_that_stand_for_them(layer):
    made = drafted(layer)
    model = made.translation.documents
    for instance in (read_data(seed(layer), made.mapping), make_instances(made.mapping, made.reading.queries, 5)[3]):
        back = rows_for(documents_for(instance, made.mapping, model), made.mapping, model)

        for table, rows in instance.tables.items():
            assert len(back.get(table, ())) == len(rows)
            for row, again in zip(
                sorted(map(stored, rows), key=str), sorted(map(stored, back[table]), key=str), strict=True
            ):
                assert {c: again[c] for c in again if c in row} == again
                assert {c for c in row if c not in again} <= {"Id", "__synthesizedOrdinal"} | offsets(row, again)


def offsets(row, again):
    return {column for column in row if column not in again and row[column][0] in {"json", "list"}}


def test_documents_are_equal_by_value_not_by_text():
    one = {"c": [{"_id": {"$numberInt": "1"}, "p": {"$numberDecimal": "9.90"}, "n": None, "_class": "a.b.C"}]}
    other = {"c": [{"p": {"$numberDecimal": "9.9"}, "_id": {"$numberLong": "1"}}]}

    assert comparable(one) == comparable(other)
    assert comparable(one) != comparable({"c": [{"_id": {"$numberInt": "1"}, "p": {"$numberDouble": "9.9"}}]})
    assert comparable(one) != comparable({"c": [{"_id": {"$numberInt": "1"}, "p": "9.9"}]})


LAYER = "15-stockroom"


def both(change):
    """Both sides' envelopes of a call after which the target's documents were changed."""
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    model = made.translation.documents
    collections = documents_for(instance, made.mapping, model)
    change(collections)
    source = Envelope(call="c", instance=instance.id, method="M", outcome="none", state=instance.tables)
    target = of_target({"call": "c", "method": "m", "outcome": "none", "state": collections})
    return with_states(source, target, instance, made.mapping, model)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["bins"].pop(),
        lambda c: c["bins"].append({**c["bins"][0], "_id": {"$numberInt": "99"}}),
        lambda c: c["bins"][0].update(note="x"),
        lambda c: c["bins"][0].pop("code"),
        lambda c: c["bins"][0].update(unknown="x"),
        lambda c: c["bins"][0].update(code={"$numberInt": "1"}),
        lambda c: c["articles"][0].update(price={"$numberDouble": "1.5"}),
        lambda c: c.update(extra=[{"_id": "x"}]),
        lambda c: c["articleLabel"].pop(),
    ],
)
def test_a_state_that_differs_is_a_difference(change):
    found = compare(*both(change), RULE)

    assert found is not None
    assert found.kind == DifferenceKind.STATE


@pytest.mark.parametrize("change", [lambda _: None, lambda c: c["bins"].reverse(), lambda c: c.update(empty=[])])
def test_a_state_that_is_the_same_is_none(change):
    assert compare(*both(change), RULE) is None


def test_a_side_that_sent_nothing_left_the_rows_as_they_were():
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    model = made.translation.documents
    wrote = Envelope(call="c", instance="i", method="M", outcome="none", state=instance.tables)
    silent = Envelope(call="c", instance="i", method="M", outcome="none")

    assert compare(*with_states(wrote, silent, instance, made.mapping, model), RULE) is None
    less = replace(wrote, state={**instance.tables, "Bins": ()})
    assert compare(*with_states(less, silent, instance, made.mapping, model), RULE) is not None
    assert with_states(silent, silent, instance, made.mapping, model) == (silent, silent)
    empty = Instance(id="e", kind="empty", tables={})
    assert compare(*with_states(wrote, silent, empty, made.mapping, model), RULE) is not None


def test_a_table_that_is_a_gap_is_compared_only_where_the_command_changed_it():
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    model = made.translation.documents
    without = replace(model, documents=tuple(d for d in model.documents if d.collection != "bins"))
    assert len(without.documents) == len(model.documents) - 1
    source = Envelope(call="c", instance="i", method="M", outcome="none", state=instance.tables)
    stored = documents_for(instance, made.mapping, without)
    target = of_target({"call": "c", "method": "m", "outcome": "none", "state": stored})

    assert compare(*with_states(source, target, instance, made.mapping, without), RULE) is None
    changed = replace(source, state={**instance.tables, "Bins": instance.tables["Bins"][1:]})
    found = compare(*with_states(changed, target, instance, made.mapping, without), RULE)
    assert found is not None
    assert found.table == "Bins"


def test_states_that_are_given_twice_stay_as_they_are():
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    model = replace(
        made.translation.documents,
        documents=tuple(d for d in made.translation.documents.documents if d.collection != "bins"),
    )
    source = Envelope(call="c", instance="i", method="M", outcome="none", state=instance.tables)
    target = of_target({"call": "c", "method": "m", "outcome": "none", "state": {}})
    full = of_target({
        "call": "c", "method": "m", "outcome": "none", "state": documents_for(instance, made.mapping, model)
    })  # fmt: skip

    once, _ = with_states(source, target, instance, made.mapping, model)
    twice, answered = with_states(once, full, instance, made.mapping, model)
    assert twice == once
    assert compare(twice, answered, RULE) is None


def test_an_untouched_gap_is_not_taken_for_a_write():
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    method = next(m for m in made.reading.queries.methods if m.method == "ClearNotes")
    args = tuple((p.name, NULL) for p in method.parameters)
    still = Envelope(call="c", instance="i", method=method.method, outcome="none", state=instance.tables)
    seen = observe(method, made.mapping, [(instance.tables, dict(args))], (still,))
    assert "no call ever changed a row" in seen.missing


def test_rows_that_go_from_a_gap_are_a_difference_though_the_target_has_none_before_and_after():
    made = drafted(LAYER)
    instance = read_data(seed(LAYER), made.mapping)
    documents = made.translation.documents
    model = replace(documents, documents=tuple(d for d in documents.documents if d.collection != "bins"))
    emptied = Envelope(
        call="c", instance="i", method="M", outcome="none", state={**instance.tables, "Bins": ()}
    )  # fmt: skip
    target = of_target({
        "call": "c", "method": "m", "outcome": "none", "state": documents_for(instance, made.mapping, model)
    })  # fmt: skip
    assert compare(*with_states(emptied, target, instance, made.mapping, model), RULE) is not None

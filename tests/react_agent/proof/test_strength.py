"""How well a suite tells: neighbours of the recorded cases' queries, and faults that migrations are known to make."""

import re
from dataclasses import replace

import pytest

from react_agent.csharp import read
from react_agent.model.query import Call, Outcome, QueryModel
from react_agent.model.translation import SourceFile
from react_agent.model.values import CellType, scalar
from react_agent.proof.calls import make_calls
from react_agent.proof.canonical import datetime_text, datetime_value
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.domain import stamp
from react_agent.proof.envelopes import Envelope, rows_from_json
from react_agent.proof.evaluate import evaluate
from react_agent.proof.instances import make_instances
from react_agent.proof.mutants import mutants, score
from react_agent.proof.order import order_rule
from react_agent.proof.pages import with_unpaged
from react_agent.proof.runtime import Unknown
from react_agent.proof.userdata import read_data
from react_agent.proof.vacuity import observe
from tests.react_agent.proof.golden import folder, seed
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
    source,
    var,
    where,
)

CASES = ["01", "04", "06", "11", "17"]


@pytest.fixture(scope="module", params=CASES)
def case(request):
    root = folder()
    if root is None:
        pytest.skip("no recorded cases: set UOM_CASES")
    home = next(root.glob(f"{request.param}*"))
    texts = [SourceFile(path=n, text=(home / n).read_text(encoding="utf-8")) for n in ("Schema.cs", "Query.cs")]
    reading = read(texts)
    assert reading.mapping is not None
    return reading.mapping, reading.queries, seed(request.param)


def runs(model, entry, number):
    instances = {i.id: i for i in make_instances(model, QueryModel(methods=(entry,)), number)}
    for call in make_calls(entry, model, tuple(instances.values()), number):
        instance = instances[call.instance]
        try:
            answer = evaluate(entry, model, instance.tables, dict(call.args))
        except Unknown:
            continue
        rule = order_rule(entry, model, dict(call.args))
        yield instance, call, answer, with_unpaged(rule, entry, model, instance, call, answer)


def differs(answer, other, rule):
    found = compare(answer, other, rule)
    return found is not None and found.kind != DifferenceKind.UNDETERMINED


def told(mutant, model, run):
    instance, call, answer, rule = run
    try:
        return differs(answer, evaluate(mutant.method, model, instance.tables, dict(call.args)), rule)
    except Unknown:
        return False


def test_the_recorded_orders_are_those_read_from_the_query(case):
    model, queries, data = case
    for recorded in (*data["entries"], *data["more"]):
        entry = next(m for m in queries.methods if m.method == recorded["method"])
        rule = order_rule(entry, model, dict(Envelope.from_json(recorded).args))
        keys = [("-" if k.descending else "") + ".".join(k.path or ("?",)) for k in rule.keys]
        assert (rule.order.value, keys) == (recorded["ordered"], recorded["order_keys"])


def test_the_interpreter_answers_every_recorded_call_as_ef_core_did(case):
    model, queries, data = case
    tables = rows_from_json(data["seed"], "seed")
    for recorded in (*data["entries"], *data["more"]):
        envelope = Envelope.from_json(recorded)
        entry = next(m for m in queries.methods if m.method == envelope.method)
        answer = evaluate(entry, model, tables, dict(envelope.args))
        assert compare(envelope, answer, order_rule(entry, model, dict(envelope.args))) is None


def test_the_recorded_rows_fit_the_mapping(case):
    model, _, data = case

    assert read_data(data["seed"], model).size == sum(len(rows) for rows in data["seed"].values())


def test_the_suite_tells_the_neighbours_apart(case):
    model, queries, _ = case
    live = killed = 0
    for entry in queries.methods:
        made = alive = list(mutants(entry, model))
        for run in runs(model, entry, 20261130):
            alive = [m for m in alive if not told(m, model, run)]
        found = score(made, {m.id for m in made} - {m.id for m in alive})
        live, killed = live + found.live, killed + found.killed
    assert live > 5
    assert killed / live >= 0.95


def test_no_entry_is_vacuous(case):
    model, queries, _ = case
    for entry in queries.methods:
        found = list(runs(model, entry, 3))
        seen = observe(
            entry, model, [(i.tables, dict(c.args)) for i, c, _, _ in found], tuple(a for _, _, a, _ in found)
        )
        assert seen.covered
        assert seen.missing == ()


R = var("r", "Rate")
RATES = mapping(
    entity(
        "Rate",
        [
            prop("Id", "int"),
            prop("Price", "decimal", precision=8, scale=2),
            prop("At", "DateTime"),
            prop("Text", "string?"),
        ],
    )
)
ID, PRICE, AT, TEXT = (
    get(R, "Id", "int"),
    get(R, "Price", "decimal"),
    get(R, "At", "DateTime"),
    get(R, "Text", "string?"),
)


def rates(*clauses, **parameters):
    return method("M", query([source("r", "Rate"), *clauses], ID, Outcome.LIST, "List<int>"), **parameters)


def with_cells(tables, column, change):
    return {name: tuple({**row, column: change(row[column])} for row in rows) for name, rows in tables.items()}


def caught(entry, faulty, change=lambda tables: tables, model=RATES):
    return any(
        differs(answer, evaluate(faulty, model, change(instance.tables), dict(call.args)), rule)
        for instance, call, answer, rule in runs(RATES, entry, 5)
    )


def test_a_zone_shift_of_an_hour_shows_at_the_years_end():
    year = Call(method="DateTime.Year", arguments=(AT,), type=clr("int"))
    entry = rates(where(op(year, "<", param("before", "int"))), before="int")

    def shifted(cell):
        return stamp(datetime_text(datetime_value(cell.text) + 3_600_000))

    assert caught(entry, entry, lambda tables: with_cells(tables, "At", shifted))


@pytest.mark.parametrize("descending", [False, True])
def test_decimals_sorted_as_text_show(descending):
    as_text = mapping(
        replace(
            RATES.entities[0],
            properties=tuple(
                replace(p, type=clr("string")) if p.name == "Price" else p for p in RATES.entities[0].properties
            ),
        )
    )
    entry = rates(order((PRICE, descending), ID))

    assert caught(
        entry, entry, lambda tables: with_cells(tables, "Price", lambda c: scalar(CellType.STRING, c.text)), as_text
    )


def test_nulls_at_the_other_end_show():
    last = op(TEXT, "==", const(None, "string"))

    assert caught(rates(order(TEXT, ID)), rates(order(last, TEXT, ID)))


def test_a_pattern_in_place_of_a_plain_search_shows():
    found = Call(method="string.Contains", arguments=(TEXT, param("part", "string")), type=clr("bool"))
    entry = rates(where(found), part="string")

    told_apart = [
        part
        for instance, call, _, _ in runs(RATES, entry, 5)
        for row in instance.tables["Rates"]
        if (part := dict(call.args)["part"].text) and (text := row["Text"].text)
        if bool(re.search(part.replace("\\", "\\\\").replace("*", "\\*"), text)) != (part in text)
    ]
    assert told_apart


def test_case_folding_shows():
    def lower(part):
        return Call(method="string.ToLower", arguments=(part,), type=part.type)

    entry = rates(where(op(TEXT, "==", param("text", "string?"))), text="string?")
    ascii_only = [
        (instance, call, answer, rule)
        for instance, call, answer, rule in runs(RATES, entry, 5)
        if all((row["Text"].text or "").isascii() for row in instance.tables["Rates"])
        and (dict(call.args)["text"].text or "").isascii()
    ]
    faulty = rates(where(op(lower(TEXT), "==", lower(param("text", "string?")))), text="string?")

    assert any(
        differs(answer, evaluate(faulty, RATES, instance.tables, dict(call.args)), rule)
        for instance, call, answer, rule in ascii_only
    )


def test_ticks_cut_on_one_side_only_do_not_matter():
    entry = rates(where(op(AT, ">=", param("from", "DateTime"))), **{"from": "DateTime"})

    assert not caught(
        entry, entry, lambda tables: with_cells(tables, "At", lambda c: replace(c, text=str(c.text)[:-4]))
    )


def test_the_order_of_rows_that_hide_their_key_is_judged():
    entry = rates(order(PRICE))
    backwards = rates(order((PRICE, True)))

    assert not order_rule(entry, RATES).visible
    assert caught(entry, backwards)
    assert not caught(entry, rates(order(PRICE, (ID, True))))

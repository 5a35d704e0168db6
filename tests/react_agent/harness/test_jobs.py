from dataclasses import replace

from react_agent.harness.jobs import source_instances, target_call, target_calls, target_instances
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance
from tests.react_agent.harness.running import Translated


def pairs(stock: Translated) -> dict:
    return {pair.entry: pair for pair in stock.candidate.translation.entries}


def test_both_sides_are_given_the_same_rows(stock: Translated) -> None:
    candidate, instances = stock.candidate, stock.suite.instances
    rows = source_instances(instances)
    documents = target_instances(instances, candidate.mapping, candidate.translation)

    assert [i["id"] for i in rows] == [i["id"] for i in documents] == [i.id for i in instances]
    for source, target in zip(rows, documents, strict=True):
        ids = [row["Id"]["v"] for row in source["tables"]["Lots"]]
        assert [document["_id"]["$numberInt"] for document in target["collections"]["lots"]] == ids


def test_rows_for_the_source_read_back_as_they_were(stock: Translated) -> None:
    sent = source_instances(stock.suite.instances)
    back = [Instance.from_json({**value, "kind": i.kind}) for value, i in zip(sent, stock.suite.instances, strict=True)]
    assert tuple(back) == stock.suite.instances


def test_a_call_goes_to_the_java_method_with_its_own_arguments(stock: Translated) -> None:
    call = next(c for c in stock.suite.calls if c.method == "FoundAsync")
    pair = pairs(stock)["StockQueries.FoundAsync"]

    sent = target_call(call, pair)

    assert (sent["class"], sent["method"]) == ("depot.stock.StockQueries", "found")
    assert sent["args"] == call.to_json()["args"]
    assert [field["name"] for field in sent["shape"]["fields"]] == [
        "Name", "Where", "Suspected", "Price", "Weight", "ReceivedAt",
    ]  # fmt: skip
    assert target_call(call, pair, "0|again") == sent | {"id": "0|again"}


def test_calls_keep_their_order_and_those_without_java_are_left_out(stock: Translated) -> None:
    known = pairs(stock)
    stray = replace(stock.suite.calls[0], id="stray", method="Elsewhere")
    calls: list[Call] = [stray, *stock.suite.calls]

    assert [c["id"] for c in target_calls(calls, known)] == [c.id for c in stock.suite.calls]
    assert target_calls(calls, {}) == []

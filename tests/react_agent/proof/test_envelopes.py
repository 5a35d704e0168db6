import pytest

from react_agent.model.values import BadCell
from react_agent.proof.envelopes import BadEnvelope, Envelope, QueryValidationResults
from tests.react_agent.proof.golden import cases


@pytest.mark.parametrize("entry", cases())
def test_recorded_results_survive_reading_and_writing(entry):
    envelope = Envelope.from_json(entry)
    written = envelope.to_json()

    for name in ("outcome", "value", "row_count", "sql", "state", "args", "method", "warnings"):
        assert written.get(name) == entry.get(name)
    assert Envelope.from_json(written) == envelope


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "expected an object"),
        ({"call": "a", "method": "M", "outcome": "fine"}, "outcome must be one of rows, scalar, none, throws"),
        ({"call": "a", "method": "M", "outcome": "rows"}, "needs a value"),
        ({"call": "a", "method": "M", "outcome": "throws", "kind": "odd"}, "kind must be one of"),
        ({"call": "a", "outcome": "none"}, "method must be text"),
    ],
)
def test_what_is_no_envelope_is_refused_with_the_reason(value, says):
    with pytest.raises(BadEnvelope, match=says):
        Envelope.from_json(value)


def test_a_bad_cell_is_named_by_its_place():
    value = {"call": "a", "method": "M", "outcome": "throws", "args": [{"name": "p", "value": {"t": "odd"}}]}
    with pytest.raises(BadCell, match=r"args\.p"):
        Envelope.from_json(value)


def test_the_summary_shows_count_first_and_last():
    rows = {"t": "list", "v": [{"t": "int", "v": str(n)} for n in (3, 1, 2)]}
    one = Envelope.from_json({"call": "a", "method": "M", "outcome": "rows", "value": rows})
    other = Envelope.from_json({"call": "b", "method": "M", "outcome": "throws", "kind": "error"})

    summary = QueryValidationResults.of((one, other), {"uri": "x"})

    assert (summary.count, summary.calls) == (3, 2)
    assert (summary.first, summary.last) == ({"t": "int", "v": "3"}, {"t": "int", "v": "2"})
    assert QueryValidationResults.from_json(summary.to_json()) == summary

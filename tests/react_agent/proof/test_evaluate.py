import pytest

from react_agent.model.query import Call, Conditional, Outcome, Unary, UnaryOperator
from react_agent.model.values import NULL, CellType, scalar
from react_agent.proof.compare import compare
from react_agent.proof.envelopes import Envelope, rows_from_json
from react_agent.proof.evaluate import Facts, evaluate
from react_agent.proof.order import order_rule
from react_agent.proof.runtime import Unknown
from tests.react_agent.proof.golden import seed
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    clr,
    const,
    each,
    entity,
    get,
    mapping,
    method,
    new,
    number,
    op,
    order,
    param,
    prop,
    query,
    skip,
    source,
    sub,
    take,
    text,
    var,
    where,
)


@pytest.mark.parametrize(("prefix", "model", "entry"), [("01", FREIGHT, PIECES_BOOKED), ("04", CLAIMS, OF_BADGE)])
def test_the_interpreter_answers_as_ef_core_did(prefix, model, entry):
    data = seed(prefix)
    tables = rows_from_json(data["seed"], "seed")
    recorded = [e for e in (*data["entries"], *data["more"]) if e["method"] == entry.method]

    for golden in recorded:
        envelope = Envelope.from_json(golden)
        answer = evaluate(entry, model, tables, dict(envelope.args))
        assert compare(envelope, answer, order_rule(entry, model)) is None
    assert len(recorded) > 3


def rows(*values):
    return {"T": tuple({"Id": number(n), "A": a, "B": b} for n, (a, b) in enumerate(values, 1))}


def model(kind="int?"):
    return mapping(entity("T", [prop("Id", "int"), prop("A", kind), prop("B", kind)], table="T"))


T = var("t", "T")
A, B, ID = get(T, "A", "int?"), get(T, "B", "int?"), get(T, "Id", "int")


def ids(predicate, tables, *, kind="int?", **parameters):
    body = query([source("t", "T"), where(predicate)], ID, Outcome.LIST, "List<int>")
    types = dict.fromkeys(parameters, "int?")
    answer = evaluate(method("M", body, **types), model(kind), tables, parameters)
    return [int(row.text or 0) for row in answer.rows]


PAIRS = rows((NULL, NULL), (NULL, number(1)), (number(1), NULL), (number(1), number(1)), (number(1), number(2)))


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("==", [1, 4]), ("!=", [2, 3, 5]), ("<", [5]), ("<=", [4, 5]), (">", []), (">=", [4])],
)
def test_comparisons_are_two_valued(operator, expected):
    assert ids(op(A, operator, B), PAIRS) == expected


def test_a_negated_comparison_keeps_nulls():
    not_less = Unary(operator=UnaryOperator.NOT, operand=op(A, "<", B), type=clr("bool"))

    assert ids(not_less, PAIRS) == [1, 2, 3, 4]


def test_a_null_argument_matches_nulls():
    assert ids(op(A, "==", param("p", "int?")), PAIRS, p=NULL) == [1, 2]
    assert ids(op(A, "!=", param("p", "int?")), PAIRS, p=number(1)) == [1, 2]


def test_integers_divide_towards_zero():
    seven, two = const(-7, "int"), const(2, "int")
    assert ids(op(op(seven, "/", two, "int"), "==", const(-3, "int")), PAIRS) == [1, 2, 3, 4, 5]
    assert ids(op(op(seven, "%", two, "int"), "==", const(-1, "int")), PAIRS) == [1, 2, 3, 4, 5]


def fold(outcome, kind, tables, element=A):
    return evaluate(method("M", query([source("t", "T")], element, outcome, kind)), model(), tables, {})


NOTHING = {"T": ()}


@pytest.mark.parametrize(
    ("outcome", "kind", "expected"),
    [
        (Outcome.SUM, "int", ("scalar", "0")),
        (Outcome.SUM, "int?", ("scalar", "0")),
        (Outcome.COUNT, "int", ("scalar", "0")),
        (Outcome.ANY, "bool", ("scalar", "false")),
        (Outcome.MAX, "int?", ("none", None)),
        (Outcome.MAX, "int", ("throws", None)),
        (Outcome.AVERAGE, "double", ("throws", None)),
        (Outcome.FIRST, "int", ("throws", None)),
        (Outcome.SINGLE_OR_DEFAULT, "int?", ("none", None)),
    ],
)
def test_folds_over_nothing(outcome, kind, expected):
    answer = fold(outcome, kind, NOTHING)

    assert (answer.outcome, answer.value.text if answer.value else None) == expected


def test_folds_leave_nulls_out():
    tables = rows((NULL, NULL), (number(4), NULL), (number(3), NULL))

    assert fold(Outcome.SUM, "int?", tables).value == number(7)
    assert fold(Outcome.MIN, "int?", tables).value == number(3)
    assert fold(Outcome.AVERAGE, "double?", tables).value == scalar(CellType.DOUBLE, "3.5")
    assert fold(Outcome.COUNT, "int", tables).value == number(3)


def test_single_of_several_is_too_many():
    assert fold(Outcome.SINGLE, "int?", PAIRS).kind == "too_many"


def test_nulls_sort_first_and_pages_follow_the_order():
    body = query(
        [source("t", "T"), order((A, True), ID), skip(const(1, "int")), take(const(3, "int"))],
        ID,
        Outcome.LIST,
        "List<int>",
    )
    answer = evaluate(method("M", body), model(), PAIRS, {})
    unpaged = evaluate(method("M", body), model(), PAIRS, {}, unpaged=True)

    assert [r.text for r in answer.rows] == ["4", "5", "1"]
    assert [r.text for r in unpaged.rows] == ["3", "4", "5", "1", "2"]


def test_an_overflow_is_unknown():
    with pytest.raises(Unknown, match="overflow"):
        fold(Outcome.SUM, "int", rows((number(2**31 - 1), NULL), (number(1), NULL)))


def test_what_is_not_covered_is_unknown():
    odd = Call(method="DateTime.Now", arguments=(), type=clr("DateTime"))
    with pytest.raises(Unknown):
        ids(op(odd, "==", odd), PAIRS)


def test_text_is_searched_by_case():
    tables = rows((text("Harbour"), NULL), (text("harBour"), NULL), (NULL, NULL))
    found = Call(method="string.Contains", arguments=(get(T, "A", "string?"), param("p", "int?")), type=clr("bool"))

    assert ids(found, tables, kind="string?", p=text("bour")) == [1]


@pytest.mark.parametrize("part", [const("ab", "string"), param("p", "string")])
def test_a_known_prefix_where_case_decides_is_unknown(part):
    tables = rows((text("ABC"), NULL))
    found = Call(method="string.StartsWith", arguments=(get(T, "A", "string?"), part), type=clr("bool"))

    with pytest.raises(Unknown, match="case"):
        ids(found, tables, kind="string?", p=text("ab"))


def test_a_subquery_folds_the_rows_of_its_parent():
    booking, crate = var("b", "Consignment"), var("c", "Crate")
    crates = get(booking, "Crates", "List<Crate>")
    total = sub([each("c", crates)], get(crate, "Tariff", "decimal"), Outcome.SUM, "decimal")
    size = sub([each("c", crates)], crate, Outcome.COUNT, "int")
    label = Conditional(
        test=op(size, ">", const(1, "int")),
        then=const("many", "string"),
        otherwise=const("few", "string"),
        type=clr("string"),
    )
    row = new("Row", Total=total, Size=size, Label=label)
    body = query([source("b", "Consignment"), order(get(booking, "Number", "int"))], row, Outcome.LIST, "List<Row>")
    tables = {
        "Consignments": tuple({"Number": number(n), "ShipperCode": text("s")} for n in (2, 1)),
        "Crates": tuple(
            {
                "Number": number(n),
                "GoodsCode": number(0),
                "Pieces": number(1),
                "Tariff": scalar(CellType.DECIMAL, tariff),
                "ConsignmentNumber": number(1),
            }
            for n, tariff in ((1, "9.90"), (2, "0.20"))
        ),
    }

    answer = evaluate(method("M", body), FREIGHT, tables, {})

    shown = [{name: cell.text for name, cell in r.fields.items()} for r in answer.rows]
    assert shown == [{"Total": "10.10", "Size": "2", "Label": "many"}, {"Total": "0", "Size": "0", "Label": "few"}]


def test_facts_show_predicates_and_optional_references():
    facts = Facts()
    claim = {
        "Id": number(1),
        "MemberId": NULL,
        "Stage": NULL,
        "LodgedAt": scalar(CellType.DATETIME, "2024-01-01T00:00:00"),
        "LedgerEntry": NULL,
        "Target_Place": text("x"),
        "Target_Zone": NULL,
    }
    evaluate(OF_BADGE, CLAIMS, {"claims": (claim,), "members": (), "claimLines": ()}, {"badge": text("a")}, facts=facts)

    assert facts.navigations == {"TravelClaim.Member": {False}}
    assert {False} in list(facts.predicates.values())

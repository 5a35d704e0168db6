import pytest

from react_agent.model.query import QueryModel
from react_agent.model.values import NULL, Cell, CellType
from react_agent.proof.canonical import at_millisecond
from react_agent.proof.envelopes import rows_to_json
from react_agent.proof.userdata import BadData, read_calls, read_data
from tests.react_agent.proof.golden import seed
from tests.react_agent.proof.models import CLAIMS, FREIGHT, OF_BADGE, PIECES_BOOKED, number, text

QUERIES = QueryModel(methods=(PIECES_BOOKED, OF_BADGE))

ONE = {"Consignments": [{"Number": 1, "ShipperCode": "SH"}]}


@pytest.mark.parametrize(("prefix", "model"), [("01", FREIGHT), ("04", CLAIMS)])
def test_recorded_seeds_are_read_as_they_are(prefix, model):
    data = seed(prefix)

    found = read_data(data["seed"], model)

    assert {t: [dict(r) for r in rows] for t, rows in rows_to_json(found.tables).items()} == data["seed"]
    assert read_data(data, model) == found


def test_plain_values_are_read_by_the_columns_type():
    crate = {"Number": 7, "GoodsCode": 1, "Pieces": 2, "Tariff": "9.90", "ConsignmentNumber": {"t": "int", "v": "1"}}

    found = read_data({**ONE, "Crates": [crate]}, FREIGHT)

    assert found.kind == "user"
    assert found.tables["Consignments"] == ({"Number": number(1), "ShipperCode": text("SH")},)
    assert found.tables["Crates"][0]["Tariff"] == Cell(type=CellType.DECIMAL, text="9.90")


def test_enums_are_read_by_name_and_missing_columns_are_null():
    claim = {"Id": 1, "Stage": "Lodged", "LodgedAt": "2024-01-01T00:00:00", "Target_Place": "x"}

    (row,) = read_data({"claims": [claim]}, CLAIMS).tables["claims"]

    assert (row["Stage"].name, row["Stage"].text) == ("Lodged", "2")
    assert row["MemberId"] == NULL


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], 'expected {"Table"'),
        ({"Boxes": []}, "unknown table Boxes; known: Consignments, Crates"),
        ({"Consignments": {}}, "Consignments: expected a list of rows"),
        ({"Consignments": [{"Number": 1, "Code": "x"}]}, "Consignments row 1: unknown column Code"),
        ({"Consignments": [{"Number": "one", "ShipperCode": "x"}]}, r"row 1\.Number: expected int, got 'one'"),
        ({"Consignments": [{"Number": {"t": "int", "v": "x"}, "ShipperCode": "x"}]}, r"Number: 'x' is no int"),
        ({"Consignments": [{"Number": 1, "ShipperCode": "x" * 41}]}, "does not fit string .at most 40 long"),
        ({"Consignments": [{"Number": 1}]}, "Consignments row 1: ShipperCode must not be null"),
        ({"Consignments": [ONE["Consignments"][0]] * 2}, "must be unique"),
        (
            {"Crates": [{"Number": 1, "GoodsCode": 1, "Pieces": 1, "Tariff": "1", "ConsignmentNumber": 5}]},
            "must name a row of Consignments",
        ),
        ({"Consignments": [{"Number": True, "ShipperCode": "x"}]}, "expected int, got True"),
    ],
)
def test_rows_that_do_not_fit_are_refused_with_place_and_expectation(data, says):
    with pytest.raises(BadData, match=says):
        read_data(data, FREIGHT)


def test_all_problems_are_told_at_once():
    with pytest.raises(BadData) as caught:
        read_data({"Boxes": [], "Consignments": [{"Number": "x", "Odd": 1}]}, FREIGHT)

    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    "args",
    [
        [{"name": "shipperCode", "value": {"t": "string", "v": "SH"}}],
        [{"t": "string", "v": "SH"}],
        ["SH"],
        {"shipperCode": "SH"},
    ],
)
@pytest.mark.parametrize("name", ["PiecesBookedByAsync", "Queries.PiecesBookedByAsync"])
def test_calls_are_read_in_each_form(name, args):
    (call,) = read_calls([{"method": name, "args": args}], QUERIES)

    assert (call.class_name, call.method) == ("Queries", "PiecesBookedByAsync")
    assert call.args == (("shipperCode", text("SH")),)


def test_null_is_an_argument():
    (call,) = read_calls([{"method": "OfBadgeAsync", "args": [{"name": "badge", "value": {"t": "null"}}]}], QUERIES)

    assert call.args == (("badge", NULL),)


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ({}, "expected"),
        ([{"args": []}], r"calls\[1\]: expected"),
        ([{"method": "Nope"}], "unknown method Nope; known: Queries.PiecesBookedByAsync"),
        ([{"method": "OfBadgeAsync", "args": []}], r"needs badge \(string\)"),
        ([{"method": "OfBadgeAsync", "args": ["a", "b"]}], "takes 1 arguments, got 2"),
        ([{"method": "OfBadgeAsync", "args": {"bagde": "a"}}], "has no parameter bagde"),
        ([{"method": "OfBadgeAsync", "args": [5]}], "badge: expected string, got 5"),
    ],
)
def test_calls_that_do_not_fit_are_refused(calls, says):
    with pytest.raises(BadData, match=says):
        read_calls(calls, QUERIES)


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        (CellType.DATETIME, "2024-03-01T23:59:59.9999999", "2024-03-01T23:59:59.9990000"),
        (CellType.DATETIME, "2024-03-01T23:59:59", "2024-03-01T23:59:59"),
        (CellType.DATETIMEOFFSET, "2024-03-01T01:02:03.1234567+02:00", "2024-03-01T01:02:03.1230000+02:00"),
        (CellType.TIME, "01:02:03.00099", "01:02:03.00000"),
        (CellType.TIMESPAN, "1.01:02:03.0009999", "1.01:02:03.0009999"),
        (CellType.STRING, "at 01:02:03.1234567", "at 01:02:03.1234567"),
    ],
)
def test_what_documents_do_not_keep_of_a_time_is_cut(kind, given, kept):
    one = Cell(type=kind, text=given)
    assert at_millisecond(one).text == kept
    assert at_millisecond(Cell(type=CellType.LIST, items=(one, NULL))).items[0].text == kept


def test_rows_and_arguments_are_cut_alike():
    claim = {"Id": 1, "Stage": "Lodged", "LodgedAt": "2024-01-01T00:00:00.0009999", "Target_Place": "x"}
    (row,) = read_data({"claims": [claim]}, CLAIMS).tables["claims"]
    assert row["LodgedAt"].text == "2024-01-01T00:00:00.0000000"

from typing import Any

from dirty_equals import IsStr
from hypothesis import given
from hypothesis import strategies as st

from uom_acp.differences import FIELDS_SHOWN, Differing, differing


def cell(kind: str, text: str) -> dict[str, Any]:
    return {"t": kind, "v": text}


def row(**members: dict[str, Any]) -> dict[str, Any]:
    return {"t": "object", "name": "Row", "f": members}


def rows(*found: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"outcome": "rows", "value": {"t": "list", "v": list(found)}, **more}


def number(n: int) -> dict[str, Any]:
    return row(Id=cell("int", str(n)), Name=cell("string", f"n{n}"))


def test_only_the_field_that_differs_is_listed() -> None:
    source = rows(number(1), row(Id=cell("int", "2"), Name=cell("string", "b")))
    target = rows(number(1), row(Id=cell("int", "2"), Name=cell("string", "B")))
    assert differing(source, target) == [Differing(row="2", field="Name", source='"b"', target='"B"')]


def test_rows_are_paired_by_likeness_not_by_place() -> None:
    target = rows(number(3), row(Id=cell("int", "1"), Name={"t": "null"}), number(2))
    (found,) = differing(rows(number(1), number(2), number(3)), target)
    assert found == Differing(row="1", field="Name", source='"n1"', target="null")


def test_a_missing_row_is_said_whole() -> None:
    (found,) = differing(rows(number(1), number(2)), rows(number(1)))
    assert found == Differing(row="2", field="whole row", source='Id: 2, Name: "n2"', target="no such row")
    (extra,) = differing(rows(), rows(number(1)))
    assert (extra.source, extra.target) == ("no such row", 'Id: 1, Name: "n1"')


def test_another_order_is_shown_place_by_place() -> None:
    found = differing(rows(number(1), number(2)), rows(number(2), number(1)))
    assert [(each.row, each.field) for each in found] == [("1", "Id"), ("1", "Name"), ("2", "Id"), ("2", "Name")]


def test_decimals_are_compared_by_value() -> None:
    assert differing(rows(row(P=cell("decimal", "9.90"))), rows(row(P=cell("decimal", "9.9")))) == []


def test_members_of_members_have_a_path() -> None:
    def order(city: str) -> dict[str, Any]:
        lines = {"t": "list", "v": [row(City=cell("string", city))]}
        return row(Customer=row(Lines=lines))

    (found,) = differing(rows(order("Brno")), rows(order("Praha")))
    assert found == Differing(row="", field="Customer.Lines[0].City", source='"Brno"', target='"Praha"')


def test_outcomes_of_two_kinds_are_one_line() -> None:
    thrown = {"outcome": "throws", "exception": "NoSuchElementException"}
    (found,) = differing(rows(number(1)), thrown)
    assert (found.field, found.source, found.target) == ("outcome", "1 row", "throws NoSuchElementException")
    (scalar,) = differing({"outcome": "scalar", "value": cell("int", "3")}, {"outcome": "none"})
    assert (scalar.source, scalar.target) == ("3", "null")


def test_a_state_after_a_command_names_its_table() -> None:
    done = {"outcome": "scalar", "value": cell("int", "1")}
    ours = {**done, "state": {"Orders": [{"Id": cell("int", "1"), "Paid": cell("bool", "true")}]}}
    theirs = {**done, "state": {"Orders": [{"Id": cell("int", "1"), "Paid": cell("bool", "false")}]}}
    (found,) = differing(ours, theirs)
    assert found == Differing(row="", field="Orders.Paid", source="true", target="false")


def test_many_differences_are_bounded_and_quick() -> None:
    ours, theirs = [number(n) for n in range(3000)], [number(n + 5000) for n in range(3000)]
    found = differing(rows(*ours[:300]), rows(*theirs[:300]))
    assert FIELDS_SHOWN < len(found) <= FIELDS_SHOWN + 2


@given(st.lists(st.integers(0, 5), max_size=6))
def test_equal_answers_have_no_difference(numbers: list[int]) -> None:
    answer = rows(*(number(n) for n in numbers))
    assert differing(answer, answer) == []


@given(st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 3), max_size=6))
def test_answers_that_differ_always_show_something(ours: list[int], theirs: list[int]) -> None:
    found = differing(rows(*map(number, ours)), rows(*map(number, theirs)))
    assert bool(found) == (ours != theirs)
    assert all(each.field == IsStr(min_length=1) for each in found)

import random
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_agent.model.values import NULL, Cell, CellType, scalar
from react_agent.proof.canonical import decimal_value
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import Order, OrderRule, SortKey
from tests.react_agent.proof.golden import cases

UNORDERED = OrderRule(order=Order.UNORDERED)
TOTAL = OrderRule(order=Order.TOTAL)


def obj(**members):
    return Cell(type=CellType.OBJECT, name="Row", fields=members)


def rows(*cells):
    value = Cell(type=CellType.LIST, items=tuple(cells))
    return Envelope(call="c", instance="i", method="M", outcome="rows", value=value, row_count=len(cells))


def value(cell):
    return Envelope(call="c", instance="i", method="M", outcome="scalar", value=cell)


def throws(kind):
    return Envelope(call="c", instance="i", method="M", outcome="throws", kind=kind, exception="X")


def i(n):
    return scalar(CellType.INT, n)


def s(text):
    return scalar(CellType.STRING, text)


scalars = st.one_of(
    st.integers(-(2**31), 2**31 - 1).map(i),
    st.text(max_size=4).map(s),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-999, max_value=999).map(
        lambda d: scalar(CellType.DECIMAL, d)
    ),
    st.booleans().map(lambda b: scalar(CellType.BOOL, b)),
    st.just(NULL),
)
objects = st.builds(lambda a, b: obj(A=a, B=b), scalars, scalars)
results = st.lists(objects, max_size=8)
rules = st.sampled_from([
    UNORDERED,
    TOTAL,
    OrderRule(order=Order.TIES, keys=(SortKey(path=("A",)),)),
    OrderRule(order=Order.TIES, keys=(SortKey(path=("A",)),), page=True),
])


@given(results, rules)
def test_a_result_equals_itself(cells, rule):
    assert compare(rows(*cells), rows(*cells), rule) is None


@given(results, results, rules)
def test_swapping_the_sides_mirrors_the_difference(one, other, rule):
    there, back = compare(rows(*one), rows(*other), rule), compare(rows(*other), rows(*one), rule)

    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert there.kind == back.kind
        assert (there.missing, there.extra) == (back.extra, back.missing)


@given(results, st.randoms())
def test_shuffled_rows_never_differ_where_order_does_not_bind(cells, rng):
    shuffled = rng.sample(cells, len(cells))

    assert compare(rows(*cells), rows(*shuffled), UNORDERED) is None


@given(results.filter(bool), rules, st.data())
def test_another_cell_always_differs(cells, rule, data):
    at = data.draw(st.integers(0, len(cells) - 1))
    changed = obj(A=cells[at].fields["A"], B=s("something else"))

    assert compare(rows(*cells), rows(*cells[:at], changed, *cells[at + 1 :]), rule) is not None


@given(results.filter(bool), rules, st.data())
def test_a_row_too_few_or_too_many_always_differs(cells, rule, data):
    at = data.draw(st.integers(0, len(cells) - 1))

    assert compare(rows(*cells), rows(*cells[:at], *cells[at + 1 :]), rule) is not None
    assert compare(rows(*cells), rows(*cells, cells[at]), rule) is not None


@pytest.mark.parametrize("rule", [UNORDERED, TOTAL])
def test_the_structure_of_duplicates_counts(rule):
    a, b = obj(A=i(1)), obj(A=i(2))

    found = compare(rows(a, a, b), rows(a, b, b), rule)

    assert found is not None
    assert (found.kind, found.missing, found.extra) == (DifferenceKind.ROWS, (1,), (2,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scalar(CellType.DECIMAL, "9.90"), scalar(CellType.DECIMAL, "9.9")),
        (scalar(CellType.DECIMAL, "1E+2"), scalar(CellType.DECIMAL, "100")),
        (scalar(CellType.DECIMAL, "0.00"), scalar(CellType.DECIMAL, "-0")),
        (scalar(CellType.DOUBLE, "98.95"), scalar(CellType.DOUBLE, "98.950")),
        (scalar(CellType.DOUBLE, "1E10"), scalar(CellType.DOUBLE, "10000000000")),
        (scalar(CellType.DOUBLE, "NaN"), scalar(CellType.DOUBLE, "NaN")),
        (scalar(CellType.FLOAT, "0.1"), scalar(CellType.FLOAT, "0.10000000149011612")),
        (scalar(CellType.GUID, "AB" * 4), scalar(CellType.GUID, "ab" * 4)),
        (
            Cell(type=CellType.DATETIME, text="2024-01-01T00:30:00.1234567", kind="Local"),
            Cell(type=CellType.DATETIME, text="2024-01-01T00:30:00.123Z", kind="Utc"),
        ),
        (
            Cell(type=CellType.DATETIMEOFFSET, text="2024-01-01T02:00:00+02:00"),
            Cell(type=CellType.DATETIMEOFFSET, text="2024-01-01T00:00:00.0000000+00:00"),
        ),
        (
            Cell(type=CellType.ENUM, text="2", name="Lodged", enum="Stage"),
            Cell(type=CellType.ENUM, text="7", name="Lodged", enum="Stage"),
        ),
    ],
)
def test_the_same_value_in_another_writing_is_equal(one, other):
    assert compare(value(one), value(other), TOTAL) is None
    assert compare(rows(one), rows(other), UNORDERED) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (i(1), scalar(CellType.LONG, 1)),
        (i(1), scalar(CellType.DOUBLE, "1")),
        (scalar(CellType.DECIMAL, "10.00"), s("10.00")),
        (scalar(CellType.DECIMAL, "0.04"), scalar(CellType.DECIMAL, "0.01")),
        (s("a"), s("A")),
        (s("a"), s("a ")),
        (s(""), NULL),
        (
            Cell(type=CellType.DATETIME, text="2024-01-01T00:30:00"),
            Cell(type=CellType.DATETIME, text="2023-12-31T23:30:00"),
        ),
        (Cell(type=CellType.ENUM, text="1", name="A"), Cell(type=CellType.ENUM, text="1", name="B")),
        (scalar(CellType.DOUBLE, "0.1"), scalar(CellType.DOUBLE, "0.10000000000000002")),
    ],
)
def test_another_value_or_type_differs(one, other):
    assert compare(rows(one), rows(other), UNORDERED) is not None


def test_types_are_one_only_where_the_mapping_widens_them():
    widened = OrderRule(order=Order.TOTAL, widened=frozenset({(CellType.INT, CellType.LONG)}))

    assert compare(value(i(1)), value(scalar(CellType.LONG, 1)), widened) is None
    assert compare(value(i(1)), value(scalar(CellType.LONG, 2)), widened) is not None


def test_a_missing_member_is_null_only_where_the_member_may_be_null():
    rule = OrderRule(order=Order.UNORDERED, nullable=frozenset({"Row.B"}))

    assert compare(rows(obj(A=i(1), B=NULL)), rows(obj(A=i(1))), rule) is None
    assert compare(rows(obj(A=NULL, B=i(1))), rows(obj(B=i(1))), rule) is not None


def test_references_that_ef_fills_on_its_own_are_left_out():
    rule = OrderRule(order=Order.UNORDERED, ignored=frozenset({"Row.Mentor"}))

    assert compare(rows(obj(A=i(1), Mentor=obj(A=i(2)))), rows(obj(A=i(1))), rule) is None
    assert compare(rows(obj(A=i(1), Mentor=obj(A=i(2)))), rows(obj(A=i(1))), UNORDERED) is not None


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (throws("not_found"), value(NULL), DifferenceKind.OUTCOME),
        (throws("not_found"), throws("too_many"), DifferenceKind.ERROR_KIND),
        (rows(), value(i(0)), DifferenceKind.OUTCOME),
        (value(i(0)), value(NULL), DifferenceKind.OUTCOME),
    ],
)
def test_outcomes_are_compared_by_kind(one, other, kind):
    found = compare(one, other, TOTAL)

    assert found is not None
    assert found.kind == kind


def test_a_fold_over_nothing_is_not_found_however_it_is_worded():
    nullable = replace(throws("error"), exception="System.InvalidOperationException")
    rule = OrderRule(order=Order.TOTAL, needs_rows=True)

    assert compare(nullable, throws("not_found"), rule) is None
    assert compare(nullable, throws("not_found"), TOTAL) is not None
    assert compare(throws("error"), throws("not_found"), rule) is not None


def test_a_null_scalar_is_the_outcome_none():
    none = Envelope(call="c", instance="i", method="M", outcome="none")

    assert compare(none, value(NULL), TOTAL) is None


def test_a_total_order_binds_every_row():
    found = compare(rows(i(1), i(2), i(3)), rows(i(1), i(3), i(2)), TOTAL)

    assert found is not None
    assert (found.kind, found.missing) == (DifferenceKind.ORDER, (1,))


TIES = OrderRule(order=Order.TIES, keys=(SortKey(path=("K",)),))


def tied(key, identity):
    return obj(K=i(key), Id=i(identity))


def test_rows_may_swap_inside_a_tie_and_nowhere_else():
    source = rows(tied(1, 1), tied(1, 2), tied(2, 3))

    assert compare(source, rows(tied(1, 2), tied(1, 1), tied(2, 3)), TIES) is None
    swapped = compare(source, rows(tied(1, 1), tied(2, 3), tied(1, 2)), TIES)
    assert swapped is not None
    assert swapped.kind == DifferenceKind.ORDER


def test_nulls_at_the_other_end_differ():
    source = rows(obj(K=NULL, Id=i(1)), tied(1, 2))

    assert compare(source, rows(tied(1, 2), obj(K=NULL, Id=i(1))), TIES) is not None


def test_a_page_cut_inside_a_tie_may_hold_any_member_of_it():
    unpaged = rows(tied(1, 1), tied(2, 2), tied(2, 3), tied(2, 4))
    rule = replace(TIES, page=True, unpaged=unpaged)
    source = rows(tied(1, 1), tied(2, 2), tied(2, 3))

    assert compare(source, rows(tied(1, 1), tied(2, 4), tied(2, 2)), rule) is None
    stranger = compare(source, rows(tied(1, 1), tied(2, 2), tied(2, 9)), rule)
    assert stranger is not None
    assert stranger.kind == DifferenceKind.ROWS
    twice = compare(source, rows(tied(1, 1), tied(2, 2), tied(2, 2)), rule)
    assert twice is not None


def test_a_whole_group_of_a_page_is_compared_as_it_is():
    unpaged = rows(tied(1, 1), tied(1, 2), tied(2, 3), tied(2, 4))
    rule = replace(TIES, page=True, unpaged=unpaged)

    found = compare(rows(tied(1, 1), tied(1, 2), tied(2, 3)), rows(tied(1, 1), tied(1, 1), tied(2, 3)), rule)

    assert found is not None
    assert found.kind == DifferenceKind.ROWS


def test_without_the_unpaged_rows_a_cut_tie_is_undetermined():
    rule = replace(TIES, page=True)

    found = compare(rows(tied(1, 1), tied(2, 2)), rows(tied(1, 1), tied(2, 3)), rule)

    assert found is not None
    assert found.kind == DifferenceKind.UNDETERMINED


def test_a_page_without_an_order_still_compares_count_and_membership():
    rule = OrderRule(order=Order.UNORDERED, page=True, unpaged=rows(i(1), i(2), i(3)), reason="no order")

    assert compare(rows(i(1), i(2)), rows(i(3), i(1)), rule) is None
    short, strange = compare(rows(i(1), i(2)), rows(i(1)), rule), compare(rows(i(1), i(2)), rows(i(1), i(9)), rule)
    assert short is not None
    assert short.kind == DifferenceKind.ROW_COUNT
    assert strange is not None
    assert strange.kind == DifferenceKind.PAGE


def test_one_row_of_several_must_be_one_of_them():
    rule = OrderRule(order=Order.UNORDERED, one=True, unpaged=rows(i(1), i(2)))

    assert compare(value(i(1)), value(i(2)), rule) is None
    strange = compare(value(i(1)), value(i(3)), rule)
    assert strange is not None
    assert strange.kind == DifferenceKind.PAGE
    unknown = compare(value(i(1)), value(i(2)), replace(rule, unpaged=None))
    assert unknown is not None
    assert unknown.kind == DifferenceKind.UNDETERMINED


def test_a_list_inside_a_row_is_ordered_only_where_the_query_orders_it():
    one = rows(obj(Codes=Cell(type=CellType.LIST, items=(s("a"), s("b")))))
    other = rows(obj(Codes=Cell(type=CellType.LIST, items=(s("b"), s("a")))))

    assert compare(one, other, UNORDERED) is None
    assert compare(one, other, replace(UNORDERED, inner=((("Codes",), TOTAL),))) is not None


def test_the_state_after_a_command_is_compared_whole():
    row = {"Id": i(1), "Note": NULL}
    one = replace(value(i(1)), state={"T": (row, {"Id": i(2), "Note": s("x")}), "U": ()})
    same = replace(value(i(1)), state={"T": ({"Note": s("x"), "Id": i(2)}, {"Id": i(1)})})
    other = replace(value(i(1)), state={"T": ({"Id": i(1)}, {"Id": i(2), "Note": s("y")}), "U": ()})

    assert compare(one, same, TOTAL) is None
    found = compare(one, other, TOTAL)
    assert found is not None
    assert (found.kind, found.table) == (DifferenceKind.STATE, "T")
    assert compare(one, value(i(1)), TOTAL) is not None


def test_many_rows_compare_in_one_pass():
    cells = [
        obj(Id=i(n), Text=s(f"row {n % 1000}"), Amount=scalar(CellType.DECIMAL, f"{n % 97}.50")) for n in range(30_000)
    ]
    shuffled = random.Random(1).sample(cells, len(cells))
    changed = [*shuffled[:-1], obj(Id=i(-1), Text=s(""), Amount=NULL)]

    assert compare(rows(*cells), rows(*shuffled), UNORDERED) is None
    found = compare(rows(*cells), rows(*changed), UNORDERED)
    assert found is not None
    assert found.message == "1 of 30000 rows differ"


def rule_of(entry):
    keys = tuple(
        SortKey(path=(k.removeprefix("-"),), descending=k.startswith("-")) for k in entry.get("order_keys", ())
    )
    return OrderRule(order=Order(entry.get("ordered", "unordered")), keys=keys, page="LIMIT" in str(entry.get("sql")))


def altered(cell):
    if cell.type == CellType.LIST and cell.items:
        return replace(cell, items=(altered(cell.items[0]), *cell.items[1:]))
    if cell.type == CellType.OBJECT:
        name = next(iter(cell.fields))
        return replace(cell, fields={**cell.fields, name: altered(cell.fields[name])})
    return s("altered") if cell.text != "altered" else NULL


@pytest.mark.parametrize("entry", cases())
def test_recorded_results_equal_themselves_and_no_altered_ones(entry):
    envelope = Envelope.from_json(entry)
    rule = rule_of(entry)

    assert compare(envelope, envelope, rule) is None
    if envelope.value is not None and (envelope.outcome == "scalar" or envelope.rows):
        changed = replace(envelope, value=altered(envelope.value))
        assert compare(envelope, changed, rule) is not None
    if envelope.rows:
        assert compare(envelope, replace(envelope, value=rows(*envelope.rows[1:]).value), rule) is not None


@pytest.mark.parametrize("entry", cases())
def test_recorded_rows_may_be_permuted_only_where_they_are_unordered(entry):
    envelope = Envelope.from_json(entry)
    if len({str(row.to_json()) for row in envelope.rows}) < 2:
        return
    turned = replace(envelope, value=rows(*reversed(envelope.rows)).value)

    found = compare(envelope, turned, rule_of(entry))

    assert (found is None) == (entry["ordered"] == "unordered")


@pytest.mark.parametrize("entry", cases())
def test_a_recorded_state_with_one_altered_cell_differs(entry):
    envelope = Envelope.from_json(entry)
    if not envelope.state:
        return
    table = next(t for t, found in envelope.state.items() if found)
    first = dict(envelope.state[table][0])
    first[next(iter(first))] = s("altered")
    state = {**envelope.state, table: (first, *envelope.state[table][1:])}

    found = compare(envelope, replace(envelope, state=state), rule_of(entry))

    assert found is not None
    assert (found.kind, found.table) == (DifferenceKind.STATE, table)


@pytest.mark.parametrize(
    ("in_csharp", "in_java"),
    [
        ("0.0333333333333333333333333333", "0.03333333333333333333333333333333333"),
        ("0.3333333333333333333333333333", "0.3333333333333333333333333333333333"),
        ("33.33333333333333333333333333", "33.33333333333333333333333333333333"),
        ("0", "0.00000000000000000000000000000000001"),
        ("0.0000000000000000000000000001", "0.00000000000000000000000000010"),
    ],
)
def test_decimals_are_compared_at_the_digits_that_csharp_keeps(in_csharp, in_java):
    assert decimal_value(in_csharp) == decimal_value(in_java)
    assert decimal_value(in_csharp) != decimal_value(in_csharp) + Decimal("1E-20")


LOADED = OrderRule(
    order=Order.TIES,
    keys=(SortKey(path=("A",)),),
    ignored=frozenset({"Row.Mentor", "Row.Other"}),
    loaded=frozenset({"Row.Mentor"}),
)


def test_what_was_loaded_with_an_entity_is_compared():
    one, two = obj(A=i(1), Mentor=obj(A=i(2))), obj(A=i(1), Mentor=obj(A=i(3)))
    three = obj(A=i(4), Mentor=NULL)

    assert compare(rows(one, two, three), rows(two, one, three), LOADED) is None
    found = compare(rows(one, two, three), rows(one, one, three), LOADED)
    assert found is not None
    assert (found.kind, found.missing, found.extra) == (DifferenceKind.ROWS, (0,), (0,))
    assert compare(rows(three), rows(obj(A=i(4), Mentor=obj(A=i(2)))), LOADED) is not None
    assert compare(value(one), value(two), replace(LOADED, order=Order.TOTAL)) is not None


def test_what_was_not_asked_for_is_left_out_beside_what_was():
    one = obj(A=i(1), Mentor=obj(A=i(2)), Other=obj(A=i(9)))

    assert compare(rows(one), rows(obj(A=i(1), Mentor=obj(A=i(2)))), LOADED) is None


def test_a_page_inside_a_tie_compares_what_the_rows_of_both_sides_loaded():
    first, second = (obj(A=i(1), Name=scalar(CellType.STRING, n), Mentor=obj(A=i(2))) for n in "xy")
    wrong = obj(A=i(1), Name=scalar(CellType.STRING, "x"), Mentor=obj(A=i(3)))
    bare = rows(*(obj(A=i(1), Name=scalar(CellType.STRING, n)) for n in "xy"))
    paged = replace(LOADED, page=True, unpaged=bare)

    assert compare(rows(first), rows(second), paged) is None
    assert compare(rows(first), rows(wrong), paged) is not None


def test_a_page_beside_its_total_is_compared_by_the_rules_of_a_page():
    def page(total, *items):
        return value(obj(Total=i(total), Items=Cell(type=CellType.LIST, items=items)))

    one, two, three = (obj(A=i(1), B=i(n)) for n in (1, 2, 3))
    four = obj(A=i(2), B=i(4))
    tied = replace(LOADED, loaded=frozenset(), page=True, unpaged=rows(one, two, four))
    rule = OrderRule(order=Order.TOTAL, within=(("Items", tied),))

    assert compare(page(3, one), page(3, two), rule) is None
    assert compare(page(3, one), page(4, one), rule).kind == DifferenceKind.VALUE
    assert compare(page(3, one), page(3, three), rule).kind == DifferenceKind.ROWS
    assert compare(page(3, one), page(3, four), rule) is not None
    assert compare(page(3, one, two), page(3, one), rule) is not None
    unknown = compare(page(3, one), page(3, two), replace(rule, within=(("Items", replace(tied, unpaged=None)),)))
    assert unknown.kind == DifferenceKind.UNDETERMINED


def test_rows_in_a_made_object_are_compared_as_rows_are():
    def page(*items):
        return value(obj(Total=i(2), Items=Cell(type=CellType.LIST, items=items)))

    def mean(text):
        return obj(A=i(1), Mean=scalar(CellType.DOUBLE, text))

    sums = OrderRule(order=Order.TOTAL, inexact=frozenset({("Mean",)}), magnitude=1.0)
    rule = OrderRule(order=Order.TOTAL, within=(("Items", sums),))
    assert compare(page(mean("0.3")), page(mean("0.30000000000000004")), rule) is None
    assert compare(page(mean("0.3")), page(mean("0.31")), rule) is not None

    one, two = obj(A=i(1), Mentor=obj(A=i(2))), obj(A=i(1), Mentor=obj(A=i(3)))
    whole = OrderRule(order=Order.TOTAL, within=(("Items", LOADED),))
    assert compare(page(one), page(one), whole) is None
    assert compare(page(one), page(two), whole) is not None
    assert compare(page(one, obj(A=i(2), Mentor=NULL)), page(obj(A=i(2), Mentor=NULL), one), whole) is not None

from dataclasses import replace

import pytest

from react_agent.model.query import Branch, Choice, Include, Outcome, Part
from react_agent.model.values import NULL, CellType, scalar
from react_agent.proof.order import Order, SortKey, order_rule
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    SPAN,
    clr,
    const,
    each,
    get,
    method,
    new,
    op,
    order,
    param,
    query,
    skip,
    source,
    sub,
    take,
    text,
    var,
    where,
)

C = var("c", "Crate")
NUMBER, PIECES, GOODS = get(C, "Number", "int"), get(C, "Pieces", "int"), get(C, "GoodsCode", "int")
ROW = new("Line", Number=NUMBER, Pieces=PIECES)


def rule(*clauses, element=C, outcome=Outcome.LIST, kind="List<Crate>", args=None):
    return order_rule(method("M", query([source("c", "Crate"), *clauses], element, outcome, kind)), FREIGHT, args)


def test_rows_without_an_order_are_a_multiset():
    assert rule().order == Order.UNORDERED
    assert order_rule(OF_BADGE, CLAIMS).order == Order.UNORDERED


def test_an_order_that_holds_the_key_is_total():
    assert rule(order(PIECES, NUMBER)).order == Order.TOTAL


def test_an_order_without_a_key_has_ties_and_shows_where_its_keys_are():
    found = rule(order((PIECES, True)), element=ROW)

    assert found.order == Order.TIES
    assert found.keys == (SortKey(path=("Pieces",), descending=True),)


def test_a_sort_key_that_the_rows_do_not_show_is_hidden():
    assert not rule(order(GOODS), element=ROW).visible


def test_an_alternate_key_is_total_too():
    member = var("m", "FieldMember")
    by_badge = query(
        [source("m", "FieldMember"), order(get(member, "Badge", "string"))], member, Outcome.LIST, "List<M>"
    )

    assert order_rule(method("M", by_badge), CLAIMS).order == Order.TOTAL


def test_a_parents_key_does_not_order_its_children():
    booking = var("b", "Consignment")
    clauses = [
        source("b", "Consignment"),
        each("c", get(booking, "Crates", "List<Crate>")),
        order(get(booking, "Number", "int")),
    ]

    assert order_rule(method("M", query(clauses, C, Outcome.LIST, "List<Crate>")), FREIGHT).order == Order.TIES


def test_a_page_inside_ties_is_a_page_and_a_page_of_a_total_order_is_none():
    assert rule(order(PIECES), skip(const(1, "int")), take(const(2, "int"))).page
    assert not rule(order(NUMBER), skip(const(1, "int")), take(const(2, "int"))).page


def test_a_page_without_an_order_is_undetermined():
    found = rule(take(const(2, "int")))

    assert found.undetermined
    assert found.order == Order.UNORDERED


def test_a_sum_over_a_page_cut_inside_a_tie_is_undetermined_and_a_count_is_not():
    page = (order(PIECES), take(const(2, "int")))

    assert rule(*page, element=PIECES, outcome=Outcome.SUM, kind="int").undetermined
    assert not rule(*page, outcome=Outcome.COUNT, kind="int").undetermined


def test_a_page_that_is_sorted_again_is_undetermined():
    assert rule(order(PIECES), take(const(2, "int")), order(NUMBER)).undetermined
    assert not rule(order(NUMBER), take(const(2, "int")), order(PIECES)).undetermined


@pytest.mark.parametrize("outcome", [Outcome.FIRST, Outcome.FIRST_OR_DEFAULT])
def test_one_row_of_several_without_a_total_order(outcome):
    assert rule(outcome=outcome, kind="Crate").one
    assert not rule(order(NUMBER), outcome=outcome, kind="Crate").one


def test_a_fold_has_no_order():
    assert order_rule(PIECES_BOOKED, FREIGHT).order == Order.TOTAL


def branch(text_, *clauses):
    return Branch(condition=op(param("order", "string?"), "==", const(text_, "string")), clauses=tuple(clauses))


def test_arguments_decide_between_the_orders_of_a_choice():
    choice = Choice(branches=(branch("goods", order(GOODS)),), otherwise=(order(PIECES),), span=SPAN)
    row = new("Line", Pieces=PIECES, GoodsCode=GOODS)
    body = query([source("c", "Crate"), choice, take(const(4, "int"))], row, Outcome.LIST, "List<Line>")
    search = method("Search", body, order="string?")

    assert order_rule(search, FREIGHT, {"order": text("goods")}).keys[0].path == ("GoodsCode",)
    assert order_rule(search, FREIGHT, {"order": NULL}).keys[0].path == ("Pieces",)
    assert order_rule(search, FREIGHT).undetermined


def test_a_list_inside_a_row_has_its_own_rule():
    claim, line = var("claim", "TravelClaim"), var("line", "ClaimLine")
    lines = get(claim, "Lines", "List<ClaimLine>")
    caption = get(line, "Caption", "string")
    sorted_ = sub([each("line", lines), order(caption)], caption, Outcome.LIST, "List<string>")
    plain = sub([each("line", lines)], caption, Outcome.LIST, "List<string>")
    body = query([source("claim", "TravelClaim")], new("Card", Sorted=sorted_, Plain=plain), Outcome.LIST, "List<Card>")

    inner = dict(order_rule(method("M", body), CLAIMS).inner)

    assert inner["Sorted",].order == Order.TIES
    assert inner["Sorted",].keys == (SortKey(path=()),)
    assert inner["Plain",].order == Order.UNORDERED


def test_nullable_members_are_read_from_the_mapping_and_the_projection():
    row = new("Brief", Ledger=get(var("claim", "TravelClaim"), "LedgerNo", "int?"), Id=const(1, "int"))
    found = order_rule(method("M", query([source("claim", "TravelClaim")], row, Outcome.LIST, "List<Brief>")), CLAIMS)

    assert {"Brief.Ledger", "TravelClaim.MemberId"} <= found.nullable
    assert "Brief.Id" not in found.nullable


def test_an_entry_without_a_query_is_unordered():
    assert order_rule(replace(PIECES_BOOKED, query=None), FREIGHT).order == Order.UNORDERED


def test_a_condition_that_cannot_be_followed_leaves_the_order_open():
    odd = Branch(condition=where(const(1, "int")).predicate, clauses=(order(GOODS),))
    choice = Choice(branches=(odd, branch("x", order(NUMBER))), otherwise=(), span=SPAN)

    found = rule(choice, args={"other": scalar(CellType.INT, 1)})

    assert found.order in {Order.UNORDERED, Order.TIES}


def test_references_between_entities_are_left_out_and_parts_are_not():
    assert order_rule(OF_BADGE, CLAIMS).ignored == {"TravelClaim.Member", "TravelClaim.Lines"}


def paged(*clauses):
    """A method that gives a page of rows beside how many there are."""
    body = query([source("c", "Crate"), *clauses], ROW, Outcome.LIST, "List<Line>")
    count = query([source("c", "Crate")], C, Outcome.COUNT, "int")
    rows, total = param("rows", "List<Line>"), param("total", "int")
    parts = (Part(name="total", query=count, type=clr("int")), Part(name="rows", query=None, type=clr("List<Line>")))
    return replace(method("M", body), parts=parts, made=new("Page", Items=rows, Total=total))


def test_rows_inside_an_object_that_a_method_makes_keep_their_rule():
    whole = order_rule(paged(order(NUMBER), take(const(2, "int"))), FREIGHT)

    ((place, rows),) = whole.within
    assert (whole.order, whole.page, place, rows.order, rows.page) == (Order.TOTAL, False, "Items", Order.TOTAL, False)


def test_a_page_inside_such_an_object_that_a_tie_may_cut_has_a_rule_of_its_own():
    whole = order_rule(paged(order(PIECES), take(const(2, "int"))), FREIGHT)

    ((place, rows),) = whole.within
    assert (whole.order, whole.page, whole.undetermined) == (Order.TOTAL, False, "")
    assert (place, rows.order, rows.page) == ("Items", Order.TIES, True)
    assert not whole.visible or rows.visible


def test_a_page_without_an_order_inside_such_an_object_is_open():
    assert "without an order" in order_rule(paged(take(const(2, "int"))), FREIGHT).undetermined


def test_every_list_inside_such_an_object_has_the_rule_of_its_own_query():
    method = paged(order(NUMBER))
    others = query([source("c", "Crate"), order(PIECES)], C, Outcome.LIST, "List<Crate>")
    parts = (*method.parts, Part(name="others", query=others, type=clr("List<Crate>")))
    made = replace(method.made, members=(*method.made.members, ("Others", param("others", "List<Crate>"))))
    whole = order_rule(replace(method, parts=parts, made=made), FREIGHT)

    assert [(name, rows.order) for name, rows in whole.within] == [("Items", Order.TOTAL), ("Others", Order.TIES)]


@pytest.mark.parametrize(("key", "wanted"), [(PIECES, Order.TIES), (NUMBER, Order.TOTAL)])
def test_an_included_collection_is_in_order_as_far_as_its_own_sort_says(key, wanted):
    consignment = var("b", "Consignment")
    crates = Include(navigation="Crates", span=SPAN, variable="c", clauses=(order(key),))
    body = query([source("b", "Consignment")], consignment, Outcome.LIST, "List<Consignment>")
    loading = method("M", replace(body, includes=(crates,)))

    found = order_rule(loading, FREIGHT)
    assert found.loaded == {"Consignment.Crates"}
    assert [(path, rule.order) for path, rule in found.inner if path] == [(("Crates",), wanted)]

    count = query([source("b", "Consignment")], consignment, Outcome.COUNT, "int")
    parts = (Part(name="n", query=count, type=clr("int")), Part(name="rows", query=None, type=clr("List<Consignment>")))
    made = new("Page", Items=param("rows", "List<Consignment>"), Total=param("n", "int"))
    ((_, rows),) = order_rule(replace(loading, parts=parts, made=made), FREIGHT).within
    assert (rows.loaded, dict(rows.inner)[("Crates",)].order) == ({"Consignment.Crates"}, wanted)

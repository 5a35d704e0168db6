from dataclasses import replace

import pytest

from react_agent.model.query import Outcome
from react_agent.model.values import NULL
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import order_rule
from react_agent.proof.reading import disagreement, misread
from react_agent.proof.verdict import Evidence, Pair, Verdict, decide
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    const,
    get,
    method,
    new,
    number,
    op,
    order,
    param,
    query,
    skip,
    source,
    take,
    text,
    var,
    where,
)

BOOKED = """DbSet<Consignment>()
    .Where(booking => booking.ShipperCode == @shipperCode)
    .SelectMany(
        collectionSelector: booking => booking.Crates,
        resultSelector: (booking, crate) => crate.Pieces)
    .Sum()"""
BADGE = """DbSet<TravelClaim>()
    .Where(claim => claim.Member.Badge == @badge)
    .Select(claim => new ClaimBrief(
        claim.Id,
        claim.LodgedAt,
        claim.Stage.ToString(),
        (double)claim.Lines
            .Sum(line => line.DayRate * (decimal)line.Days)
    ))"""
C = var("c", "Crate")
NUMBER, PIECES = get(C, "Number", "int"), get(C, "Pieces", "int")
PAGE = method(
    "M",
    query(
        [
            source("c", "Crate"),
            where(op(PIECES, ">", const(1, "int"))),
            order((PIECES, True), NUMBER),
            skip(param("n", "int")),
            take(const(4, "int")),
        ],
        NUMBER,
        Outcome.LIST,
        "List<int>",
    ),
    n="int",
)
OF_PAGE = """DbSet<Crate>()
    .Where(c => c.Pieces > 1)
    .OrderByDescending(c => c.Pieces)
    .ThenBy(c => c.Number)
    .Skip(@n)
    .Take(4)
    .Select(c => c.Number)"""


@pytest.mark.parametrize(
    ("entry", "mapping", "args", "tree"),
    [
        (PIECES_BOOKED, FREIGHT, {"shipperCode": text("SH")}, BOOKED),
        (OF_BADGE, CLAIMS, {"badge": text("B")}, BADGE),
        (PAGE, FREIGHT, {"n": number(2)}, OF_PAGE),
    ],
)
def test_a_tree_that_says_the_same_is_no_misreading(entry, mapping, args, tree):
    assert misread(entry, mapping, args, (tree,)) == ""


BY_POSITION = method(
    "M",
    query([source("c", "Crate"), order(PIECES, (NUMBER, True)), skip(param("n", "int"))], NUMBER, Outcome.FIRST, "int"),
    n="int",
)
OF_POSITION = """DbSet<Crate>()
    .OrderByDescending(c => c.Pieces)
    .ThenBy(c => c.Number)
    .Reverse()
    .Select(c => c.Number)
    .ElementAt(@n)"""


def test_a_position_and_a_reversed_order_are_read_in_ef_s_tree():
    assert misread(BY_POSITION, FREIGHT, {"n": number(2)}, (OF_POSITION,)) == ""
    wrong = (("ElementAt(", "ElementAtOrDefault("), (".ElementAt(@n)", ".First()"), (".ThenBy(c => c.Number)", ""))
    for old, other in wrong:
        assert misread(BY_POSITION, FREIGHT, {"n": number(2)}, (OF_POSITION.replace(old, other),)), other


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("OrderByDescending", "OrderBy", "steps"),
        ("    .ThenBy(c => c.Number)\n", "", "steps"),
        ("    .Skip(@n)\n", "", "steps"),
        ("    .Take(4)\n", "    .Take(4)\n    .Distinct()\n", "steps"),
        ("DbSet<Crate>", "DbSet<Consignment>", "entity sets"),
        ("c.Pieces > 1", "c.GoodsCode > 1 && c.Tariff > 2", "members"),
        ("    .Select(c => c.Number)", "    .Select(c => c.Number)\n    .FirstOrDefault()", "ends with FirstOrDefault"),
    ],
)
def test_a_tree_that_says_something_else_is_named(old, new, what):
    assert what in misread(PAGE, FREIGHT, {"n": number(2)}, (OF_PAGE.replace(old, new),))


def test_a_call_that_sent_no_query_or_several_is_not_held_against_the_reading():
    other = OF_PAGE.replace("OrderByDescending", "OrderBy")

    assert misread(PAGE, FREIGHT, {"n": number(2)}, ()) == ""
    assert misread(PAGE, FREIGHT, {"n": number(2)}, (other, other)) == ""


def test_names_in_texts_are_no_steps():
    spoken = OF_PAGE.replace("c.Pieces > 1", 'c.Pieces > 1 || "x.Skip(1) DbSet<Other>()" == ""')

    assert misread(PAGE, FREIGHT, {"n": number(2)}, (spoken,)) == ""


ROWS = {"Consignments": ({"Number": number(1), "ShipperCode": text("SH")},), "Crates": ()}


def answered(pieces, *trees):
    return Envelope(call="c", instance="i", method="M", outcome="scalar", value=number(pieces), reading=trees)


def asked(envelope):
    args = {"shipperCode": text("SH")}
    return disagreement(PIECES_BOOKED, FREIGHT, ROWS, args, envelope, order_rule(PIECES_BOOKED, FREIGHT, args))


def test_a_result_that_the_model_does_not_give_is_a_misreading():
    assert asked(answered(0, BOOKED)) == ""
    assert "another one" in asked(answered(7, BOOKED))


def test_an_agreement_on_a_misread_query_is_undetermined_and_says_so():
    rule = order_rule(PIECES_BOOKED, FREIGHT, {"shipperCode": text("SH")})
    pairs = (Pair(source=answered(7), target=answered(7), rule=rule),)

    assert decide(Evidence(entry="Q.M", pairs=pairs)).verdict == Verdict.EQUIVALENT_ON_SUITE
    found = decide(Evidence(entry="Q.M", pairs=pairs, misread="our reading disagrees"))
    assert (found.verdict, found.reason) == (Verdict.UNDETERMINED, "our reading disagrees")
    other = replace(pairs[0], target=answered(8))
    differs = decide(Evidence(entry="Q.M", pairs=(other,), misread="our reading disagrees"))
    assert (differs.verdict, differs.reservations[0]) == (Verdict.DIFFERENT, "our reading disagrees")


def test_the_trees_travel_with_the_envelope():
    sent = answered(1, BOOKED)

    assert Envelope.from_json(sent.to_json()) == sent


LINE = method(
    "Lines",
    query([source("c", "Crate")], new("Line", Number=NUMBER, Pieces=PIECES), Outcome.LIST, "List<Line>"),
)
INITIALISED = """DbSet<Crate>()
    .Select(c => new Line{ Pieces = c.Pieces }
    )"""


def test_arguments_that_ef_does_not_print_beside_an_initialiser_are_no_misreading():
    assert misread(LINE, FREIGHT, {}, (INITIALISED,)) == ""
    without = INITIALISED.replace("Pieces = c.Pieces", "Pieces = 1")
    assert "Pieces" in misread(LINE, FREIGHT, {}, (without,))
    filtered = replace(LINE, query=replace(LINE.query, clauses=(*LINE.query.clauses, where(op(NUMBER, ">", PIECES)))))
    assert "Number" in misread(filtered, FREIGHT, {}, (INITIALISED,))


def test_a_condition_that_an_argument_decides_may_be_missing_from_the_tree():
    decided = op(op(param("n", "int?"), "==", const(None, "int")), "||", op(PIECES, ">", param("n", "int?")))
    body = query([source("c", "Crate"), where(decided)], NUMBER, Outcome.LIST, "List<int>")
    bare = "DbSet<Crate>()\n    .Select(c => c.Number)"

    entry = method("M", body, n="int?")
    assert misread(entry, FREIGHT, {"n": NULL}, (bare,)) == ""
    assert "Pieces" in misread(entry, FREIGHT, {"n": number(5)}, (bare,))
    both = op(op(NUMBER, ">", const(1, "int")), "||", op(PIECES, ">", const(1, "int")))
    kept = query([source("c", "Crate"), where(both)], NUMBER, Outcome.LIST, "List<int>")
    assert "Pieces" in misread(method("M", kept), FREIGHT, {}, (bare,))

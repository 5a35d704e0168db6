import pytest

from react_agent.model.documents import Loss
from react_agent.model.values import NULL, Cell, CellType
from react_agent.proof.capabilities import Reason
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import Order, OrderRule
from react_agent.proof.vacuity import Vacuity
from react_agent.proof.verdict import EntryVerdict, Evidence, MutantScore, Pair, Verdict, decide, exit_code
from tests.react_agent.proof.models import number, text

UNORDERED = OrderRule(order=Order.UNORDERED)


def rows(*cells, call="c1", instance="i1"):
    value = Cell(type=CellType.LIST, items=cells)
    return Envelope(call=call, instance=instance, method="M", outcome="rows", value=value, row_count=len(cells))


def scalar_(cell):
    return Envelope(call="c", instance="i", method="M", outcome="scalar", value=cell)


def pair(source, target, rule=UNORDERED, cannot=()):
    return Pair(source=source, target=target, rule=rule, cannot_judge=cannot)


def verdict(*pairs, **more):
    return decide(Evidence(entry="Q.M", pairs=pairs, **more))


AGREE = pair(rows(number(1)), rows(number(1)))
DIFFER = pair(rows(number(1), call="c2", instance="i2"), rows(number(2)))
EMPTY = pair(rows(), rows())
BLIND = pair(rows(number(1)), rows(number(1)), cannot=(Reason(construct="$avg", text="cannot judge $avg"),))


def test_agreement_on_something_is_equivalent_on_the_suite():
    found = verdict(AGREE, EMPTY, mutants=MutantScore(live=4, killed=4), hazards=("Q34",))

    assert (found.verdict, found.instances, found.calls) == (Verdict.EQUIVALENT_ON_SUITE, 1, 2)
    assert (found.mutants.live, found.hazards) == (4, ("Q34",))


def test_one_difference_decides_and_is_shown():
    found = verdict(AGREE, DIFFER)

    assert found.verdict == Verdict.DIFFERENT
    assert found.witness is not None
    assert (found.witness["call"], found.witness["instance"]) == ("c2", "i2")
    assert found.witness["source"]["first_rows"] == [{"t": "int", "v": "1"}]


@pytest.mark.parametrize(
    "agreed",
    [
        EMPTY,
        pair(scalar_(number(0)), scalar_(number(0))),
        pair(scalar_(NULL), scalar_(NULL)),
        pair(*(Envelope(call="c", instance="i", method="M", outcome="throws", kind="error") for _ in "ab")),
    ],
)
def test_agreement_on_nothing_is_vacuous(agreed):
    assert verdict(agreed).verdict == Verdict.VACUOUS


def test_a_condition_that_was_never_true_is_vacuous():
    found = verdict(AGREE, vacuity=Vacuity(missing=("the condition at Query.cs:3 was never true",)))

    assert (found.verdict, found.reason) == (Verdict.VACUOUS, "the condition at Query.cs:3 was never true")


def test_nothing_that_ran_is_never_equivalent():
    assert verdict().verdict == Verdict.NOT_EXECUTED
    assert verdict(AGREE, not_executed="no .NET SDK").verdict == Verdict.NOT_EXECUTED
    assert verdict(AGREE, harness_error="compile: CS1002").verdict == Verdict.HARNESS_ERROR
    assert verdict(AGREE, unsupported="FromSql").verdict == Verdict.UNSUPPORTED


def test_what_the_engine_cannot_judge_is_undetermined_in_both_directions():
    blind_difference = pair(rows(number(1)), rows(number(2)), cannot=BLIND.cannot_judge)

    for found in (verdict(AGREE, BLIND), verdict(AGREE, blind_difference)):
        assert (found.verdict, found.reason) == (Verdict.UNDETERMINED, "cannot judge $avg")
    assert verdict(BLIND, DIFFER).verdict == Verdict.DIFFERENT


def test_a_page_without_an_order_is_undetermined_but_a_wrong_count_is_different():
    page = OrderRule(order=Order.UNORDERED, page=True, reason="a page is cut from rows without an order")

    found = verdict(pair(rows(number(1)), rows(number(2)), page))
    assert (found.verdict, found.reason) == (Verdict.UNDETERMINED, page.reason)
    assert verdict(pair(rows(number(1)), rows(), page)).verdict == Verdict.DIFFERENT


def test_a_difference_where_the_source_engine_deviates_is_undetermined():
    found = verdict(AGREE, DIFFER, deviations=("StartsWith ignores case on SQLite",))

    assert found.verdict == Verdict.UNDETERMINED
    assert "StartsWith ignores case" in found.reason
    assert found.witness is not None


def test_a_deviation_excuses_only_what_it_can_have_caused():
    sure = Pair(source=DIFFER.source, target=DIFFER.target, rule=UNORDERED, may_deviate=False)

    assert verdict(AGREE, sure, deviations=("StartsWith ignores case on SQLite",)).verdict == Verdict.DIFFERENT


def test_a_report_entry_has_the_agreed_members_and_survives_reading():
    found = verdict(
        AGREE,
        mutants=MutantScore(live=3, killed=2, survivors=("< became <=",)),
        losses=(Loss(what="ticks", where="Claim.LodgedAt", hazard="S30"),),
        reservations=("text is compared by code point",),
    )
    written = found.to_json()

    wanted = "entry verdict reason instances mutants losses reservations witness hazards".split()
    assert set(wanted) <= set(written)
    assert written["mutants"] == {"live": 3, "killed": 2, "survivors": ["< became <="]}
    assert EntryVerdict.from_json(written) == found


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (["equivalent_on_suite", "equivalent_on_suite"], 0),
        (["equivalent_on_suite", "different", "undetermined"], 1),
        (["equivalent_on_suite", "vacuous"], 3),
        (["unsupported"], 3),
        ([], 3),
    ],
)
def test_exit_codes(verdicts, code):
    assert exit_code(EntryVerdict(entry="e", verdict=Verdict(v)) for v in verdicts) == code


def test_the_word_equivalent_needs_rows_on_both_sides():
    threw = Envelope(call="c", instance="i", method="M", outcome="throws", kind="not_found", exception="E")

    assert verdict(pair(threw, threw)).verdict == Verdict.VACUOUS
    assert verdict(pair(threw, threw), AGREE).verdict == Verdict.EQUIVALENT_ON_SUITE
    assert verdict(pair(scalar_(text("")), scalar_(text("")))).verdict == Verdict.EQUIVALENT_ON_SUITE

"""What a construct is written as, and what is refused."""

from dataclasses import replace

import pytest

from react_agent.model.mapping import ClrType
from react_agent.model.query import Call, From, Outcome, QueryMethod
from react_agent.spring.mongodb import write
from tests.react_agent.spring.desk import BOOKED, CODE, NUMBER, PIECES, REMARK, TEXT, desk, numbers
from tests.react_agent.spring.layers import (
    AT,
    BOOKING,
    BOOL,
    CRATE,
    DECIMAL,
    EACH_CRATE,
    FROM,
    FROM_CRATES,
    INT,
    STRING,
    at,
    binary,
    const,
    freight,
    many,
    maybe,
    method,
    negation,
    new,
    order,
    param,
    prop,
    queries,
    sub,
    take,
    where,
)

SHARE = binary(PIECES, "/", const(2, DECIMAL), DECIMAL)
LIKE = Call(method="EF.Functions.Like", arguments=(REMARK, const("a%", STRING)), type=BOOL)
HAS_TEXT = Call(method="string.Contains", arguments=(CODE, TEXT), type=BOOL)


def body(entry: QueryMethod, **decisions: str) -> str:
    translation = write(freight(), queries(entry), decisions={k.replace("_", "-"): v for k, v in decisions.items()})
    assert translation.gaps == ()
    return next(f.text for f in translation.files if f.path.endswith("/Desk.java"))


def gap_of(entry: QueryMethod) -> tuple[str, str]:
    translation = write(freight(), queries(entry))
    assert translation.entries == ()
    (gap,) = translation.gaps
    assert gap.entry == entry.entry
    return gap.construct, gap.hazard


def test_every_entry_of_the_desk_is_written() -> None:
    translation = write(freight(), desk())

    assert translation.gaps == ()
    assert {e.method for e in translation.entries} == {m.method for m in desk().methods}


def test_one_collection_with_plain_conditions_needs_no_pipeline() -> None:
    mine = where(binary(binary(CODE, "==", TEXT), "&&", binary(NUMBER, "<", const(3, INT))))
    whole = method(
        "Mine", (FROM, mine, order(BOOKED, descending=True)), BOOKING, Outcome.LIST, many(ClrType(name="Booking")), TEXT
    )

    text = body(whole)
    assert 'query(where("shipperCode").is(text).and("_id").lt(3)).with(Sort.by("bookedAt").descending())' in text
    assert "aggregat" not in text


def test_a_negated_order_keeps_missing_values() -> None:
    rating = at(at(BOOKING, "Carrier", ClrType(name="Carrier", nullable=True)), "Rating", maybe(INT))

    assert 'match(where("carrier.rating").not().gt(5))' in body(
        numbers("Weak", where(negation(binary(rating, ">", const(5, INT)))))
    )


def test_a_negated_order_of_what_is_never_null_turns_around() -> None:
    assert 'match(where("_id").lte(5))' in body(numbers("Few", where(negation(binary(NUMBER, ">", const(5, INT))))))


def test_text_is_searched_literally() -> None:
    contains = Call(method="string.Contains", arguments=(CODE, param("part", STRING)), type=BOOL)

    assert 'where("shipperCode").regex(Pattern.quote(part))' in body(
        numbers("Find", where(contains), parameters=(param("part", STRING),))
    )


def test_a_prefix_ignores_case_as_like_does_unless_a_person_chooses_otherwise() -> None:
    starts = numbers("Find", where(Call(method="string.StartsWith", arguments=(CODE, const("a", STRING)), type=BOOL)))

    assert 'regex("^" + ignoringAsciiCase("a"))' in body(starts)
    assert 'Pattern.compile("^" + Pattern.quote("a"), Pattern.CASE_INSENSITIVE)' in body(
        starts, text_case="ignore-case"
    )
    assert 'regex("^" + Pattern.quote("a"))' in body(starts, text_case="exact")


def test_a_text_from_java_is_no_path_in_an_expression() -> None:
    same = binary(Call(method="string.ToUpper", arguments=(CODE,), type=STRING), "==", param("code", STRING))

    assert 'new Document("$literal", code)' in body(numbers("Same", where(same), parameters=(param("code", STRING),)))


def test_a_page_of_no_rows_asks_nothing() -> None:
    entry = method(
        "Page", (FROM, order(NUMBER), take(param("n", INT))), NUMBER, Outcome.LIST, many(INT), param("n", INT)
    )

    assert "if (n < 1) {\n            return List.of();\n        }" in body(entry)


def test_a_page_is_cut_before_what_it_does_not_need_is_looked_up() -> None:
    count = sub(Outcome.COUNT, CRATE, INT, EACH_CRATE)
    text = body(method("Counts", (FROM, order(NUMBER), take(const(4, INT))), count, Outcome.LIST, many(INT)))

    assert text.index("limit(4)") < text.index('lookup("crates"')


def test_an_order_that_a_later_one_replaces_is_left_out() -> None:
    assert body(numbers("Last", order(BOOKED))).count("Sort.by") == 1


@pytest.mark.parametrize(
    ("entry", "gap"),
    [
        (numbers("Join", From(variable="x", entity="Carrier", span=AT)), ("from", "Q27")),
        (
            method("Last", (FROM,), NUMBER, Outcome.LAST, INT),
            ("Last", "Q56"),
        ),
        (
            method("Anonymous", (FROM,), new("", A=NUMBER), Outcome.LIST, many(ClrType(name="object"))),
            ("object", "Q08"),
        ),
        (
            method(
                "Part", (FROM_CRATES,), binary(PIECES, "/", const(2, DECIMAL), DECIMAL), Outcome.LIST, many(DECIMAL)
            ),
            ("/", "Q36"),
        ),
        (
            numbers(
                "Like", where(Call(method="EF.Functions.Like", arguments=(REMARK, const("a%", STRING)), type=BOOL))
            ),
            ("EF.Functions.Like", "Q11"),
        ),
        (
            numbers(
                "Part", where(Call(method="string.Contains", arguments=(CODE, TEXT), type=BOOL)), parameters=(TEXT,)
            ),
            ("string.Contains", "Q10"),
        ),
    ],
)
def test_what_has_no_exact_counterpart_is_a_gap(entry: QueryMethod, gap: tuple[str, str]) -> None:
    assert gap_of(entry) == gap


def test_one_refused_entry_leaves_the_others() -> None:
    refused = numbers("Join", From(variable="x", entity="Carrier", span=AT))
    translation = write(freight(), queries(refused, numbers("All")))

    assert [e.method for e in translation.entries] == ["All"]
    assert [g.entry for g in translation.gaps] == ["Desk.Join"]


def test_a_text_key_inside_an_array_is_never_taken_for_an_object_id() -> None:
    layer = freight()
    crate = next(e for e in layer.entities if e.name == "Crate")
    keyed = replace(crate, properties=(prop("Number", STRING), *crate.properties[1:]))
    layer = replace(layer, entities=tuple(keyed if e.name == "Crate" else e for e in layer.entities))
    mine = sub(Outcome.ANY, CRATE, BOOL, EACH_CRATE, where(binary(at(CRATE, "Number", STRING), "==", TEXT)))
    translation = write(layer, queries(numbers("Holding", where(mine), parameters=(TEXT,))))
    text = next(f.text for f in translation.files if f.path.endswith("/Desk.java"))

    assert "elemMatch" not in text
    assert 'newDocument("$literal",text)' in "".join(text.split())

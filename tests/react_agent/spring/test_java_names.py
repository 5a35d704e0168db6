"""Names that are fine in C# and not in Java."""

from dataclasses import replace

from react_agent.model.query import Outcome
from react_agent.model.translation import Translation
from react_agent.spring.mongodb import write
from tests.react_agent.spring.desk import CODE, NUMBER, PIECES, numbers
from tests.react_agent.spring.layers import (
    BOOKING,
    FROM,
    FROM_CRATES,
    INT,
    STRING,
    binary,
    entity,
    freight,
    many,
    method,
    new,
    param,
    projection,
    prop,
    queries,
    where,
)


def text_of(translation: Translation, name: str) -> str:
    return next(f.text for f in translation.files if f.path.endswith(f"/{name}.java"))


def test_a_parameter_does_not_hide_what_the_method_uses() -> None:
    found = param("found", STRING)
    translation = write(freight(), queries(numbers("Mine", where(binary(CODE, "==", found)), parameters=(found,))))

    assert "mine(String foundArgument)" in text_of(translation, "Desk")
    assert "is(foundArgument)" in text_of(translation, "Desk")


def test_a_method_and_its_async_twin_are_two_java_methods() -> None:
    translation = write(freight(), queries(numbers("All"), numbers("AllAsync")))

    assert [(e.method, e.java_method) for e in translation.entries] == [("All", "all"), ("AllAsync", "allAsync")]


def test_a_member_named_like_a_method_of_every_object_gets_another_name() -> None:
    stops = projection("Stop", Wait=INT)
    entry = method("Stops", (FROM,), new("Stop", Wait=NUMBER), Outcome.LIST, many(new("Stop").type))

    assert "record Stop(int waitValue)" in text_of(write(freight(), queries(entry, projections=(stops,))), "Stop")


def test_a_query_class_named_like_an_entity_is_told_apart() -> None:
    translation = write(freight(), queries(numbers("All", class_name="Booking")))

    assert [e.java_class for e in translation.entries] == ["acme.freight.BookingQueries"]
    assert "record Booking(" in text_of(translation, "Booking")


def test_a_row_record_does_not_hide_an_entity_of_the_same_name() -> None:
    layer = freight()
    total = entity("Total", "Id", prop("Id", INT))
    layer = replace(layer, entities=(*layer.entities, total))
    pieces = method("Pieces", (FROM_CRATES,), PIECES, Outcome.SUM, INT)

    assert "private record TotalRow(long total)" in text_of(write(layer, queries(pieces)), "Desk")


def test_a_shadow_of_a_spring_class_is_written_in_full() -> None:
    layer = freight()
    query = entity("Query", "Id", prop("Id", INT), db_set="Queries")
    layer = replace(layer, entities=(*layer.entities, query))
    first = method("Head", (FROM,), BOOKING, Outcome.FIRST, BOOKING.type)

    text = text_of(write(layer, queries(first)), "Desk")
    assert "new org.springframework.data.mongodb.core.query.Query()" in text

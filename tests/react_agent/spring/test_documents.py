"""How a mapping is stored: documents, decisions, losses, and what cannot be stored."""

from dataclasses import replace

from react_agent.model.documents import BsonType
from react_agent.model.mapping import ClrType, EntityType, EnumMember, EnumType, MappingModel
from react_agent.spring.mongodb.documents import store
from react_agent.spring.mongodb.enums import constant
from tests.react_agent.spring.layers import INT, STRING, entity, freight, maybe, prop


def layer(*entities: EntityType, enums: tuple[EnumType, ...] = ()) -> MappingModel:
    return MappingModel(context="C", namespace="N", entities=entities, enums=enums)


def test_an_entity_is_a_collection_named_after_its_set_and_its_key_is_the_id() -> None:
    booking = store(freight(), {}).model.find("Booking")

    assert booking is not None
    assert booking.collection == "bookings"
    assert [(f.property, f.field, f.java_type) for f in booking.fields[:3]] == [
        ("Number", "_id", "int"),
        ("ShipperCode", "shipperCode", "String"),
        ("CarrierId", "carrierId", "Integer"),
    ]


def test_an_owned_part_lives_inside_its_owner_without_its_row_key() -> None:
    model = store(freight(), {}).model
    booking, place = model.find("Booking"), model.find("Place")

    assert booking is not None
    assert place is not None
    assert place.collection is None
    assert [f.field for f in place.fields] == ["town", "zone"]
    assert [(e.field, e.many, e.nullable) for e in booking.embedded] == [("target", False, True)]


def test_an_enum_keeps_the_form_its_source_stores_unless_a_person_chooses() -> None:
    def form(chosen: dict[str, str]) -> list[BsonType]:
        booking = store(freight(), chosen).model.find("Booking")
        assert booking is not None
        return [f.bson for f in booking.fields if f.property in {"Stage", "Size"}]

    assert form({}) == [BsonType.STRING, BsonType.INT32]
    assert form({"enum-form:Booking.Size": "name"}) == [BsonType.STRING, BsonType.STRING]


def test_a_composite_key_is_a_document_of_its_parts() -> None:
    link = replace(entity("Link", "A", prop("A", INT), prop("B", STRING)), key=("A", "B"))
    document = store(layer(link), {}).model.find("Link")

    assert document is not None
    assert (document.key_class, document.key_fields) == ("LinkId", ("a", "b"))
    assert [f.field for f in document.fields] == ["_id.a", "_id.b"]


def test_losses_name_what_mongodb_does_not_keep() -> None:
    losses = {(loss.where, loss.hazard) for loss in store(freight(), {}).model.losses}

    assert {("Booking.BookedAt", "S30"), ("Crate.Tariff", "S27"), ("Crate.BookingNumber", "S52")} <= losses


def test_what_cannot_be_stored_is_a_gap_and_no_document() -> None:
    flags = EnumType(name="Rights", members=(EnumMember(name="Read", value=1),), flags=True)
    gone = {
        "S34": entity("A", "Id", prop("Id", INT), prop("Length", ClrType(name="TimeSpan"))),
        "S47": entity("B", "Id", prop("Id", INT), query_filter="e => !e.Deleted"),
        "S24": entity("D", "Id", prop("Id", INT), prop("Rights", ClrType(name="Rights"))),
        "S25": entity("E", "Id", prop("Id", INT), prop("Name", STRING, converter="NameToCode", provider_type="int")),
        "S50": replace(entity("F", "Id", prop("Id", INT)), key=()),
    }
    storage = store(layer(*gone.values(), enums=(flags,)), {})

    assert storage.model.documents == ()
    assert {gap.hazard for gap in storage.gaps} == set(gone)


def test_an_owner_of_a_part_that_cannot_be_stored_is_a_gap_too() -> None:
    part = replace(
        entity("Part", "Id", prop("Length", ClrType(name="TimeSpan"))), owned_by="Owner", owner_navigation="Part"
    )
    storage = store(layer(entity("Owner", "Id", prop("Id", INT)), part), {})

    assert storage.model.documents == ()
    assert sorted(gap.hazard for gap in storage.gaps) == ["S14", "S34"]


def test_constants_are_upper_case_words() -> None:
    assert [constant(n) for n in ("InReview", "HTTPError", "A", "Level2High")] == [
        "IN_REVIEW",
        "HTTP_ERROR",
        "A",
        "LEVEL2_HIGH",
    ]


def test_a_nullable_column_of_a_reference_type_is_nullable_in_java() -> None:
    document = store(layer(entity("A", "Id", prop("Id", INT), prop("Note", maybe(STRING)))), {}).model.find("A")

    assert document is not None
    assert [f.nullable for f in document.fields] == [False, True]

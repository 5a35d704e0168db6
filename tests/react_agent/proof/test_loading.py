import pytest

from react_agent.model.documents import BsonType, Document, DocumentModel, Embedded, Field
from react_agent.model.values import NULL, Cell, CellType, scalar
from react_agent.proof.bson import CannotStore, extended
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for
from tests.react_agent.proof.models import CLAIMS, entity, foreign, many, mapping, number, prop, text


def field(name, bson, stored=None, java=None):
    java = java or name[0].lower() + name[1:]
    return Field(property=name, field=stored or java, java_name=java, java_type="", bson=bson, nullable=True)


def model(*documents):
    return DocumentModel(package="app", documents=documents)


CLAIM = Document(
    entity="TravelClaim",
    java_class="TravelClaim",
    collection="claims",
    fields=(
        field("Id", BsonType.INT32, "_id"),
        field("MemberId", BsonType.INT32),
        field("Stage", BsonType.STRING),
        field("LodgedAt", BsonType.DATE),
        field("LedgerNo", BsonType.INT32),
    ),
    embedded=(
        Embedded(
            navigation="Target",
            field="target",
            java_name="target",
            java_type="Destination",
            entity="Destination",
            many=False,
            nullable=False,
        ),
    ),
)
DESTINATION = Document(
    entity="Destination",
    java_class="Destination",
    collection=None,
    fields=(field("Place", BsonType.STRING), field("Zone", BsonType.STRING)),
)


def test_an_owned_part_is_nested_and_nulls_are_left_out():
    row = {
        "Id": number(10),
        "MemberId": NULL,
        "Stage": Cell(type=CellType.ENUM, text="2", name="Lodged", enum="ClaimStage", stored="Lodged"),
        "LodgedAt": Cell(type=CellType.DATETIME, text="2023-12-31T23:30:00.1239999", kind="Unspecified"),
        "LedgerEntry": number(7),
        "Target_Place": text("ridge"),
        "Target_Zone": NULL,
    }
    instance = Instance(id="i", kind="user", tables={"claims": (row,)})

    assert documents_for(instance, CLAIMS, model(CLAIM, DESTINATION)) == {
        "claims": [
            {
                "_id": {"$numberInt": "10"},
                "stage": "Lodged",
                "lodgedAt": {"$date": {"$numberLong": "1704065400123"}},
                "ledgerNo": {"$numberInt": "7"},
                "target": {"place": "ridge"},
            }
        ]
    }


def test_an_empty_collection_is_there():
    assert documents_for(Instance(id="i", kind="empty", tables={}), CLAIMS, model(CLAIM, DESTINATION)) == {"claims": []}


def test_a_composite_key_is_a_document_in_key_order():
    links = mapping(
        entity(
            "LineHalt",
            [prop("Since", "DateTime"), prop("LineCode", "string"), prop("HaltId", "int")],
            ("LineCode", "HaltId"),
        )
    )
    document = Document(
        entity="LineHalt",
        java_class="LineHalt",
        collection="lineHalts",
        fields=(
            field("Since", BsonType.DATE),
            field("LineCode", BsonType.STRING, "_id.lineCode", "lineCode"),
            field("HaltId", BsonType.INT32, "_id.haltId", "haltId"),
        ),
        key_fields=("lineCode", "haltId"),
        key_class="LineHaltId",
    )
    row = {"Since": NULL, "HaltId": number(3), "LineCode": text("u1")}
    instance = Instance(id="i", kind="user", tables={"LineHalts": (row,)})

    (written,) = documents_for(instance, links, model(document))["lineHalts"]

    assert written == {"_id": {"lineCode": "u1", "haltId": {"$numberInt": "3"}}}
    assert list(written["_id"]) == ["lineCode", "haltId"]


def test_owned_rows_of_their_own_table_become_an_array_in_key_order():
    orders = mapping(
        entity("Order", [prop("Id", "int")], navigations=(many("Items", "Item", "OrderId"),)),
        entity(
            "Item",
            [prop("Id", "int", shadow=True), prop("OrderId", "int", shadow=True), prop("Price", "decimal")],
            ("OrderId", "Id"),
            owned_by="Order",
            owner_navigation="Items",
            foreign_keys=(foreign("OrderId", "Order", ownership=True),),
        ),
    )
    items = Embedded(
        navigation="Items", field="items", java_name="items", java_type="Item", entity="Item", many=True, nullable=False
    )
    documents = model(
        Document(
            entity="Order",
            java_class="Order",
            collection="orders",
            fields=(field("Id", BsonType.INT32, "_id"),),
            embedded=(items,),
        ),
        Document(entity="Item", java_class="Item", collection=None, fields=(field("Price", BsonType.DECIMAL128),)),
    )
    prices = [(2, "9.90"), (1, "10.00")]
    rows = tuple(
        {"Id": number(n), "OrderId": number(1), "Price": scalar(CellType.DECIMAL, price)} for n, price in prices
    )
    instance = Instance(id="i", kind="user", tables={"Orders": ({"Id": number(1)}, {"Id": number(2)}), "Items": rows})

    assert documents_for(instance, orders, documents) == {
        "orders": [
            {
                "_id": {"$numberInt": "1"},
                "items": [{"price": {"$numberDecimal": "10.00"}}, {"price": {"$numberDecimal": "9.90"}}],
            },
            {"_id": {"$numberInt": "2"}, "items": []},
        ]
    }


def test_an_optional_part_without_values_is_absent():
    people = mapping(
        entity("Person", [prop("Id", "int")], navigations=()),
        entity(
            "Address",
            [prop("City", "string", column="Address_City")],
            (),
            table="Persons",
            owned_by="Person",
            owner_navigation="Address",
        ),
    )
    address = Embedded(
        navigation="Address",
        field="address",
        java_name="address",
        java_type="Address",
        entity="Address",
        many=False,
        nullable=True,
    )
    documents = model(
        Document(
            entity="Person",
            java_class="Person",
            collection="persons",
            fields=(field("Id", BsonType.INT32, "_id"),),
            embedded=(address,),
        ),
        Document(entity="Address", java_class="Address", collection=None, fields=(field("City", BsonType.STRING),)),
    )
    rows = ({"Id": number(1), "Address_City": NULL}, {"Id": number(2), "Address_City": text("Brno")})
    instance = Instance(id="i", kind="user", tables={"Persons": rows})

    assert documents_for(instance, people, documents)["persons"] == [
        {"_id": {"$numberInt": "1"}},
        {"_id": {"$numberInt": "2"}, "address": {"city": "Brno"}},
    ]


@pytest.mark.parametrize(
    ("cell", "bson", "expected"),
    [
        (scalar(CellType.LONG, 5), BsonType.INT64, {"$numberLong": "5"}),
        (scalar(CellType.DECIMAL, "1E+2"), BsonType.DECIMAL128, {"$numberDecimal": "100"}),
        (scalar(CellType.DOUBLE, "1.5"), BsonType.DOUBLE, {"$numberDouble": "1.5"}),
        (scalar(CellType.FLOAT, "0.1"), BsonType.DOUBLE, {"$numberDouble": "0.10000000149011612"}),
        (scalar(CellType.BOOL, True), BsonType.BOOL, True),
        (Cell(type=CellType.ENUM, text="2", name="B"), BsonType.INT32, {"$numberInt": "2"}),
        (Cell(type=CellType.ENUM, text="2", name="B"), BsonType.STRING, "B"),
        (scalar(CellType.DATE, "1970-01-02"), BsonType.DATE, {"$date": {"$numberLong": "86400000"}}),
        (scalar(CellType.TIME, "00:00:01.5"), BsonType.DATE, {"$date": {"$numberLong": "1500"}}),
        (scalar(CellType.TIMESPAN, "-1.00:00:01"), BsonType.INT64, {"$numberLong": "-864010000000"}),
        (
            scalar(CellType.GUID, "00112233-4455-6677-8899-AABBCCDDEEFF"),
            BsonType.UUID,
            {"$binary": {"base64": "ABEiM0RVZneImaq7zN3u/w==", "subType": "04"}},
        ),
        (scalar(CellType.BYTES, "AAE="), BsonType.BINARY, {"$binary": {"base64": "AAE=", "subType": "00"}}),
        (
            Cell(type=CellType.LIST, items=(text("a"), text("b"))),
            BsonType.ARRAY,
            ["a", "b"],
        ),
        (
            Cell(type=CellType.JSON, text='{"a": 1, "b": null, "c": [1.50]}'),
            BsonType.DOCUMENT,
            {"a": {"$numberInt": "1"}, "c": [{"$numberDouble": "1.5"}]},
        ),
    ],
)
def test_values_are_stored_as_the_document_model_says(cell, bson, expected):
    assert extended(cell, bson) == expected


def test_a_form_that_a_value_does_not_have_is_refused():
    with pytest.raises(CannotStore, match="'abc' cannot be stored as int"):
        extended(text("abc"), BsonType.INT32)


def test_a_document_of_an_unknown_property_is_refused():
    document = Document(
        entity="TravelClaim", java_class="X", collection="claims", fields=(field("Nowhere", BsonType.INT32),)
    )
    instance = Instance(id="i", kind="user", tables={"claims": ({"Id": number(1)},)})

    with pytest.raises(CannotStore, match=r"TravelClaim\.Nowhere"):
        documents_for(instance, CLAIMS, model(document))

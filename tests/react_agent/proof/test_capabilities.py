import json

import pytest

from react_agent.model.documents import BsonType, Document, DocumentModel, Embedded, Field
from react_agent.model.query import Call, Outcome
from react_agent.proof.capabilities import (
    cannot_judge,
    may_deviate,
    ordered_by_chance,
    refused,
    source_deviations,
    source_reservations,
)
from tests.react_agent.proof.models import (
    CLAIMS,
    FREIGHT,
    OF_BADGE,
    PIECES_BOOKED,
    clr,
    const,
    get,
    method,
    number,
    query,
    source,
    text,
    var,
    where,
)

PRICE = Field(
    property="Price", field="price", java_name="price", java_type="BigDecimal", bson=BsonType.DECIMAL128, nullable=False
)
LINES = Embedded(
    navigation="Lines", field="lines", java_name="lines", java_type="Line", entity="Line", many=True, nullable=False
)
MODEL = DocumentModel(
    package="app",
    documents=(Document(entity="Order", java_class="Order", collection="orders", fields=(PRICE,), embedded=(LINES,)),),
)
JAVA, SECANTUS = "mongo-java-server 1.47.0", "SecantusDB 0.7"


def aggregate(*stages):
    return {"aggregate": "orders", "pipeline": list(stages)}


BLIND = [
    (JAVA, {"find": "orders", "filter": {"a": 1}, "collation": {"locale": "en", "strength": 2}}, "collation"),
    (JAVA, {"find": "orders", "filter": {"a": {"$gte": None}}}, "$gte"),
    (JAVA, aggregate({"$group": {"_id": None, "v": {"$avg": "$price"}}}), "$avg"),
    (JAVA, aggregate({"$project": {"v": {"$divide": ["$price", 2]}}}), "$divide"),
    (JAVA, aggregate({"$match": {"$expr": {"$eq": ["$a", None]}}}), "$eq"),
    (JAVA, aggregate({"$group": {"_id": "$lines"}}), "$group"),
    (JAVA, aggregate({"$project": {"d": {"$dayOfWeek": "$at"}}}), "$dayOfWeek"),
    (
        JAVA,
        aggregate({"$lookup": {"from": "x", "localField": "lines.id", "foreignField": "_id", "as": "x"}}),
        "$lookup",
    ),
    (JAVA, aggregate({"$project": {"lines.q": 1}}), "$project"),
    (JAVA, aggregate({"$addFields": {"target.zone": 1}}), "$addFields"),
    (JAVA, aggregate({"$project": {"u": {"$toUpper": "$name"}}}), "$toUpper"),
    (JAVA, aggregate({"$group": {"_id": None, "v": {"$push": "$name"}}}), "$push"),
    (JAVA, {"find": "orders", "projection": {"v": {"$add": ["$a", 1]}}}, "projection"),
    (SECANTUS, aggregate({"$project": {"v": {"$sum": "$lines.q"}}}), "$lines.q"),
    (SECANTUS, {"find": "orders", "filter": {"a": {"$regex": "\\Qa.b\\E"}}}, "$regex"),
    (SECANTUS, {"distinct": "orders", "key": "lines.q"}, "distinct"),
]
SEEN = [
    (JAVA, {"find": "orders", "filter": {"a": {"$regex": "\\Qa.b\\E"}}}),
    (JAVA, aggregate({"$group": {"_id": None, "v": {"$avg": "$pieces"}}})),
    (JAVA, aggregate({"$project": {"v": {"$sum": "$lines.q"}}})),
    (JAVA, aggregate({"$lookup": {"from": "x", "localField": "lines", "foreignField": "_id", "as": "x"}})),
    (JAVA, aggregate({"$lookup": {"from": "x", "localField": "a.b", "foreignField": "lines.id", "as": "x"}})),
    (JAVA, aggregate({"$project": {"v": {"$toUpper": "$price"}}})),
    (JAVA, aggregate({"$project": {"target.zone": 1, "lines": 1}})),
    (JAVA, aggregate({"$addFields": {"zone": "$target.zone"}})),
    (JAVA, aggregate({"$match": {"a": {"$gte": 1}}}, {"$group": {"_id": None, "v": {"$sum": "$price"}}})),
    (SECANTUS, aggregate({"$unwind": "$lines"}, {"$group": {"_id": None, "v": {"$sum": "$price"}}})),
    (SECANTUS, aggregate({"$match": {"lines.q": 1}})),
    ("mongodb 8.0", {"find": "orders", "filter": {}, "collation": {"locale": "de"}}),
]


@pytest.mark.parametrize(("engine", "statement", "construct"), BLIND)
def test_what_an_engine_gets_silently_wrong_is_named(engine, statement, construct):
    for sent in (statement, json.dumps(statement)):
        found = cannot_judge(engine, [sent], MODEL)
        assert [r.construct for r in found] == [construct]
        assert construct in found[0].text or engine.split()[0] in found[0].text


@pytest.mark.parametrize(("engine", "statement"), SEEN)
def test_what_an_engine_gets_right_is_judged(engine, statement):
    assert cannot_judge(engine, [statement], MODEL) == ()


@pytest.mark.parametrize(
    ("statement", "operators"),
    [
        (aggregate({"$unionWith": "other"}), ["$unionWith"]),
        (aggregate({"$set": {"a": 1}}), ["$set"]),
        (aggregate({"$project": {"v": {"$ifNull": ["$a", "$b", 0]}}}), ["$ifNull"]),
        (
            aggregate({"$lookup": {"from": "x", "localField": "a", "foreignField": "b", "pipeline": [], "as": "c"}}),
            ["$lookup"],
        ),
        (aggregate({"$lookup": {"from": "x", "localField": "a", "foreignField": "b", "as": "c"}}), []),
        ({"update": "orders", "updates": [{"q": {}, "u": {"$set": {"a": 1}}}]}, []),
    ],
)
def test_what_the_embedded_engine_refuses_is_named(statement, operators):
    assert [r.construct for r in refused(JAVA, [statement])] == operators
    assert refused("mongodb 8", [statement]) == ()


def test_reservations_are_made_only_for_what_the_query_touches():
    by_badge = source_reservations(OF_BADGE, CLAIMS)
    number_ = get(var("c", "Crate"), "Number", "int")
    plain = method("M", query([source("c", "Crate")], number_, Outcome.MAX, "int"))

    assert any("collation" in r for r in by_badge)
    assert any("15 digits" in r for r in by_badge)
    assert not any("15 digits" in r for r in source_reservations(PIECES_BOOKED, FREIGHT) if "decimal" not in r)
    assert source_reservations(plain, FREIGHT) == ()


def test_a_constant_prefix_is_a_deviation_of_the_source():
    code = get(var("c", "Consignment"), "ShipperCode", "string")
    entry = [
        method(
            "M",
            query(
                [
                    source("c", "Consignment"),
                    where(
                        Call(method="string.StartsWith", arguments=(code, const(prefix, "string")), type=clr("bool"))
                    ),
                ],
                code,
                Outcome.LIST,
                "List<string>",
            ),
        )
        for prefix in ("sh", "12")
    ]

    assert source_deviations(entry[0])
    assert source_deviations(entry[1]) == ()
    assert any("LIKE" in r for r in source_reservations(entry[0], FREIGHT))


def test_a_deviation_shows_only_where_case_decides():
    code = get(var("c", "Consignment"), "ShipperCode", "string")
    begins = Call(method="string.StartsWith", arguments=(code, const("sh", "string")), type=clr("bool"))
    entry = method("M", query([source("c", "Consignment"), where(begins)], code, Outcome.LIST, "List<string>"))

    def rows(*codes):
        return {"Consignments": tuple({"Number": number(n), "ShipperCode": text(c)} for n, c in enumerate(codes))}

    assert may_deviate(entry, FREIGHT, rows("SHX"), {})
    assert not may_deviate(entry, FREIGHT, rows("shx", "other"), {})


def test_what_is_refused_for_some_documents_is_to_blame_for_a_databases_error_only():
    joined = aggregate({"$lookup": {"from": "x", "let": {"k": "$a"}, "pipeline": [], "as": "x"}})
    mapped = aggregate({"$project": {"v": {"$map": {"input": "$lines", "as": "l", "in": "$$l.q"}}}})
    ended = "org.springframework.dao.DataAccessResourceFailureException"

    assert refused(JAVA, [joined, mapped], "java.lang.IllegalArgumentException") == ()
    assert [
        r.construct for r in refused(JAVA, [joined], "org.springframework.data.mongodb.UncategorizedMongoDbException")
    ]
    assert [r.construct for r in refused(JAVA, [mapped], ended)] == ["$map"]


@pytest.mark.parametrize(
    "part", [{"$first": "$lines"}, {"$type": "$a"}, {"$year": {"date": "$d", "timezone": "+01:00"}}]
)
def test_an_expression_that_the_engine_does_not_know_is_refused(part):
    assert refused(JAVA, [aggregate({"$project": {"v": part}})])
    assert refused(JAVA, [aggregate({"$group": {"_id": None, "v": {"$first": "$a"}}})]) == ()


def test_groups_that_nothing_sorts_are_in_order_by_chance():
    group, sort = {"$group": {"_id": "$a"}}, {"$sort": {"_id": 1}}

    assert ordered_by_chance(JAVA, [aggregate(sort, group)])
    assert ordered_by_chance(JAVA, [aggregate(group, sort)]) == ()
    assert ordered_by_chance("mongodb 8", [aggregate(group)]) == ()

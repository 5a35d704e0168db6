import json

import pytest

from react_agent.proof.chance import by_chance


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ({"find": "crates", "filter": {"$expr": {"$lt": ["$until", "$$NOW"]}}}, ["$$NOW"]),
        ({"aggregate": "crates", "pipeline": [{"$sample": {"size": 3}}]}, ["$sample"]),
        ({"aggregate": "crates", "pipeline": [{"$match": {"$expr": {"$gt": [{"$rand": {}}, 0.5]}}}]}, ["$rand"]),
        ({"aggregate": "a", "pipeline": [{"$lookup": {"pipeline": [{"$set": {"n": "$$NOW"}}]}}]}, ["$$NOW"]),
        ({"find": "crates", "filter": {"$where": "sleep(1)"}}, ["$where"]),
        ({"update": "c", "updates": [{"q": {}, "u": {"$currentDate": {"at": True}}}]}, ["$currentDate"]),
        ({"find": "crates", "filter": {"name": "$$NOW", "$or": [{"name": {"$in": ["$$NOW"]}}]}}, []),
        ({"aggregate": "a", "pipeline": [{"$match": {"name": "$$NOW"}}, {"$project": {"at": "$$NOW"}}]}, ["$$NOW"]),
        ({"find": "crates", "filter": {"name": "NOW", "rand": 1}, "sort": {"sample": 1}}, []),
    ],
)
def test_clock_dice_and_scripts_are_named(statement, named):
    assert [reason.construct for reason in by_chance([statement])] == named
    assert by_chance([json.dumps(statement)]) == by_chance([statement])


def test_each_is_named_once():
    sampled = {"aggregate": "a", "pipeline": [{"$sample": {"size": 1}}, {"$sample": {"size": 1}}]}
    assert len(by_chance([sampled, sampled])) == 1
    assert by_chance(["no json"]) == ()

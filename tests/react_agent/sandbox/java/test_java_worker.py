"""The Java worker runs a realistic data layer and tells exactly what it did."""

from typing import Any

import pytest

from react_agent.sandbox.protocol import JobRefused

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

STATES = {
    "IN_HAND": {"name": "InHand", "v": 0},
    "GIVEN_BACK": {"name": "GivenBack", "v": 1},
    "LOST": {"name": "Lost", "v": 5},
}
STATE = {"kind": "scalar", "type": "enum", "enum": "LoanState", "names": STATES}


def scalar(kind: str) -> dict[str, Any]:
    return {"kind": "scalar", "type": kind}


def many(element: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "list", "element": element}


def record(name: str, **members: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    fields = [{"name": each, "accessor": accessor, "shape": shape} for each, (accessor, shape) in members.items()]
    return {"kind": "object", "name": name, "fields": fields}


def cell(t: str, v: str, **more: str) -> dict[str, str]:
    return {"t": t, "v": v, **more}


FEES = record(
    "TownFees", Town=("town", scalar("string")), Items=("items", scalar("int")), Fees=("fees", scalar("decimal"))
)
MEMBER = record(
    "Member",
    Id=("id", scalar("int")),
    Card=("card", scalar("string")),
    Born=("born", scalar("date")),
    Token=("token", scalar("guid")),
)
LOAN = record(
    "Loan",
    Id=("getId", scalar("int")),
    MemberId=("memberId", scalar("int")),
    State=("getState", STATE),
    TakenAt=("takenAt", scalar("datetime")),
    Renewed=("isRenewed", scalar("bool")),
    Items=("items", many(record("Item", Title=("title", scalar("string")), Fee=("fee", scalar("decimal"))))),
)
LOST = {"t": "enum", "type": "LoanState", "name": "Lost", "v": "5"}
GIVEN_BACK = {"t": "enum", "type": "LoanState", "name": "GivenBack", "v": "1"}

TOKEN = {"$binary": {"base64": "ASNFZ4mrze8BI0VniavN7w==", "subType": "04"}}


def member(number: int, card: str, town: str | None) -> dict[str, Any]:
    return {"_id": {"$numberInt": str(number)}, "card": card, "town": town, "token": TOKEN}


def loan(number: int, of: int | None, state: str, *fees: str) -> dict[str, Any]:
    items = [
        {"title": f"t{at}", "days": {"$numberInt": "7"}, "fee": {"$numberDecimal": fee}} for at, fee in enumerate(fees)
    ]
    taken = {"$date": {"$numberLong": "1704063600500"}}  # 2023-12-31T23:00:00.5Z
    holder = None if of is None else {"$numberInt": str(of)}
    return {
        "_id": {"$numberInt": str(number)},
        "memberId": holder,
        "state": state,
        "takenAt": taken,
        "renewed": False,
        "items": items,
    }


TOWN = {
    "members": [member(2, "c-2", "Brno"), member(1, "c-1", "Oslo"), member(3, "c-3", None)],
    "loans": [
        loan(30, 1, "LOST", "9.90", "0.10"),
        loan(10, 2, "LOST", "10.00"),
        loan(20, 2, "IN_HAND", "3"),
        loan(40, None, "LOST", "0.500"),
        loan(50, 99, "LOST"),
    ],
}
INSTANCES = {"town": TOWN, "empty": {"members": [], "loans": []}}


def call(
    method: str, shape: dict[str, Any], *args: dict[str, Any], instance: str = "town", call_id: str = "1"
) -> dict[str, Any]:
    return {
        "id": call_id,
        "instance": instance,
        "class": "org.example.lending.query.LendingQueries",
        "method": method,
        "args": [{"name": f"a{at}", "value": each} for at, each in enumerate(args)],
        "shape": shape,
    }


@pytest.fixture(scope="module")
def run(program, lending):
    """Compile the data layer and run calls in it."""

    async def compile_and_run(*calls, instances=INSTANCES):
        await program.compile(lending)
        return await program.run(calls, instances, "org.example.lending.LendingConfiguration")

    return compile_and_run


async def test_the_first_frame_names_the_engine_and_its_versions(program):
    engine = program.worker.engine
    assert engine["name"] == "mongo-java-server"
    assert (engine["version"], engine["spring_data"], engine["driver"]) == ("1.47.0", "5.1.2", "5.8.1")
    assert int(engine["java"].split(".")[0]) >= 21


async def test_a_whole_data_layer_compiles_without_warnings_and_uses_nothing_outside_the_list(program, lending):
    result = await program.compile(lending | {"pom.xml": "<project/>"})
    assert "org.example.lending.model.Loan$Item" in result["classes"]
    assert result["warnings"] == []
    assert result["forbidden"] == []


async def test_an_aggregation_over_a_lookup_gives_rows_under_csharp_names(run):
    (envelope,) = await run(call("feesByTown", many(FEES), LOST))

    def row(town: dict[str, Any], items: str, fees: str) -> dict[str, Any]:
        return {
            "t": "object",
            "name": "TownFees",
            "f": {"Town": town, "Items": cell("int", items), "Fees": cell("decimal", fees)},
        }

    assert (envelope["call"], envelope["instance"], envelope["method"]) == ("1", "town", "feesByTown")
    assert envelope["args"] == [{"name": "a0", "value": LOST}]
    assert (envelope["outcome"], envelope["row_count"]) == ("rows", 3)
    assert envelope["value"]["v"] == [
        row(cell("string", "Brno"), "1", "10"),
        row(cell("string", "Oslo"), "1", "9.9"),
        row({"t": "null"}, "1", "0.5"),
    ]
    assert "state" not in envelope


async def test_statements_are_the_commands_as_sent_in_canonical_extended_json(run):
    (envelope,) = await run(call("inState", many(LOAN), GIVEN_BACK))
    assert envelope["statements"] == [
        {"find": "loans", "filter": {"state": "GIVEN_BACK"}, "sort": {"_id": {"$numberInt": "1"}}}
    ]


async def test_entities_are_read_through_getters_and_nested_records(run):
    (envelope,) = await run(call("inState", many(LOAN), {"t": "enum", "type": "LoanState", "name": "InHand", "v": "0"}))
    assert envelope["value"]["v"] == [
        {
            "t": "object",
            "name": "Loan",
            "f": {
                "Id": cell("int", "20"),
                "MemberId": cell("int", "2"),
                "State": {"t": "enum", "type": "LoanState", "name": "InHand", "v": "0"},
                "TakenAt": cell("datetime", "2023-12-31T23:00:00.5000000", kind="Unspecified"),
                "Renewed": cell("bool", "false"),
                "Items": {
                    "t": "list",
                    "v": [
                        {
                            "t": "object",
                            "name": "Item",
                            "f": {"Title": cell("string", "t0"), "Fee": cell("decimal", "3")},
                        }
                    ],
                },
            },
        }
    ]


async def test_an_optional_gives_its_value_or_none(run):
    found, missing = await run(
        call("byCard", MEMBER, cell("string", "c-1")), call("byCard", MEMBER, cell("string", "c-9"), call_id="2")
    )
    assert found["outcome"] == "scalar"
    assert found["value"]["f"] == {
        "Id": cell("int", "1"),
        "Card": cell("string", "c-1"),
        "Born": {"t": "null"},
        "Token": cell("guid", "01234567-89ab-cdef-0123-456789abcdef"),
    }
    assert (missing["outcome"], missing["value"]) == ("none", {"t": "null"})


async def test_a_stream_is_read_to_its_end(run):
    (envelope,) = await run(call("cards", many(scalar("string"))))
    assert [each["v"] for each in envelope["value"]["v"]] == ["c-1", "c-2", "c-3"]


async def test_more_documents_than_a_first_batch_are_all_read(run):
    members = [member(number, f"c-{number:03}", None) for number in range(250)]
    (envelope,) = await run(call("cards", many(scalar("string"))), instances={"town": {"members": members}})
    assert [each["v"] for each in envelope["value"]["v"]] == [f"c-{number:03}" for number in range(250)]


async def test_an_interface_projection_is_read_through_its_interface(run):
    (envelope,) = await run(call("cardViews", many(record("CardView", Card=("card", scalar("string"))))))
    assert [each["f"]["Card"]["v"] for each in envelope["value"]["v"]] == ["c-1", "c-2", "c-3"]


async def test_documents_stand_in_the_order_they_were_given_on_each_instance(run):
    other = {"loans": [loan(7, 1, "LOST"), loan(3, 1, "LOST"), loan(5, 1, "LOST"), loan(1, 1, "LOST")]}
    shape = many(scalar("int"))
    envelopes = await run(
        call("idsAsStored", shape),
        call("idsAsStored", shape, instance="other", call_id="2"),
        call("idsAsStored", shape, instance="empty", call_id="3"),
        call("idsAsStored", shape, call_id="4"),
        instances=INSTANCES | {"other": other},
    )
    ids = [[each["v"] for each in envelope["value"]["v"]] for envelope in envelopes]
    assert ids == [["30", "10", "20", "40", "50"], ["7", "3", "5", "1"], [], ["30", "10", "20", "40", "50"]]


@pytest.mark.parametrize(
    ("method", "args", "exception", "kind"),
    [
        ("requireCard", [cell("string", "nobody")], "java.util.NoSuchElementException", "not_found"),
        ("onlyLoan", [], "org.springframework.dao.IncorrectResultSizeDataAccessException", "too_many"),
        (
            "onlyLoanOf",
            [cell("int", "2")],
            "org.springframework.dao.IncorrectResultSizeDataAccessException",
            "too_many",
        ),
        ("half", [cell("decimal", "10")], "java.lang.ArithmeticException", "error"),
        ("copyMember", [cell("int", "1"), cell("int", "9")], "org.springframework.dao.DuplicateKeyException", "error"),
    ],
)
async def test_an_exception_is_an_outcome_with_its_kind(run, method, args, exception, kind):
    (envelope,) = await run(call(method, MEMBER, *args))
    assert (envelope["outcome"], envelope["exception"], envelope["kind"]) == ("throws", exception, kind)


async def test_a_command_gives_its_count_and_the_state_and_the_next_call_starts_afresh(run):
    closed, again = await run(
        call("close", scalar("int"), LOST),
        call("close", scalar("int"), LOST, call_id="2"),
    )
    assert closed["value"] == again["value"] == cell("int", "4")
    assert closed["outcome"] == "scalar"
    assert [each["_id"]["$numberInt"] for each in closed["state"]["loans"]] == ["10", "20", "30", "40", "50"]
    assert [each["state"] for each in closed["state"]["loans"]] == ["GIVEN_BACK", "IN_HAND"] + ["GIVEN_BACK"] * 3
    assert closed["state"] == again["state"]
    assert closed["statements"][0]["update"] == "loans"


async def test_a_write_that_was_refused_shows_a_state_without_it(run):
    instances = {"one": {"members": [member(1, "c-1", "Oslo")]}}
    (refused,) = await run(
        call("copyMember", MEMBER, cell("int", "1"), cell("int", "2"), instance="one"), instances=instances
    )
    assert refused["outcome"] == "throws"
    assert len(refused["state"]["members"]) == 1


async def test_an_instance_that_breaks_an_index_of_the_program_is_refused(run):
    twice = {"members": [member(1, "same", None), member(2, "same", None)]}
    with pytest.raises(JobRefused) as refused:
        await run(call("cards", many(scalar("string"))), instances={"town": twice})
    assert refused.value.stage == "load"
    assert 'instance town does not fit collection "members"' in refused.value.message


async def test_a_member_that_the_result_does_not_have_is_refused_by_name(run):
    with pytest.raises(JobRefused) as refused:
        await run(call("byCard", record("Member", Street=("street", scalar("string"))), cell("string", "c-1")))
    assert refused.value.stage == "shape"
    assert 'org.example.lending.model.Member has no accessor "street"' in refused.value.message


async def test_an_enum_constant_without_a_csharp_name_is_refused(run):
    shape = record("Loan", State=("state", STATE | {"names": {"IN_HAND": STATES["IN_HAND"]}}))
    with pytest.raises(JobRefused, match="no C# name for LOST") as refused:
        await run(call("inState", many(shape), LOST))
    assert refused.value.stage == "shape"


async def test_null_for_a_primitive_parameter_is_refused_by_name(run):
    with pytest.raises(JobRefused) as refused:
        await run(call("onlyLoanOf", LOAN, {"t": "null"}))
    assert refused.value.stage == "arguments"
    assert "onlyLoanOf(memberId): null does not fit the primitive type int" in refused.value.message


@pytest.mark.parametrize(
    ("change", "stage", "message"),
    [
        ({"method": "nothing"}, "call", "has no public method nothing"),
        ({"class": "org.example.Nobody"}, "call", "class org.example.Nobody is not among the compiled classes"),
        ({"instance": "moon"}, "call", "names the instance moon"),
        ({"args": []}, "arguments", "feesByTown takes 1 argument"),
        ({"args": [{"name": "state", "value": cell("string", "Burnt")}]}, "arguments", "has no constant for Burnt"),
        ({"shape": {"kind": "cube"}}, "shape", 'unknown kind of shape "cube"'),
    ],
)
async def test_a_call_that_means_nothing_is_refused_with_the_reason(run, change, stage, message):
    with pytest.raises(JobRefused) as refused:
        await run(call("feesByTown", many(FEES), LOST) | change)
    assert refused.value.stage == stage
    assert message in refused.value.message


async def test_documents_may_come_as_text_and_what_is_no_extended_json_is_refused(run):
    as_text = {"members": ['{"_id": {"$numberInt": "1"}, "card": "x"}']}
    (envelope,) = await run(call("cards", many(scalar("string"))), instances={"town": as_text})
    assert envelope["value"]["v"] == [cell("string", "x")]
    with pytest.raises(JobRefused, match=r"town, members\[0\] is not canonical Extended JSON") as refused:
        await run(
            call("cards", many(scalar("string"))), instances={"town": {"members": [{"_id": {"$numberInt": "many"}}]}}
        )
    assert refused.value.stage == "load"


async def test_progress_is_told_while_many_calls_run(program, lending):
    await program.compile(lending)
    calls = [call("feesByTown", many(FEES), LOST, call_id=str(at)) for at in range(400)]
    told: list[tuple[int, int]] = []
    envelopes = await program.run(
        calls, INSTANCES, "org.example.lending.LendingConfiguration", lambda done, total: told.append((done, total))
    )
    assert [each["call"] for each in envelopes] == [str(at) for at in range(400)]
    assert told == sorted(told)
    assert told[0][1] == 400


async def test_an_unknown_op_and_a_run_without_a_program_are_refused(single_use):
    with pytest.raises(JobRefused, match='unknown op "dance"'):
        await single_use.worker.request("dance", {})
    with pytest.raises(JobRefused, match="nothing is compiled yet"):
        await single_use.run([])

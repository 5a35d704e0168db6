import json

import pytest

from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.protocol import JobKilled, JobRefused, KillReason
from tests.react_agent.sandbox.dotnet.jobs import (
    DEPOT,
    LINKS,
    NULL,
    SHOP,
    call,
    cell,
    cells,
    number,
    ran,
    sample,
    text,
    values,
)

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]


CASES = [
    "01-sum-over-empty-children", "04-optional-nav-enum-name-sum", "06-composed-search-ties-page",
    "11-many-to-many-payload", "17-null-comparisons", "18-bulk-commands-state",
]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_recorded_data_layers_give_the_recorded_envelopes(worker, cases, name):
    folder = cases / name
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
    files = [{"path": f, "text": (folder / f).read_text(encoding="utf-8")} for f in ("Schema.cs", "Query.cs")]
    recorded = [*golden["entries"], *golden["more"]]
    compiled = await worker.request("compile", {"sources": files})
    assert {entry["method"] for entry in compiled["entries"]} >= {each["method"] for each in recorded}
    calls = [
        {
            "id": each["call"],
            "instance": "seed",
            "class": case["query_class"],
            "method": each["method"],
            "args": each["args"],
        }
        for each in recorded
    ]
    payload = {"context": case["context"], "instances": [{"id": "seed", "tables": golden["seed"]}], "calls": calls}
    answer = await worker.request("run", payload)
    compared = ("call", "method", "args", "outcome", "value", "row_count", "warnings", "sql", "state")
    found = [{key: each[key] for key in compared if key in each} for each in answer["envelopes"]]
    assert found == [{key: each[key] for key in compared if key in each} for each in recorded]


async def test_the_users_connection_is_never_used_and_other_settings_are_kept(worker):
    envelopes = await ran(worker, "Shop.cs", SHOP, call("Desk", "Plain"), call("Desk", "Paid"))
    assert envelopes[0]["row_count"] == 1
    assert [payment["name"] for payment in envelopes[1]["value"]["v"]] == ["CardPayment", "CashPayment"]
    assert "hunter2" not in json.dumps(envelopes)


async def test_a_command_shows_the_state_and_leaves_the_next_call_a_fresh_database(worker):
    rename, after = await ran(
        worker,
        "Shop.cs",
        SHOP,
        call("Desk", "Rename", id=number(1), name=text("Bea")),
        call("Desk", "Find", name=text("Ann")),
    )
    assert (rename["outcome"], rename["value"]) == ("none", NULL)
    assert [row["Name"] for row in rename["state"]["Customers"]] == [text("Bea"), text("gone")]
    order = rename["state"]["Orders"][0]
    assert order["Size"] == cell("enum", "5", type="Size", name="Large", stored="Large")
    assert order["Scores"] == cells(number(1), number(2)) | {"stored": "[1,2]"}
    assert rename["state"]["Line"][0]["Sku"]["stored"] == "K1"
    assert after["outcome"] == "scalar"
    assert "state" not in after


async def test_commands_that_change_nothing_or_are_rolled_back_show_the_state_too(worker):
    touch, open_, add, after = await ran(
        worker, "Links.cs", LINKS, call("Crawler", "Touch"), call("Crawler", "LeaveOpen"),
        call("Crawler", "Add", title=text("new")), call("Crawler", "CountAfter", id=number(0)),
    )  # fmt: skip
    assert [row["Title"] for row in touch["state"]["Pages"]] == [text("home")]
    assert (open_["value"], len(open_["state"]["Link"])) == (number(2), 2)
    assert (add["value"], add["state"]["Pages"][1]["Id"]) == (number(2), number(2))
    assert after["value"] == number(1)


async def test_views_hold_the_rows_of_the_instance_and_seeds_of_the_model_do_not_count(worker):
    popular, count = await ran(
        worker, "Links.cs", LINKS, call("Crawler", "Popular"), call("Crawler", "CountAfter", id=number(0))
    )
    assert popular["value"]["v"][0]["f"] == {"Id": number(7), "Title": text("seven")}
    assert count["value"] == number(1)


async def test_queries_and_their_warnings_are_heard_again_when_ef_has_them_cached(worker):
    first, second = await ran(worker, "Links.cs", LINKS, call("Crawler", "ByPath"), call("Crawler", "ByPath"))
    assert first["reading"] == [{"tree": 'DbSet<Page>()\n    .Include("Links")\n    .First()'}]
    assert first["warnings"] == ["Microsoft.EntityFrameworkCore.Query.FirstWithoutOrderByAndFilterWarning"]
    assert (second["reading"], second["warnings"], second["sql"]) == (first["reading"], first["warnings"], first["sql"])


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (
            {"Link": [{"Id": number(1), "PageId": number(9)}]},
            "instance one: Link: the row with rowid 1 refers to a row of Pages",
        ),
        ({"Link": [{"Nr": number(1)}]}, r'instance one: Link\[0\]: no column "Nr"; there: Id, PageId'),
        ({"Lnk": []}, "instance one: Lnk: no such table; the model has Link, Pages, popular"),
        ({"Pages": [{"Id": number(1), "Title": NULL}]}, r"instance one: Pages\[0\]: .*NOT NULL constraint failed"),
        ({"Pages": [{"Id": text("x")}]}, r"instance one: Pages\[0\]\.Id: .*does not fit int"),
    ],
)
async def test_rows_that_do_not_fit_are_refused_by_table_and_row(worker, tables, words):
    with pytest.raises(JobRefused, match=words) as refused:
        await ran(worker, "Links.cs", tables, call("Crawler", "CountAfter", id=number(0)))
    assert refused.value.stage == "load"


async def test_what_user_code_prints_never_touches_the_frames(worker):
    (shout,) = await ran(worker, "Shop.cs", SHOP, call("Desk", "Shout"))
    assert shout["value"] == text("1.5")
    assert "hello" in worker.log


async def test_what_a_careless_call_leaves_behind_never_reaches_the_next(worker):
    envelopes = await ran(
        worker,
        "Depot.cs",
        DEPOT,
        call("Careless", "LeavesOpen"),
        call("Careless", "Tags"),
        call("Careless", "Closes"),
        call("Careless", "Tags"),
    )
    assert values(envelopes) == ["0", "1", "1", "1"]
    assert len(envelopes[0]["state"]["Tags"]) == 1


async def test_one_job_takes_many_runs_and_calls(worker):
    await worker.request("compile", sample("Links.cs"))
    instances = [{"id": str(at), "tables": LINKS} for at in range(5)]
    for _ in range(22):
        calls = [call("Crawler", "Add", instance=str(at), title=text("x")) for at in range(5)]
        answer = await worker.request("run", {"instances": instances, "calls": calls})
        assert {envelope["value"]["v"] for envelope in answer["envelopes"]} == {"2"}


async def test_progress_ends_with_all_calls_done(worker):
    told = []
    await worker.request("compile", sample("Links.cs"))
    calls = [call("Crawler", "CountAfter", id=number(at)) for at in range(3)]
    payload = {"instances": [{"id": "one", "tables": LINKS}], "calls": calls}
    await worker.request("run", payload, on_progress=lambda done, total: told.append((done, total)))
    assert told[0] == (1, 3)
    assert told[-1] == (3, 3)


async def test_a_program_that_ends_itself_ends_the_worker(toolchain, isolation):
    worker = await Worker.start(toolchain, WorkerSettings(), bwrap=isolation.bwrap)
    try:
        with pytest.raises(JobKilled) as killed:
            await ran(worker, "Shop.cs", SHOP, call("Desk", "Leave"))
        assert killed.value.reason == KillReason.DIED
    finally:
        await worker.end()

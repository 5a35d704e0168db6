import asyncio
import json
from collections.abc import AsyncGenerator
from typing import TypeVar

import pytest
import pytest_asyncio

from react_agent.model.mapping import MappingModel
from react_agent.model.values import Cell
from react_agent.sandbox.dotnet_toolchain import DotnetToolchain, find_dotnet
from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.protocol import JobKilled, JobRefused, KillReason
from tests.react_agent.sandbox.dotnet_jobs import (
    DEPOT,
    LINKS,
    NULL,
    ORDER,
    SHOP,
    call,
    cell,
    cells,
    number,
    sample,
    source,
    text,
    values,
)

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]
SETTINGS = WorkerSettings()
Found = TypeVar("Found")


@pytest.fixture(scope="module")
def toolchain() -> DotnetToolchain:
    return asyncio.run(find_dotnet())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worker(toolchain: DotnetToolchain, isolation: Isolation) -> AsyncGenerator[Worker]:
    started = await Worker.start(toolchain, SETTINGS, bwrap=isolation.bwrap)
    yield started
    await started.end()


def there(value: Found | None) -> Found:
    assert value is not None
    return value


async def ran(worker: Worker, name: str, tables: dict, *calls: dict) -> list[dict]:
    await worker.request("compile", sample(name))
    instances = [{"id": "one", "tables": tables}]
    return (await worker.request("run", {"instances": instances, "calls": calls}))["envelopes"]


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


async def test_engine_facts_name_what_can_change_a_result(worker):
    assert worker.engine["name"] == "Microsoft.EntityFrameworkCore.Sqlite"
    assert worker.engine["ef"] == "10.0.15"
    assert worker.engine["culture"] == "invariant"
    assert isinstance(worker.engine["icu"], bool)
    assert worker.engine["dotnet"].startswith("10.")
    assert worker.engine["sqlite"].startswith("3.")


async def test_entries_are_found_by_constructor_interface_and_first_argument(worker):
    found = await worker.request("compile", sample("Shop.cs"))
    assert found["contexts"] == [{"name": "ShopContext", "namespace": "Shop", "full_name": "Shop.ShopContext"}]
    entries = {(entry["class"], entry["method"]): entry for entry in found["entries"]}
    assert {owner for owner, _ in entries} == {"Desk", "Front", "Reports"}
    count = entries["Desk", "Count"]
    assert (count["returns"], count["async"], count["file"], count["line"]) == ("ValueTask<int>", True, "Shop.cs", 145)
    assert count["parameters"] == [
        {"name": "cancel", "type": "CancellationToken", "nullable": False, "optional": True},
        {"name": "least", "type": "int", "nullable": False, "optional": True},
    ]
    assert entries["Desk", "Find"]["returns"] == "Customer?"
    assert entries["Desk", "OfSizes"]["parameters"][1] == {
        "name": "traits", "type": "Traits?", "nullable": True, "optional": False,
    }  # fmt: skip
    assert [parameter["name"] for parameter in entries["Reports", "Lines"]["parameters"]] == ["least"]


async def test_code_without_a_context_compiles_and_cannot_be_described(worker):
    found = await worker.request("compile", source("public class Bag { public List<int> Items { get; } = []; }"))
    assert found == {"contexts": [], "entries": [], "warnings": []}
    with pytest.raises(JobRefused, match="no DbContext is in the sources"):
        await worker.request("describe", {"context": ""})


async def test_code_that_does_not_compile_is_refused_with_lines(worker):
    with pytest.raises(JobRefused) as refused:
        await worker.request("compile", source("public class A\n{\n    Lisst<int> b;\n    int }\n", "A.cs"))
    assert refused.value.stage == "compile"
    assert [(d.file, d.line, d.column, d.code) for d in refused.value.diagnostics] == [
        ("A.cs", 3, 5, "CS0246"), ("A.cs", 4, 9, "CS1519"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "public interface IClock; public class Db(DbContextOptions<Db> o, IClock c) : DbContext(o);",
            "it also needs IClock",
        ),
        (
            "public class P; public class Db(DbContextOptions<Db> o) : DbContext(o) { public DbSet<P> P => Set<P>(); }",
            "requires a primary key",
        ),
    ],
)
async def test_a_context_that_cannot_be_opened_is_refused_with_the_reason(worker, code, words):
    await worker.request("compile", source(f"using Microsoft.EntityFrameworkCore;\n{code}"))
    with pytest.raises(JobRefused, match=words) as refused:
        await worker.request("describe", {})
    assert refused.value.stage == "describe"


async def test_the_model_of_ef_is_a_mapping_model(worker):
    await worker.request("compile", sample("Shop.cs"))
    model = MappingModel.from_json((await worker.request("describe", {"context": "ShopContext"}))["model"])
    assert (model.context, model.namespace, model.origin) == ("ShopContext", "Shop", "ef")
    customer = there(model.find("Customer"))
    assert (customer.table, customer.key, customer.db_set) == ("Customers", ("Id",), "Customers")
    assert customer.query_filter == 'c => c.Name != "gone"'
    assert customer.unmapped_members == ("Greeting",)
    assert customer.indexes[0].unique
    assert customer.indexes[0].filter == "Name <> ''"
    assert (customer.check_constraints[0].name, customer.check_constraints[0].sql) == ("CK_Rank", "Rank >= 0")
    rank = there(customer.find_property("Rank"))
    assert (rank.shadow, rank.concurrency_token, rank.default, rank.value_generated) == (True, True, "7", "on_add")
    assert there(customer.find_property("Name")).max_length == 50
    assert there(customer.find_navigation("Orders")).backing_field == "_orders"
    assert there(customer.find_navigation("Home")).required
    home = there(model.find("Address"))
    assert (home.owned_by, home.owner_navigation, home.table) == ("Customer", "Home", "Customers")
    assert there(home.find_property("Street")).column == "Home_Street"
    contact = there(model.find("Contact"))
    assert (contact.table, contact.json_column, contact.key) == (None, "Contact", ())
    assert str(there(contact.find_property("Phones")).type) == "List<string>"


async def test_the_model_of_ef_knows_relations_conversions_and_hierarchies(worker):
    await worker.request("compile", sample("Shop.cs"))
    model = MappingModel.from_json((await worker.request("describe", {}))["model"])
    order = there(model.find("Order"))
    size, total = there(order.find_property("Size")), there(order.find_property("Total"))
    assert (size.type.name, size.provider_type, size.converter) == ("Size", "string", None)
    assert (total.provider_type, total.converter) == ("decimal", "ValueConverter")
    assert order.foreign_keys[0].principal == "Customer"
    assert (order.foreign_keys[0].required, order.foreign_keys[0].delete_behavior) == (False, "restrict")
    assert (there(order.find_navigation("Customer")).inverse, there(order.find_navigation("Lines")).collection) == (
        "Orders",
        True,
    )
    assert (there(model.find("Line")).table, there(model.find("Line")).key) == ("Line", ("OrderId", "Id"))
    card = there(model.find("CardPayment"))
    assert (card.base, card.inheritance, card.table, card.foreign_keys) == ("Payment", "tpt", "CardPayment", ())
    assert there(model.find("Payment")).abstract
    traits = there(model.find_enum("Traits"))
    assert traits.flags
    assert [(m.name, m.value) for m in traits.members] == [("None", 0), ("Fragile", 1), ("Heavy", 2)]
    assert there(model.find_enum("Size")).underlying == "short"


async def test_the_users_connection_is_never_used_and_other_settings_are_kept(worker):
    envelopes = await ran(worker, "Shop.cs", SHOP, call("Desk", "Plain"), call("Desk", "Paid"))
    assert envelopes[0]["row_count"] == 1
    assert [payment["name"] for payment in envelopes[1]["value"]["v"]] == ["CardPayment", "CashPayment"]
    assert "hunter2" not in json.dumps(envelopes)


async def test_an_entity_shows_its_parts_and_the_navigations_a_query_named(worker):
    included, plain = await ran(worker, "Shop.cs", SHOP, call("Desk", "WithOrders"), call("Desk", "Plain"))
    ann = included["value"]["v"][0]
    assert ann["f"]["Home"]["f"] == {"Street": text("High St"), "Note": NULL}
    assert ann["f"]["Contact"]["f"]["Phones"] == cells(text("1"), text("2"))
    assert ann["computed"] == {"Greeting": text("Dear Ann")}
    assert "Rank" not in ann["f"]
    order = ann["f"]["Orders"]["v"][0]["f"]
    assert order["Lines"]["v"][0]["f"]["Pieces"] == number(4)
    assert order["PlacedAt"] == cell("datetimeoffset", "2024-01-01T00:00:00.0000000+02:00")
    assert order["Lead"] == cell("timespan", "1.02:03:04")
    assert order["Due"] == cell("date", "2024-02-29")
    assert order["Traits"] == cell("enum", "3", type="Traits", name="Fragile, Heavy")
    assert "Customer" not in order
    assert set(plain["value"]["v"][0]["f"]) == {"Id", "Name", "Home", "Contact"}
    assert Cell.from_json(ann).to_json() == ann


async def test_a_circle_is_walked_as_far_as_the_query_names_it(worker):
    circle, path, loaded = await ran(
        worker,
        "Links.cs",
        LINKS,
        call("Crawler", "Circle"),
        call("Crawler", "ByPath"),
        call("Crawler", "Loaded", id=number(1)),
    )
    first = circle["value"]["v"][0]["f"]
    assert [link["f"]["Id"] for link in first["Page"]["f"]["Links"]["v"]] == [number(1), number(2)]
    assert set(first["Page"]["f"]["Links"]["v"][0]["f"]) == {"Id", "PageId"}
    assert len(path["value"]["f"]["Links"]["v"]) == len(loaded["value"]["f"]["Links"]["v"]) == 2


async def test_every_kind_of_result_is_read_to_its_end(worker):
    envelopes = await ran(
        worker, "Shop.cs", SHOP, call("Desk", "Lazy"), call("Desk", "Names"), call("Desk", "Count"),
        call("Desk", "Pair"), call("Desk", "Tally"), call("Desk", "Find", name=text("nobody")), call("Front", "Orders"),
        call("Reports", "Lines", least=number(4)),
    )  # fmt: skip
    assert [envelope["outcome"] for envelope in envelopes] == [
        "rows", "rows", "scalar", "scalar", "rows", "none", "scalar", "scalar",
    ]  # fmt: skip
    assert envelopes[1]["value"] == cells(text("Ann"))
    assert envelopes[3]["value"]["f"] == {"Item1": number(1), "Item2": cell("decimal", "2.50")}
    assert envelopes[5]["value"] == NULL
    assert values(envelopes[-2:]) == ["1", "1"]


async def test_arguments_become_the_parameters_own_types(worker):
    large = cell("enum", "5", name="Large", type="Size")
    wanted = {"t": "object", "name": "Filter", "f": {"Name": text("A"), "Sizes": cells(large)}}
    envelopes = await ran(
        worker, "Shop.cs", SHOP,
        call("Desk", "OfSizes", sizes=cells(large), traits=NULL),
        call("Desk", "OfSizes", sizes=cells(large), traits=cell("enum", "1")),
        call("Desk", "Search", filter=wanted),
        call("Desk", "Count", least=number(2)),
    )  # fmt: skip
    assert values([envelopes[0], envelopes[1], envelopes[3]]) == ["1", "0", "0"]
    assert envelopes[2]["value"]["v"][0]["f"] == {"Name": text("Ann"), "Count": number(1)}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (call("Desk", "Nowhere"), r"no entry Desk\.Nowhere; there: .*Shop\.Desk\.Count"),
        (call("Desk", "Count", most=number(1)), r"no Desk\.Count takes the arguments \(most\)"),
        (call("Desk", "First", id=text("x")), r"Shop\.Desk\.First: argument id: .*does not fit Guid"),
        (call("Desk", "Count", instance="two"), r'no instance has the id "two"'),
    ],
)
async def test_a_call_that_cannot_be_made_is_refused(worker, asked, words):
    with pytest.raises(JobRefused, match=words):
        await ran(worker, "Shop.cs", SHOP, asked)


async def test_an_exception_is_an_envelope_with_its_kind(worker):
    missing = cell("guid", ORDER.replace("1", "2"))
    envelopes = await ran(
        worker, "Shop.cs", SHOP, call("Desk", "First", id=missing), call("Desk", "Boom"), call("Desk", "Hungry")
    )
    assert [(e["outcome"], e["exception"], e["kind"]) for e in envelopes] == [
        ("throws", "System.InvalidOperationException", "not_found"),
        ("throws", "System.InvalidOperationException", "error"),
        ("throws", "System.OutOfMemoryException", "error"),
    ]
    two = SHOP | {"Orders": [*SHOP["Orders"], SHOP["Orders"][0] | {"Id": missing}]}
    (single,) = await ran(worker, "Shop.cs", two, call("Desk", "Only"))
    assert single["kind"] == "too_many"


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


async def test_an_anonymous_type_is_an_object(worker):
    (found,) = await ran(worker, "Links.cs", LINKS, call("Crawler", "Anonymous"))
    assert found["value"]["v"][0] == {
        "t": "object",
        "name": "AnonymousType",
        "f": {"Id": number(1), "Length": number(4)},
    }


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


async def test_the_model_of_ef_names_parts_apart_and_knows_joins(worker):
    await worker.request("compile", sample("Depot.cs"))
    model = MappingModel.from_json((await worker.request("describe", {}))["model"])
    now, size = there(model.find("Unit.Now#Place")), there(model.find("Unit.Before#Place.Size#Span"))
    assert (now.clr_name, now.owned_by, now.owner_navigation, now.complex) == ("Place", "Unit", "Now", False)
    assert (size.owned_by, there(size.find_property("Width")).column) == ("Unit.Before#Place", "Before_Size_Width")
    unit, box, owner = there(model.find("Unit")), there(model.find("Box")), there(model.find("Owner"))
    assert (unit.discriminator, unit.discriminator_value, unit.alternate_keys) == ("Kind", None, (("Label",),))
    assert (box.base, box.inheritance, box.discriminator_value, box.table) == ("Unit", "tph", "Box", "Units")
    assert [p.name for p in box.properties] == ["Sealed"]
    tags = there(owner.find_navigation("Tags"))
    assert (tags.target, tags.many_to_many, tags.foreign_key) == ("Tag", "OwnerTag", ("OwnersCode",))
    limit = there(model.find("Limit"))
    assert (limit.complex, limit.owned_by, limit.owner_navigation, limit.table) == (True, "Owner", "Limit", "Owners")
    assert there(owner.find_navigation("Limit")).required


async def test_services_get_factories_loggers_and_clocks(worker):
    envelopes = await ran(
        worker,
        "Depot.cs",
        DEPOT,
        call("Store", "All"),
        call("Floor", "OwnerOf", id=number(1)),
        call("Floor", "Tags"),
        call("Floor", "Write", label=text("second")),
    )
    assert [envelope["outcome"] for envelope in envelopes] == ["rows", "scalar", "rows", "scalar"]
    box = envelopes[0]["value"]["v"][0]
    assert (box["name"], box["f"]["Before"], "Owner" in box["f"]) == ("Box", NULL, False)
    assert box["f"]["Now"]["f"]["Size"]["f"] == {"Width": number(2), "Height": number(3)}
    assert envelopes[1]["value"] == text("a")
    owner = envelopes[2]["value"]["v"][0]["f"]["Owners"]["v"][0]["f"]
    assert owner["Limit"]["f"] == {"Most": number(5), "Why": NULL}
    assert set(owner) == {"Code", "Notes", "Limit"}
    kinds = [row["Kind"]["name"] for row in envelopes[3]["state"]["Units"]]
    assert kinds == ["Box", "Box"]


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
    worker = await Worker.start(toolchain, SETTINGS, bwrap=isolation.bwrap)
    try:
        with pytest.raises(JobKilled) as killed:
            await ran(worker, "Shop.cs", SHOP, call("Desk", "Leave"))
        assert killed.value.reason == KillReason.DIED
    finally:
        await worker.end()

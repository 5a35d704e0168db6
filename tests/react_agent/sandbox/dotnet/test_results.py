import pytest

from react_agent.model.values import Cell
from react_agent.sandbox.protocol import JobRefused
from tests.react_agent.sandbox.dotnet.jobs import (
    DEPOT,
    LINKS,
    NULL,
    ORDER,
    SHOP,
    call,
    cell,
    cells,
    number,
    ran,
    text,
    values,
)

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]


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


async def test_an_anonymous_type_is_an_object(worker):
    (found,) = await ran(worker, "Links.cs", LINKS, call("Crawler", "Anonymous"))
    assert found["value"]["v"][0] == {
        "t": "object",
        "name": "AnonymousType",
        "f": {"Id": number(1), "Length": number(4)},
    }


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

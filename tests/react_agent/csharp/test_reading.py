from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_agent.csharp import hazards_of, mapping_faults, read
from react_agent.model.gap import Span
from react_agent.model.mapping import MappingModel
from react_agent.model.query import Outcome
from react_agent.model.translation import SourceFile
from tests.react_agent.csharp.forms import form
from tests.react_agent.csharp.sources import SHOP, USINGS, entry, folder, of

READ_IN_WHOLE = [
    "01-sum-over-empty-children",
    "04-optional-nav-enum-name-sum",
    "06-composed-search-ties-page",
    "11-many-to-many-payload",
    "17-null-comparisons",
]


@pytest.mark.parametrize("name", READ_IN_WHOLE)
def test_a_recorded_case_is_read_without_a_gap(cases: Path, name: str) -> None:
    reading = read(folder(cases / name))
    assert (reading.gaps, reading.faults) == ((), ())
    assert all(m.query is not None for m in reading.queries.methods)


def test_bulk_commands_are_read_with_what_is_asked_after_them(cases: Path) -> None:
    reading = read(folder(cases / "18-bulk-commands-state"))
    assert (reading.gaps, reading.faults) == ((), ())
    assert [(m.method, [c.kind.value for c in m.changes], m.query is not None) for m in reading.queries.methods] == [
        ("StarEveryBed", ["update"], False),
        ("DateOldPlantings", ["update"], False),
        ("FlagTrials", ["update"], False),
        ("AgeMarkers", ["update"], False),
        ("PullMarkers", ["delete"], False),
        ("PlantingsAfterDating", ["update"], True),
        ("PlantingsAfterFlagging", ["update"], True),
        ("LinksAfterPulling", ["delete"], True),
    ]
    assert reading.mapping is not None
    assert [e.name for e in reading.mapping.entities] == [
        "Bed",
        "Marker",
        "MarkerPlanting",
        "Planting",
        "TrialPlanting",
    ]


def test_the_sum_over_a_private_list(cases: Path) -> None:
    reading = read(folder(cases / "01-sum-over-empty-children"))
    method = reading.queries.methods[0]
    assert method.query is not None
    assert method.query.outcome == Outcome.SUM
    assert form(method.query) == (
        "from booking in Consignment; where (booking.ShipperCode == @shipperCode); from crate in booking.Crates "
        "=> crate.Pieces -> Sum int"
    )
    assert reading.mapping is not None
    assert {"S01", "S09", "S38", "Q01", "Q21", "Q34"} <= set(hazards_of(method, reading.mapping))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("  \n\t", "the file is empty"),
        ("SELECT * FROM x WHERE y = 1", "cannot read"),
        ("// only a comment", "no class, record or enum is declared here"),
        ("public class A { public int X { get; set; }", "cannot read 'public class A"),
    ],
)
def test_what_is_not_csharp_is_a_fault_with_its_place(text: str, message: str) -> None:
    reading = read([SourceFile(path="a/B.cs", text=text)])
    assert message in reading.faults[0].message
    assert str(reading.faults[0]).startswith("a/B.cs:1: ")


def test_sources_without_a_context_have_no_mapping() -> None:
    reading = of("public class A { public int Id { get; set; } }")
    assert (reading.mapping, reading.contexts, reading.queries.methods) == (None, (), ())


def test_an_unreadable_piece_of_an_entry_is_a_gap_of_that_entry_alone() -> None:
    reading = entry("public int M() => db.Items.Count();\npublic int N() { return db.Items.Count(i => i.Id > @@@); }")
    assert [g.entry for g in reading.gaps] == ["Q.N"]
    assert {m.method: m.query is not None for m in reading.queries.methods} == {"M": True, "N": False}


def test_an_unreadable_piece_of_an_entity_is_a_gap_of_the_mapping() -> None:
    reading = of(
        SHOP.replace("public bool Active", "#if X\n  public int Odd { get; set; }\n#endif\n  public bool Active")
    )
    assert [g.construct for g in reading.gaps if not g.entry] != []


def test_two_contexts_read_the_one_that_entries_take() -> None:
    other = "public class Aux(DbContextOptions<Aux> o) : DbContext(o) { public DbSet<Shop> Shops => Set<Shop>(); }"
    reading = entry("public int M() => db.Items.Count();", other)
    assert set(reading.contexts) == {"Ctx", "Aux"}
    assert reading.mapping is not None
    assert reading.mapping.context == "Ctx"
    assert [g.construct for g in reading.gaps] == ["DbContext"]


def test_a_partial_class_is_one_class() -> None:
    parts = [
        SourceFile(path="A.cs", text=USINGS + SHOP + "public partial class Q(Ctx db) { public int M() => Mine(); }"),
        SourceFile(path="B.cs", text="public partial class Q { private int Mine() => db.Items.Count(); }"),
    ]
    reading = read(parts)
    assert reading.gaps == ()
    assert [m.entry for m in reading.queries.methods] == ["Q.M"]


def test_an_enum_that_only_an_entry_uses_is_in_the_mapping() -> None:
    more = "public enum Size { S, L = 3 } public class Cut { public Size Size { get; set; } }"
    body = "public List<Cut> M(bool l) => db.Items.Select(i => new Cut { Size = l ? Size.L : Size.S }).ToList();"
    mapping = entry(body, more).mapping
    assert mapping is not None
    assert [e.name for e in mapping.enums] == ["Color", "Size"]


def test_a_mapping_from_ef_wins() -> None:
    text = USINGS + SHOP + "public class Q(Ctx db) { public int M() => db.Shops.Count(s => s.Name == null); }"
    own = of(SHOP).mapping
    assert own is not None
    printed = own.to_json() | {"origin": "ef"}
    ef = MappingModel.from_json(printed)
    reading = read([SourceFile(path="Q.cs", text=text)], mapping=ef)
    assert reading.mapping == ef
    assert mapping_faults(own, ef) == ()


def test_a_mapping_that_differs_is_named_member_by_member() -> None:
    own = of(SHOP).mapping
    assert own is not None
    printed = own.to_json()
    for entity in printed["entities"]:
        if entity["name"] == "Shop":
            entity["table"] = "shop"
            entity["properties"][1]["max_length"] = 7
    faults = mapping_faults(own, MappingModel.from_json(printed))
    assert faults == (
        "Shop.table: the text says Shops, EF Core shop",
        "Shop.Name.max_length: the text says nothing, EF Core 7",
    )


SNIPPETS = st.lists(
    st.sampled_from([
        *"{}()[];,.<>=?!\"'@#\n $",
        *(USINGS + SHOP).split(),
        "from",
        "in",
        "select",
        "=>",
        "é",
        "\ud800",
        "\0",
    ]),
    max_size=60,
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=200), SNIPPETS))
def test_any_text_is_read_without_raising_and_spans_lie_inside_it(text: str) -> None:
    reading = read([SourceFile(path="X.cs", text=USINGS + SHOP + text), SourceFile(path="Y.cs", text=text)])
    texts = {"X.cs": USINGS + SHOP + text, "Y.cs": text}
    for span in [*(g.span for g in reading.gaps), *(f.span for f in reading.faults)]:
        assert _inside(span, texts[span.file])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_cut_source_is_read_without_raising(data: st.DataObject) -> None:
    whole = (
        USINGS
        + SHOP
        + "public class Q(Ctx db) { public int M() => (from s in db.Shops where s.Id > 1 select s).Count(); }"
    )
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    read([SourceFile(path="X.cs", text=whole[:start] + whole[end:])])


def test_a_text_nested_too_deep_is_a_fault_or_a_gap() -> None:
    reading = entry("public int M() => db.Items.Count(i => " + "(" * 3000 + "i.Active" + ")" * 3000 + ");")
    assert reading.gaps or reading.faults


def _inside(span: Span, text: str) -> bool:
    lines = text.split("\n")
    ordered = (span.line, span.column) <= (span.end_line, span.end_column)
    return ordered and span.end_line <= max(len(lines), 1) and span.end_column <= len(lines[span.end_line - 1]) + 1

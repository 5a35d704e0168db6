"""The draft: both models together, with what only the two of them know."""

import pytest

from react_agent.draft import Draft, draft
from react_agent.model.translation import SourceFile

HEAD = "using System; using System.Linq; using System.Collections.Generic; using Microsoft.EntityFrameworkCore;\n"
MODEL = """
namespace Yard;
public enum State { Open, Shut = 4 }
public class Gate {
  public int Id { get; set; }
  public string Name { get; set; } = "";
  public State State { get; set; }
  public int? KeeperId { get; set; }
  public Keeper? Keeper { get; set; }
  public List<Visit> Visits { get; } = [];
}
public class Keeper {
  public int Id { get; set; }
  public string Name { get; set; } = "";
  public State Mood { get; set; }
}
public class Visit {
  public int Id { get; set; }
  public int GateId { get; set; }
  public Gate Gate { get; set; } = null!;
  public DateTime At { get; set; }
}
public record GateRow(int Id, string Name);
public class GatePage {
  public List<GateRow> Rows { get; init; } = [];
  public int Total { get; init; }
  public int Page { get; init; }
}
public class Yard(DbContextOptions<Yard> o) : DbContext(o) {
  public DbSet<Gate> Gates => Set<Gate>();
  public DbSet<Keeper> Keepers => Set<Keeper>();
  public DbSet<Visit> Visits => Set<Visit>();
  %s
}
"""


def made(body: str, configured: str = "", decisions: dict[str, str] | None = None) -> Draft:
    text = f"{HEAD}{MODEL.replace('%s', configured)}\npublic class Q(Yard db) {{\n{body}\n}}"
    return draft([SourceFile(path="Yard.cs", text=text)], decisions=decisions)


def java(found: Draft, name: str = "Q") -> str:
    assert found.gaps == ()
    return next(f.text for f in found.translation.files if f.path.endswith(f"/{name}.java"))


def test_an_entry_names_the_hazards_that_it_touches() -> None:
    found = made("public int M(int? keeper) => db.Gates.Count(g => g.KeeperId != keeper);")

    (pair,) = found.translation.entries
    assert {"Q03"} <= set(pair.hazards)


@pytest.mark.parametrize(
    ("predicate", "asked"),
    [("g.Name.StartsWith(text)", True), ("g.Name.ToLower() == text.ToLower()", True), ("g.Name == text", False)],
)
def test_a_decision_is_listed_where_a_query_meets_it(predicate: str, asked: bool) -> None:
    found = made(f"public int M(string text) => db.Gates.Count(g => {predicate});")

    assert ("text-case" in {d.id for d in found.translation.documents.decisions}) is asked


BOTH_FORMS = """protected override void OnModelCreating(ModelBuilder b) {
    b.Entity<Keeper>().Property(k => k.Mood).HasConversion<string>(); }"""


def test_an_enum_in_two_forms_is_a_gap_of_the_second_entity() -> None:
    found = made("public int M() => db.Gates.Count(g => g.State == State.Open);", BOTH_FORMS)

    (gap,) = found.gaps
    assert (gap.construct, gap.hazard) == ("HasConversion", "S22")
    assert "Mood stores State by name, Gate.State by number" in gap.reason
    assert [pair.entry for pair in found.translation.entries] == ["Q.M"]


def test_one_form_for_both_can_be_decided() -> None:
    found = made("public int M() => db.Gates.Count();", BOTH_FORMS, {"enum-form:Keeper.Mood": "number"})

    assert found.gaps == ()


def test_an_entity_with_what_it_includes_is_a_record_that_holds_both() -> None:
    found = made(
        "public List<Gate> M() => db.Gates.Include(g => g.Keeper).Include(g => g.Visits.OrderBy(v => v.At))"
        ".OrderBy(g => g.Id).Take(5).ToList();"
    )

    text = java(found)
    assert "public List<GateWithKeeperAndVisits> m()" in text
    assert text.index("limit(5)") < text.index('lookup("keepers"') < text.index('.as("visits")')
    record = java(found, "GateWithKeeperAndVisits")
    assert "@Nullable Keeper keeper" in record
    assert "List<Visit> visits" in record
    assert "@Document" not in record


def test_what_a_reference_includes_stands_inside_of_it() -> None:
    found = made("public List<Visit> M() => db.Visits.Include(v => v.Gate).ThenInclude(g => g.Keeper).ToList();")

    text = java(found)
    assert text.index(".pipeline(") < text.index('lookup("keepers"') < text.index('.as("gate")')
    assert "GateWithKeeper gate" in java(found, "VisitWithGate")


def test_what_an_element_refers_to_is_looked_up_where_it_is() -> None:
    text = java(
        made(
            "public List<int> M() => db.Gates.OrderBy(g => g.Id)"
            ".Select(g => g.Visits.Count(v => v.Gate.Name == g.Name)).ToList();"
        )
    )

    assert (
        text.index(".pipeline(") < text.index('lookup("gates", "gateId", "_id", "gate")') < text.index('.as("visits")')
    )
    assert '"$$v.gate.name"' in text


def test_a_set_inside_a_lambda_is_its_navigation() -> None:
    text = java(made("public int M() => db.Gates.Count(g => db.Visits.Any(v => v.GateId == g.Id));"))

    assert 'lookup("visits", "_id", "gateId", "visits")' in text


def test_a_page_with_its_total_is_made_of_two_queries() -> None:
    text = java(
        made(
            "public GatePage M(string? name, int page, int size) {"
            " var q = db.Gates.AsQueryable();"
            " if (name != null) q = q.Where(g => g.Name.Contains(name));"
            " var total = q.Count();"
            " var rows = q.OrderBy(g => g.Id).Skip(page * size).Take(size)"
            ".Select(g => new GateRow(g.Id, g.Name)).ToList();"
            " return new GatePage { Rows = rows, Total = total }; }"
        )
    )

    assert "int total = mTotal(name);" in text
    assert "List<GateRow> rows = mRows(name, page, size);" in text
    assert "return new GatePage(rows, total, 0);" in text
    assert "private int mTotal(@Nullable String name)" in text


def test_a_guard_comes_first() -> None:
    text = java(
        made(
            "public int M(string? name, int n) { ArgumentNullException.ThrowIfNull(name); if (n < 1) throw new "
            "ArgumentException(); return db.Gates.Count(g => g.Name.Contains(name) && g.Id > n); }"
        )
    )

    assert text.index('Objects.requireNonNull(name, "name");') < text.index("if (n < 1) {")
    assert 'where("name").regex(Pattern.quote(name))' in text

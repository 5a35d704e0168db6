import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from react_agent.draft import draft
from react_agent.harness.programs import programs, proof_files, suite_of, write_programs
from react_agent.model.translation import SourceFile
from react_agent.model.values import Cell, CellType
from react_agent.proof.suite import make_suite
from tests.react_agent.harness.running import (
    SEED,
    Translated,
    compile_java,
    lines,
    run,
    run_csharp,
    run_java,
    run_maven,
    translate,
)


@pytest.fixture(scope="module")
def classes(stock: Translated, jvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    compile_java(stock, jvm, folder)
    return folder


@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_both_programs_print_the_same_for_every_scalar_type(stock: Translated, classes, dotnet, jvm, server) -> None:
    with ThreadPoolExecutor() as both:
        csharp = both.submit(run_csharp, stock, dotnet)
        java = both.submit(run_java, classes, jvm, f"{server}/stock").result()

    assert java.returncode == 0, java.stderr
    assert java.stdout == csharp.result()
    said = lines(java.stdout)
    assert len(said) == len({line["call"] for line in said}) > 50
    assert {line["call"].split("(")[0] for line in said} == {p.entry for p in stock.candidate.translation.entries}
    assert {line["throws"] for line in said if "throws" in line} == {"not_found", "too_many"}
    (rows,) = [line["value"] for line in said if line["call"] == "StockQueries.AllAsync()"]
    written = write_programs(stock.candidate, stock.suite)
    assert written is not None
    assert len(rows) == len(written.show.instance.tables["Lots"])
    kinds = {name: {type(row[name]) for row in rows} for name in rows[0]}
    assert kinds["Sealed"] == {bool}
    assert kinds["Serial"] == kinds["Rows"] == {int}
    assert kinds["Remark"] == {str, type(None)}
    assert {row["Where"] for row in rows} <= {"Arrived", "InReview", "default"}
    assert {row["Suspected"] for row in rows} <= {None, "None", "Flammable", "NotYetKnown"}


@pytest.mark.jvm
def test_a_database_that_is_in_use_is_refused_and_left_as_it_is(classes, jvm, server) -> None:
    for _ in ("the first time", "again, so it is still there"):
        refused = run_java(classes, jvm, f"{server}/kept")
        assert refused.returncode != 0
        assert refused.stdout == ""
        assert 'database "kept" is not empty; name one that is not there yet' in refused.stderr


@pytest.mark.jvm
def test_without_a_database_to_use_nothing_is_called(classes, jvm, server) -> None:
    for arguments in ((), (server,)):
        refused = run_java(classes, jvm, *arguments)
        assert refused.returncode != 0
        assert refused.stdout == ""
        assert "mongodb://HOST:PORT/NAME" in refused.stderr


@pytest.mark.slow
@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", ["01", "04"])
def test_a_recorded_case_runs_again_as_its_readme_says(case, cases: Path, tmp_path, dotnet, jvm, server) -> None:
    translated = translate(next(cases.glob(f"{case}*")), tmp_path)

    source = run_csharp(translated, dotnet)

    assert run_maven(translated, jvm, f"{server}/case{case}") == source
    assert len(lines(source)) > 5
    assert run_maven(translated, jvm, f"{server}/case{case}") == source, "the first run left its database"


@pytest.mark.slow
@pytest.mark.jvm
@pytest.mark.timeout(300)
def test_the_project_itself_builds_without_its_programs(stock: Translated, jvm) -> None:
    built = run(["mvn", "-q", "-B", "package"], stock.folder, JAVA_HOME=str(jvm.home))

    assert built.returncode == 0, built.stdout
    assert list((stock.folder / "target").rglob("StockQueries.class"))
    assert not list((stock.folder / "target").rglob("UomProof*"))


def test_the_sources_stand_there_as_they_were_given(stock: Translated) -> None:
    folder = stock.folder / "proof" / "dotnet"
    project = (folder / "UomProof.csproj").read_text()
    for source in stock.candidate.sources:
        assert (folder / "source" / source.path).read_bytes().decode() == source.text
        assert f'<Compile Include="source/{source.path}" />' in project
    assert "Npgsql.EntityFrameworkCore.PostgreSQL" in project, "UseNpgsql is called"


def test_the_state_holds_the_programs_and_their_entry_classes(stock: Translated) -> None:
    filled = programs(stock.candidate, stock.suite)

    assert filled["source_validation_entry_type_name"] == "UomProof.Program"
    assert "namespace UomProof;" in filled["source_validation_harness_code"]
    assert filled["target_validation_entry_type_name"] == "depot.stock.UomProof"
    assert "public static void main" in filled["target_validation_harness_code"]
    assert filled["source_validation_schema_code"].count('new("Lots", ') == filled[
        "target_validation_schema_code"
    ].count('insert(mongo, "')
    assert all("{{" not in filled[name] for name in filled if name.startswith("target"))


def test_nothing_is_written_where_nothing_was_run(stock: Translated) -> None:
    untranslated = replace(stock.candidate, translation=replace(stock.candidate.translation, entries=()))
    assert programs(stock.candidate, None) == {}
    assert programs(untranslated, stock.suite) == {}
    assert proof_files(stock.candidate, None) == ()


def test_a_kept_proof_gives_the_same_programs(stock: Translated) -> None:
    kept = json.loads(
        json.dumps({
            "seed": SEED,
            "instances": [i.to_json() for i in stock.suite.instances],
            "calls": [c.to_json() for c in stock.suite.calls],
        })
    )
    assert proof_files(stock.candidate, suite_of(kept)) == proof_files(stock.candidate, stock.suite)


def test_a_call_that_one_side_cannot_be_given_is_left_out_on_both(stock: Translated) -> None:
    nowhere = Cell(type=CellType.ENUM, enum="Hazard", text="77")
    calls = stock.suite.calls
    changed = tuple(
        replace(c, args=(("hazard", nowhere),)) if c.method == "CountSuspected" and c.id.endswith("/1") else c
        for c in calls
    )
    before = write_programs(stock.candidate, stock.suite)
    after = write_programs(stock.candidate, replace(stock.suite, calls=changed))
    assert before is not None
    assert after is not None
    assert len(after.show.calls) == len(before.show.calls) - 1
    assert "77" not in after.csharp_program + after.java_program


def made(text: str, *more: SourceFile) -> dict[str, str]:
    candidate = draft([SourceFile(path="Layer.cs", text=text), *more])
    methods = [candidate.method(pair.entry) for pair in candidate.translation.entries]
    suite = make_suite(candidate.mapping, candidate.reading.queries, methods, SEED)
    return {file.path: file.text for file in proof_files(candidate, suite)}


LAYER = """
using System.Linq; using System.Threading; using System.Threading.Tasks; using Microsoft.EntityFrameworkCore;
public class Box { public int Id { get; set; } }
%s
public class Boxes(%s) { public Task<int> CountAsync(CancellationToken stop) => db.Set<Box>().CountAsync(stop); }
"""
OPEN = "public class Context(DbContextOptions<Context> o) : DbContext(o) { public DbSet<Box> Boxes => Set<Box>(); }"


def test_a_token_that_the_method_insists_on_is_given() -> None:
    files = made(LAYER % (OPEN, "Context db"))
    assert "new global::Boxes(db: db).CountAsync(stop: default)" in files["proof/dotnet/UomProof.cs"]


def test_a_context_that_names_its_database_itself_is_given_ours() -> None:
    own = 'public class Context : DbContext { public DbSet<Box> Boxes { get; set; } protected override void OnConfiguring(DbContextOptionsBuilder b) => b.UseSqlServer("Server=db"); }'  # noqa: E501 - one class
    files = made(LAYER % (own, "Context db"))
    assert "internal sealed class UomContext : global::Context" in files["proof/dotnet/UomDatabase.cs"]
    assert "Microsoft.EntityFrameworkCore.SqlServer" in files["proof/dotnet/UomProof.csproj"]


def test_a_sealed_context_is_made_with_options() -> None:
    files = made(LAYER % (OPEN.replace("public class", "public sealed class", 1), "Context db"))
    database = files["proof/dotnet/UomDatabase.cs"]
    assert "new global::Context(o: UomDatabase.Options<global::Context>())" in database
    assert "UomContext" not in database


def test_a_class_that_needs_what_nobody_can_give_has_no_program() -> None:
    assert made(LAYER % (OPEN, "Context db, Box box")) == {}


def test_paths_stay_inside_the_folder_and_apart() -> None:
    given = enumerate(["../x/A.cs", "x/A.cs", "/x/a.cs"])
    others = [SourceFile(path=path, text=f"class A{at} {{ }}") for at, path in given]
    paths = [path for path in made(LAYER % (OPEN, "Context db"), *others) if "/source/" in path]
    assert len({path.lower() for path in paths}) == 4
    assert all(path.startswith("proof/dotnet/source/") and ".." not in path for path in paths)


def test_a_result_shows_the_members_of_its_parts_under_both_names() -> None:
    layer = """
using System.Collections.Generic; using System.Linq; using System.Threading.Tasks; using Microsoft.EntityFrameworkCore;
public class Place { public string City { get; set; } = ""; }
public class Site { public int Id { get; set; } public Place Where { get; set; } = new(); }
public class Context(DbContextOptions<Context> o) : DbContext(o)
{
    public DbSet<Site> Sites => Set<Site>();
    protected override void OnModelCreating(ModelBuilder m) => m.Entity<Site>().OwnsOne(s => s.Where);
}
public class Sites(Context db) { public Task<List<Site>> AllAsync() => db.Sites.OrderBy(s => s.Id).ToListAsync(); }
"""
    files = made(layer)
    assert 'Sites_AllAsync_Members = [new("Id"), new("Where", new("City"))];' in files["proof/dotnet/UomProof.cs"]
    java = files["proof/java/src/main/java/app/UomProof.java"]
    assert 'new Member("Id", "id"), new Member("Where", "where", new Member("City", "city"))' in java

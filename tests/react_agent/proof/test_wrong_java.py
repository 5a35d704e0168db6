# ruff: noqa: E501 - the C# reads best a method a line
"""Java that is wrong in one way each, proven against the C# that it came from: each kind must be told apart."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(600)]

SOURCE = """
using Microsoft.EntityFrameworkCore;
namespace Depot;
[Owned] public class Spot { public string? Row { get; set; } public string Hall { get; set; } = ""; }
public class Crate
{
    public int Id { get; set; }
    public int Qty { get; set; }
    public int? Score { get; set; }
    public long Big { get; set; }
    public double Weight { get; set; }
    public decimal? Price { get; set; }
    public DateTime At { get; set; }
    public string? Note { get; set; }
    public Spot? Spot { get; set; }
}
public class DepotContext(DbContextOptions<DepotContext> options) : DbContext(options)
{
    public DbSet<Crate> Crates => Set<Crate>();
}
public class Stock(DepotContext db)
{
    public Task<int> Most() => db.Crates.MaxAsync(c => c.Qty);
    public Task<bool> AllScored() => db.Crates.AllAsync(c => c.Score > 0);
    public Task<List<int>> Since(DateTime t) => db.Crates.Where(c => c.At < t).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<List<string?>> Notes() => db.Crates.Select(c => c.Note).Distinct().ToListAsync();
    public Task<List<int>> Nowhere() => db.Crates.Where(c => c.Spot == null).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<int?> Scores() => db.Crates.SumAsync(c => c.Score);
    public Task<List<int>> ScoreOr() => db.Crates.OrderBy(c => c.Id).Select(c => c.Score ?? -1).ToListAsync();
    public Task<long> Bigs() => db.Crates.SumAsync(c => c.Big);
    public Task<bool> AnyBig(long b) => db.Crates.AnyAsync(c => c.Big > b);
    public Task<List<int>> Heavy(double w) => db.Crates.Where(c => c.Weight > w).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<decimal?> Price(int q) => db.Crates.Where(c => c.Qty > q).SumAsync(c => c.Price);
    public Task<List<int>> Named(string n) => db.Crates.Where(c => c.Note == n).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<List<int>> NotOver(int a) => db.Crates.Where(c => !(c.Score > a)).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<List<int>> In(List<int> xs) => db.Crates.Where(c => xs.Contains(c.Qty)).OrderBy(c => c.Id).Select(c => c.Id).ToListAsync();
    public Task<List<Crate>> All() => db.Crates.ToListAsync();
    public Task<List<int>> First(int take) => db.Crates.OrderBy(c => c.Id).Take(take).Select(c => c.Id).ToListAsync();
}
"""

FIND = 'return mongo.find(new Query().with(Sort.by("_id")), Crate.class).stream()'
IDS = ".map(Crate::id).toList();"
EVERY = "mongo.findAll(Crate.class)"
NFC = "java.text.Normalizer.normalize({}, java.text.Normalizer.Form.NFC)"

WRONG: Mapping[str, str] = {
    "most": f"var l = {EVERY}; if (l.isEmpty()) throw new NoSuchElementException();"
    " return l.stream().mapToInt(Crate::qty).reduce(0, Math::max);",
    "allScored": f"return {EVERY}.stream().allMatch(c -> c.score() != null && c.score() != 0 && c.score() != -1);",
    "since": f"{FIND}.filter(c -> c.at().isBefore(t.truncatedTo(java.time.temporal.ChronoUnit.SECONDS))){IDS}",
    "notes": "var seen = new java.util.HashSet<String>(); var r = new java.util.ArrayList<String>();"
    f" for (var c : {EVERY}) if (seen.add(c.note() == null ? null : c.note().stripTrailing())) r.add(c.note());"
    " return r;",
    "nowhere": f"{FIND}.filter(c -> c.spot() == null || c.spot().hall().isEmpty() && c.spot().row() == null){IDS}",
    "scores": f"return {EVERY}.stream().mapToInt(c -> c.score() == null ? 0 : c.score()).sum();",
    "scoreOr": f"{FIND}.map(c -> c.score() == null || c.score() == Integer.MIN_VALUE ? -1 : c.score()).toList();",
    "bigs": f"return (long) {EVERY}.stream().mapToDouble(Crate::big).sum();",
    "anyBig": f"return {EVERY}.stream().anyMatch(c -> (double) c.big() > (double) b);",
    "heavy": f"{FIND}.filter(c -> (float) c.weight() > (float) w){IDS}",
    "price": f"return {EVERY}.stream().filter(c -> c.qty() > q && c.price() != null).map(Crate::price)"
    ".reduce(java.math.BigDecimal.ZERO, java.math.BigDecimal::add).setScale(2, java.math.RoundingMode.HALF_UP);",
    "named": f"{FIND}.filter(c -> c.note() != null && {NFC.format('c.note()')}.equals({NFC.format('n')})){IDS}",
    "notOver": f"{FIND}.filter(c -> !(c.score() != null && c.score() > Math.max(a, -1000000))){IDS}",
    "in": f"{FIND}.filter(c -> xs.stream().limit(5).toList().contains(c.qty())){IDS}",
    "all": "return mongo.find(new Query().limit(100), Crate.class);",
    "first": f"{FIND}.limit(Math.min(take, 100)){IDS}",
}
"""Each method's body that is wrong on rows which tidy data does not have."""


def uom(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "uom_acp", *arguments, "--json", "--seed", "11"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=400)
    assert done.stdout, done.stderr
    return {entry["entry"].split(".")[1]: entry for entry in json.loads(done.stdout)["entries"]}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    home = tmp_path_factory.mktemp("depot")
    (home / "Stock.cs").write_text(SOURCE, encoding="utf-8")
    return home, uom(
        "translate", str(home / "Stock.cs"), "--to", "java-spring-data-mongodb", "--out", str(home / "java")
    )


def spoilt(java: str, name: str, body: str) -> str:
    start = re.search(rf"\n    public [^\n;]* {name}\([^)]*\) {{\n", java)
    assert start, name
    return java[: start.end()] + f"        {body}" + java[java.index("\n    }\n", start.end()) :]


def test_the_rules_own_translation_is_not_accused(project):
    _, entries = project

    assert {e["verdict"] for e in entries.values()} == {"equivalent_on_suite"}


def test_every_kind_of_wrong_java_is_told_apart(project):
    home, _ = project
    path = next((home / "java").rglob("Stock.java"))
    right = java = path.read_text(encoding="utf-8")
    for name, body in WRONG.items():
        java = spoilt(java, name, body)
    imports = ("java.util.NoSuchElementException", "org.springframework.data.domain.Sort")
    imports = (*imports, "org.springframework.data.mongodb.core.query.Query")
    missing = "".join(f"import {i};\n" for i in imports if f"import {i};" not in java)
    path.write_text(java.replace("\nimport ", f"\n{missing}import ", 1), encoding="utf-8")
    entries = uom("prove", str(home / "Stock.cs"), "--against", str(home / "java"))
    path.write_text(right, encoding="utf-8")

    agreed = [name for name in entries if entries[name]["verdict"] != "different"]
    assert agreed == []


def test_the_suite_is_measured_for_java_of_another_hand(project):
    home, _ = project
    path = next((home / "java").rglob("Stock.java"))
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace("\n    public ", "\n    // reviewed\n    public ", 1), encoding="utf-8")
    entries = uom("prove", str(home / "Stock.cs"), "--against", str(home / "java"))
    path.write_text(right, encoding="utf-8")

    assert {e["verdict"] for e in entries.values()} == {"equivalent_on_suite"}
    assert entries["NotOver"]["mutants"]["live"] > 0
    assert any("rules' own translation" in text for text in entries["NotOver"]["reservations"])
    assert any("not measured" in text for text in entries["All"]["reservations"])

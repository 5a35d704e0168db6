from pathlib import Path

from react_agent.csharp import Reading, read
from react_agent.model.mapping import EntityType
from react_agent.model.query import Query
from react_agent.model.translation import SourceFile

USINGS = "using System; using System.Linq; using System.Collections.Generic; using Microsoft.EntityFrameworkCore;\n"
SHOP = """
public enum Color { Red, Green = 5 }
public class Shop {
  public int Id { get; set; }
  public string Name { get; set; } = "";
  public string? City { get; set; }
  public short Floor { get; set; }
  public byte? Level { get; set; }
  public Color Color { get; set; }
  public Color? Accent { get; set; }
  public DateTime Opened { get; set; }
  public DateTime? Closed { get; set; }
  public string Sign => Name + "!";
  public List<Item> Items { get; set; } = [];
}
public class Item {
  public int Id { get; set; }
  public int ShopId { get; set; }
  public Shop Shop { get; set; } = null!;
  public int? ParentId { get; set; }
  public Item? Parent { get; set; }
  public string Label { get; set; } = "";
  public decimal Price { get; set; }
  public decimal? Discount { get; set; }
  public double Weight { get; set; }
  public float Ratio { get; set; }
  public long Stock { get; set; }
  public int? Rank { get; set; }
  public bool Active { get; set; }
}
public record Line(string Name, decimal Total);
public class Card { public int Id { get; init; } public string? Name { get; init; } public double Sum { get; init; } }
public class Ctx(DbContextOptions<Ctx> o) : DbContext(o) {
  public DbSet<Shop> Shops => Set<Shop>();
  public DbSet<Item> Items => Set<Item>();
}
"""


def of(text: str) -> Reading:
    return read([SourceFile(path="Model.cs", text=USINGS + text)])


def entry(body: str, more: str = "") -> Reading:
    return of(f"{SHOP}\npublic class Q(Ctx db) {{\n{body}\n}}\n{more}")


def query(body: str, more: str = "") -> Query:
    reading = entry(body, more)
    assert [str(g) for g in reading.gaps] == []
    found = reading.queries.methods[0].query
    assert found is not None
    return found


def entity(text: str, name: str) -> EntityType:
    reading = of(text)
    assert [str(g) for g in reading.gaps] == []
    assert reading.mapping is not None
    found = reading.mapping.find(name)
    assert found is not None
    return found


def folder(path: Path) -> list[SourceFile]:
    names = ("Schema.cs", "Query.cs")
    return [SourceFile(path=n, text=(path / n).read_text(encoding="utf-8")) for n in names]

"""A harmless layer, and what hostile code in it does when its classes are made. The queries themselves translate."""

HARMLESS = """
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Microsoft.EntityFrameworkCore;

namespace Yard;

public class Crate
{
    public int Id { get; set; }

    public int Pieces { get; set; }
}

public class YardContext(DbContextOptions<YardContext> options) : DbContext(options)
{
    public DbSet<Crate> Crates => Set<Crate>();

    protected override void OnModelCreating(ModelBuilder model) { MODEL }
}
"""

ENTRY = """
public class NAME
{
    private readonly YardContext yard;

    static NAME() { STATIC }

    public NAME(YardContext yard) { this.yard = yard; BODY }

    public int Count(int least) => yard.Crates.Count(c => c.Pieces >= least);
}
"""


def layer_of(entries: dict[str, tuple[str, str]], model: str = "") -> str:
    """Write a layer: each class by its name, with the body of its static and of its instance constructor."""
    classes = (
        ENTRY.replace("NAME", name).replace("STATIC", static).replace("BODY", body)
        for name, (static, body) in entries.items()
    )
    return HARMLESS.replace("MODEL", model) + "".join(classes)

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Orchard;

public class Tree
{
    public int Id { get; set; }

    public required string Sort { get; set; }

    public string? Nickname { get; set; }

    public decimal Height { get; set; }

    public bool Felled { get; set; }

    public ICollection<Picking> Pickings { get; set; } = [];
}

public class Picking
{
    public int Id { get; set; }

    public int TreeId { get; set; }

    public int Crates { get; set; }

    public int Spoilt { get; set; }

    public decimal Price { get; set; }
}

public class OrchardContext(DbContextOptions<OrchardContext> options) : DbContext(options)
{
    public DbSet<Tree> Trees => Set<Tree>();

    public DbSet<Picking> Pickings => Set<Picking>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Tree>().Property(t => t.Height).HasPrecision(6, 2);
        model.Entity<Picking>().Property(p => p.Price).HasPrecision(8, 2);
    }
}

public sealed record TreeLine(string Sort, decimal Height);

public sealed class OrchardQueries(OrchardContext orchard)
{
    /// <summary>Crates picked from trees of a sort; 0 where there are none.</summary>
    public Task<int> CratesOfAsync(string sort)
        => orchard.Trees.Where(t => t.Sort == sort).SelectMany(t => t.Pickings).SumAsync(p => p.Crates);

    public Task<List<TreeLine>> TallAsync(decimal least)
        => orchard.Trees
            .Where(t => t.Height >= least)
            .OrderBy(t => t.Height)
            .ThenBy(t => t.Id)
            .Select(t => new TreeLine(t.Sort, t.Height))
            .ToListAsync();

    public Task<int> StandingAsync(string sort)
        => orchard.Trees.CountAsync(t => t.Sort == sort && !t.Felled);

    public Task<bool> HasNicknameAsync(string nickname)
        => orchard.Trees.AnyAsync(t => t.Nickname == nickname);

    public Task<List<int>> DearPickingsAsync(decimal price)
        => orchard.Pickings.Where(p => p.Price > price).OrderBy(p => p.Id).Select(p => p.Crates).ToListAsync();
}

using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;

namespace Depot;

public enum Kind { Box = 1, Pallet = 2 }

public record Span(int Width, int Height);

public class Place
{
    public string Hall { get; set; } = "";
    public Span Size { get; set; } = new(1, 1);
}

public abstract class Unit
{
    public int Id { get; set; }
    public Kind Kind { get; set; }
    public string Label { get; set; } = "";
    public required Place Now { get; set; }
    public Place? Before { get; set; }
    public virtual Owner Owner { get; set; } = null!;
}

public class Box : Unit
{
    public bool Sealed { get; set; }
}

public class Pallet : Unit
{
    public int? Layers { get; set; }
}

public class Limit
{
    public int Most { get; set; }
    public string? Why { get; set; }
}

public class Owner
{
    public string Code { get; set; } = "";
    public List<Note> Notes { get; set; } = [];
    public Limit Limit { get; set; } = new();
    public virtual ICollection<Unit> Units { get; set; } = [];
    public virtual ICollection<Tag> Tags { get; set; } = [];
}

public class Tag
{
    public int Id { get; set; }
    public string Text { get; set; } = "";
    public virtual ICollection<Owner> Owners { get; set; } = [];
}

public class DepotContext(DbContextOptions<DepotContext> options) : DbContext(options)
{
    public DbSet<Unit> Units => Set<Unit>();
    public DbSet<Owner> Owners => Set<Owner>();
    public DbSet<Tag> Tags => Set<Tag>();

    protected override void OnConfiguring(DbContextOptionsBuilder builder) => builder.UseLazyLoadingProxies();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.UseIdentityByDefaultColumns();
        model.Entity<Owner>().HasKey(o => o.Code);
        model.Entity<Owner>().ComplexProperty(o => o.Limit);
        model.Entity<Tag>().Navigation(t => t.Owners).AutoInclude();
        model.Entity<Unit>(unit =>
        {
            unit.HasDiscriminator(u => u.Kind).HasValue<Box>(Kind.Box).HasValue<Pallet>(Kind.Pallet);
            unit.Property(u => u.Id).UseIdentityColumn(1, 1);
            unit.HasAlternateKey(u => u.Label);
            unit.OwnsOne(u => u.Now, place => place.OwnsOne(p => p.Size));
            unit.OwnsOne(u => u.Before, place => place.OwnsOne(p => p.Size));
        });
        model.Entity<Owner>().OwnsMany(o => o.Notes, note => note.ToJson());
    }
}

public class Note
{
    public string Text { get; set; } = "";
}

public class Store(IDbContextFactory<DepotContext> factory, ILogger<Store> log)
{
    public async Task<List<Unit>> All()
    {
        log.LogInformation("all");
        await using var db = await factory.CreateDbContextAsync();
        return await db.Units.OrderBy(u => u.Id).ToListAsync();
    }
}

public class Careless(IDbContextFactory<DepotContext> factory, DepotContext? ignored = null)
{
    public int LeavesOpen()
    {
        var db = factory.CreateDbContext();
        db.Database.BeginTransaction();
        db.Database.ExecuteSqlRaw("DELETE FROM Tags");
        return db.Tags.Count();
    }

    public int Closes()
    {
        using var db = factory.CreateDbContext();
        db.Database.GetDbConnection().Close();
        return 1;
    }

    public int Tags()
    {
        using var db = factory.CreateDbContext();
        return db.Tags.Count() + (ignored is null ? 0 : 1);
    }
}

public class Floor(DepotContext db, ILoggerFactory logs, System.TimeProvider clock)
{
    public string OwnerOf(int id) => logs is null || clock is null ? "" : db.Units.Find(id)!.Owner.Code;

    public List<Tag> Tags() => db.Tags.OrderBy(t => t.Id).ToList();

    public int Write(string label)
    {
        db.Units.Add(new Box { Label = label, Now = new Place { Hall = "H" }, Owner = db.Owners.First() });
        return db.SaveChanges();
    }
}

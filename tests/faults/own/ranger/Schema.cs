using Microsoft.EntityFrameworkCore;

namespace Rangers.Data;

public enum TrailState { Open, Wet, Closed = 7 }

public class Park
{
    public Guid Id { get; set; }
    public string Name { get; set; } = "";
    public string? Region { get; set; }
    public DateOnly Founded { get; set; }
    public List<Trail> Trails { get; } = [];
}

public class Trail
{
    public int Id { get; set; }
    public Guid ParkId { get; set; }
    public Park Park { get; set; } = null!;
    public int? WardenId { get; set; }
    public Warden? Warden { get; set; }
    public string Title { get; set; } = "";
    public string? Surface { get; set; }
    public TrailState State { get; set; }
    public int Metres { get; set; }
    public int Climb { get; set; }
    public int? Minutes { get; set; }
    public decimal Toll { get; set; }
    public decimal? Deposit { get; set; }
    public DateTime SurveyedAt { get; set; }
    public List<Visit> Visits { get; } = [];
}

public class Warden
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string? Radio { get; set; }
    public bool Active { get; set; }
}

public class Visit
{
    public long Id { get; set; }
    public int TrailId { get; set; }
    public Trail Trail { get; set; } = null!;
    public DateTime At { get; set; }
    public int Persons { get; set; }
    public decimal Paid { get; set; }
    public string? Remark { get; set; }
}

public class RangersContext(DbContextOptions<RangersContext> options) : DbContext(options)
{
    public DbSet<Park> Parks => Set<Park>();
    public DbSet<Trail> Trails => Set<Trail>();
    public DbSet<Warden> Wardens => Set<Warden>();
    public DbSet<Visit> Visits => Set<Visit>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Trail>().Property(t => t.State).HasConversion<string>();
        model.Entity<Trail>().Property(t => t.Toll).HasPrecision(8, 2);
        model.Entity<Trail>().Property(t => t.Deposit).HasPrecision(8, 2);
        model.Entity<Visit>().Property(v => v.Paid).HasPrecision(8, 2);
    }
}

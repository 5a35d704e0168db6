using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Odd;

public enum Grade { Low = 1, Middle = 5, High = 9 }

public class Depot
{
    public Guid Id { get; set; }
    public required string Code { get; set; }
    public int? ChiefId { get; set; }
    public Worker? Chief { get; set; }
    public List<Worker> Workers { get; set; } = [];
}

public class Place
{
    public required string Street { get; set; }
    public string? Floor { get; set; }
}

public class Worker
{
    public int Id { get; set; }
    public Guid DepotId { get; set; }
    public Depot Depot { get; set; } = null!;
    public int? MentorId { get; set; }
    public Worker? Mentor { get; set; }
    public Place? Home { get; set; }
    public decimal Wage { get; set; }
    public double? Score { get; set; }
    public Grade Grade { get; set; }
    public Grade? Wanted { get; set; }
    public DateTime Since { get; set; }
    public DateOnly? Born { get; set; }
    public bool Active { get; set; }
    public List<Shift> Shifts { get; set; } = [];
}

public class Shift
{
    public int WorkerId { get; set; }
    public short Week { get; set; }
    public long Minutes { get; set; }
    public string? Note { get; set; }
}

public class OddContext(DbContextOptions<OddContext> options) : DbContext(options)
{
    public DbSet<Depot> Depots => Set<Depot>();
    public DbSet<Worker> Workers => Set<Worker>();
    public DbSet<Shift> Shifts => Set<Shift>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Depot>(depot =>
        {
            depot.Property(d => d.Code).HasMaxLength(3);
            depot.HasIndex(d => d.Code).IsUnique();
            depot.HasOne(d => d.Chief).WithMany().HasForeignKey(d => d.ChiefId).IsRequired(false);
            depot.HasMany(d => d.Workers).WithOne(w => w.Depot).HasForeignKey(w => w.DepotId);
        });
        modelBuilder.Entity<Worker>(worker =>
        {
            worker.Property(w => w.Id).ValueGeneratedNever();
            worker.Property(w => w.Wage).HasPrecision(8, 2);
            worker.Property(w => w.Grade).HasConversion<string>();
            worker.HasOne(w => w.Mentor).WithMany().HasForeignKey(w => w.MentorId).IsRequired(false);
            worker.OwnsOne(w => w.Home);
            worker.ToTable(t => t.HasCheckConstraint("CK_Score", "\"Score\" IS NULL OR \"Score\" > -1"));
        });
        modelBuilder.Entity<Shift>().HasKey(s => new { s.WorkerId, s.Week });
        modelBuilder.Entity<Worker>().HasMany(w => w.Shifts).WithOne().HasForeignKey(s => s.WorkerId);
    }
}

public record WorkerLine(int Id, string? Mentor, string Depot, long Minutes);

public class OddQueries(OddContext db)
{
    public Task<List<WorkerLine>> LinesAsync(string? code, decimal least)
        => db.Workers
            .Where(w => w.Wage >= least && (code == null || w.Depot.Code == code))
            .OrderBy(w => w.Since).ThenByDescending(w => w.Id)
            .Select(w => new WorkerLine(w.Id, w.Mentor!.Depot.Code, w.Depot.Code, w.Shifts.Sum(s => s.Minutes)))
            .ToListAsync();

    public Task<bool> AnyWithoutMentorAsync(Grade grade) => db.Workers.AnyAsync(w => w.Grade == grade && w.MentorId == null);

    public Task<decimal?> HighestWageAsync(bool active) => db.Workers.Where(w => w.Active == active).MaxAsync(w => (decimal?)w.Wage);

    public Task<int> EarliestWeekAsync(Grade? wanted)
        => db.Workers.Where(w => w.Wanted != wanted).SelectMany(w => w.Shifts).MinAsync(s => (int)s.Week);

    public Task<Worker?> OneAsync(int id) => db.Workers.SingleOrDefaultAsync(w => w.Id == id);

    public Task<Depot> FirstAsync(string code) => db.Depots.OrderBy(d => d.Code).FirstAsync(d => d.Code.Contains(code));

    public Task<List<string>> NotesAsync(int year, int page)
        => db.Workers.Where(w => w.Since.Year < year).SelectMany(w => w.Shifts)
            .Where(s => s.Note != null).OrderBy(s => s.Minutes).Select(s => s.Note!).Skip((page - 1) * 2).Take(2).ToListAsync();

    public Task<int> BusyAsync(long minutes) => db.Workers.CountAsync(w => w.Shifts.All(s => s.Minutes > minutes));
}

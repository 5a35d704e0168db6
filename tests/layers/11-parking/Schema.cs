using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;

namespace CityPark.Infrastructure;

public class Garage
{
    private readonly List<Session> _sessions = [];

    public Garage(string name, int spaces)
    {
        Name = name;
        Spaces = spaces;
    }

    public short Id { get; private set; }

    public string Name { get; private set; }

    public int Spaces { get; private set; }

    public Tariff Tariff { get; private set; } = new(0m, null);

    public GeoPoint? Entrance { get; private set; }

    public IEnumerable<Session> Sessions => _sessions;
}

public record Tariff(decimal PerHour, decimal? DayCap);

public class GeoPoint
{
    public double Lat { get; set; }

    public double Lon { get; set; }
}

public class Session
{
    public Guid Id { get; private set; } = Guid.NewGuid();

    public string Plate { get; private set; } = "";

    public DateTime EnteredAt { get; private set; }

    public DateTime? LeftAt { get; private set; }

    public decimal? Paid { get; private set; }

    public bool? Disputed { get; private set; }
}

public class ParkingContext : DbContext
{
    public ParkingContext(DbContextOptions<ParkingContext> options) : base(options)
    {
    }

    public DbSet<Garage> Garages => Set<Garage>();

    public DbSet<Session> Sessions => Set<Session>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Garage>(ConfigureGarage);
        modelBuilder.Entity<Session>(ConfigureSession);
    }

    private static void ConfigureGarage(EntityTypeBuilder<Garage> garage)
    {
        garage.Property(g => g.Name).HasMaxLength(50);
        garage.HasMany(g => g.Sessions).WithOne().HasForeignKey("GarageId").IsRequired();
        garage.OwnsOne(g => g.Tariff, tariff =>
        {
            tariff.Property(t => t.PerHour).HasColumnName("RatePerHour").HasPrecision(6, 2);
            tariff.Property(t => t.DayCap).HasPrecision(6, 2);
        });
        garage.Navigation(g => g.Tariff).IsRequired();
        garage.OwnsOne(g => g.Entrance);
    }

    private static void ConfigureSession(EntityTypeBuilder<Session> session)
    {
        session.ToTable("ParkingSession");
        session.Property<short>("GarageId");
        session.Property<string?>("ImportedFrom").HasMaxLength(20);
        session.Property(s => s.Id).ValueGeneratedNever();
    }
}

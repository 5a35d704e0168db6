using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using Microsoft.EntityFrameworkCore;

namespace Haulage.Fuel;

public enum FuelKind { Diesel = 1, Petrol = 2, AdBlue = 7 }

public record Vehicle
{
    [Key]
    public required string Plate { get; init; }

    public string? Nickname { get; init; }

    public FuelKind Fuel { get; init; }

    public double TankLitres { get; init; }

    public DateOnly? SoldOn { get; init; }

    public List<Refuel> Refuels { get; init; } = new();
}

public record Driver(int Id, string Name)
{
    public string? Depot { get; init; }
}

public record Refuel
{
    public int Id { get; init; }

    public string VehiclePlate { get; init; } = null!;

    public Vehicle? Vehicle { get; init; }

    public int? DriverId { get; init; }

    public Driver? Driver { get; init; }

    public DateTime At { get; init; }

    public long Odometer { get; init; }

    public double Litres { get; init; }

    public decimal PaidAmount { get; init; }

    public bool FullTank { get; init; }
}

public class FuelContext(DbContextOptions<FuelContext> options) : DbContext(options)
{
    public DbSet<Vehicle> Vehicles => Set<Vehicle>();

    public DbSet<Driver> Drivers => Set<Driver>();

    public DbSet<Refuel> Refuels => Set<Refuel>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Vehicle>().Property(v => v.Fuel).HasConversion<string>();
        model.Entity<Refuel>().Property(r => r.PaidAmount).HasColumnName("Paid").HasPrecision(9, 2);
        model.Entity<Refuel>().HasOne(r => r.Vehicle).WithMany(v => v.Refuels).HasForeignKey(r => r.VehiclePlate);
    }
}

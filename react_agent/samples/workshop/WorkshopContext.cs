using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace Bikes.Workshop;

/// <summary>A bicycle left for repair.</summary>
public class Repair
{
    public int Id { get; set; }

    public required string Customer { get; set; }

    public string? Mechanic { get; set; }

    public DateTime ReceivedAt { get; set; }

    public ICollection<Part> Parts { get; set; } = [];
}

/// <summary>A part that a repair used up.</summary>
public class Part
{
    public int Id { get; set; }

    public int RepairId { get; set; }

    public required string Name { get; set; }

    public int Quantity { get; set; }

    public decimal Price { get; set; }
}

public class WorkshopContext(DbContextOptions<WorkshopContext> options) : DbContext(options)
{
    public DbSet<Repair> Repairs => Set<Repair>();

    public DbSet<Part> Parts => Set<Part>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Repair>().Property(r => r.Customer).HasMaxLength(60);
        modelBuilder.Entity<Part>().Property(p => p.Name).HasMaxLength(60);
        modelBuilder.Entity<Part>().Property(p => p.Price).HasPrecision(10, 2);
    }
}

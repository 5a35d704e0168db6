using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace Stockroom;

public enum BinState
{
    Open,
    Full,
    Blocked,
}

public class Zone
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public List<Bin> Bins { get; } = [];
}

public class Supplier
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string? Phone { get; set; }
    public List<Article> Articles { get; } = [];
}

public class Bin
{
    public int Id { get; set; }
    public string Code { get; set; } = "";
    public BinState State { get; set; }
    public string? Note { get; set; }
    public int ZoneId { get; set; }
    public Zone Zone { get; set; } = null!;
    public List<Article> Articles { get; } = [];
}

public class Article
{
    public int Id { get; set; }
    public string Title { get; set; } = "";
    public int Quantity { get; set; }
    public int Reserved { get; set; }
    public decimal Price { get; set; }
    public DateTime CountedAt { get; set; }
    public string? Remark { get; set; }
    public int BinId { get; set; }
    public Bin Bin { get; set; } = null!;
    public int? SupplierId { get; set; }
    public Supplier? Supplier { get; set; }
    public List<Label> Labels { get; } = [];
}

public class Label
{
    public string Code { get; set; } = "";
    public List<Article> Articles { get; } = [];
}

public class Movement
{
    public Guid Id { get; set; }
    public int Amount { get; set; }
    public int? BinId { get; set; }
    public Bin? Bin { get; set; }
}

public class StockroomContext(DbContextOptions<StockroomContext> options) : DbContext(options)
{
    public DbSet<Zone> Zones => Set<Zone>();
    public DbSet<Supplier> Suppliers => Set<Supplier>();
    public DbSet<Bin> Bins => Set<Bin>();
    public DbSet<Article> Articles => Set<Article>();
    public DbSet<Label> Labels => Set<Label>();
    public DbSet<Movement> Movements => Set<Movement>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Label>().HasKey(l => l.Code);
        model.Entity<Bin>().Property(b => b.State).HasConversion<string>();
        model.Entity<Article>().HasOne(a => a.Supplier).WithMany(s => s.Articles)
            .HasForeignKey(a => a.SupplierId).OnDelete(DeleteBehavior.SetNull);
        model.Entity<Movement>().HasOne(m => m.Bin).WithMany().HasForeignKey(m => m.BinId)
            .OnDelete(DeleteBehavior.Restrict);
    }
}

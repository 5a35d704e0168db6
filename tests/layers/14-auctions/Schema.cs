using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;

namespace Hammer.Auctions;

public enum LotStatus { Preview, Live, Sold, Passed, Withdrawn }

/// <summary>A thing under the hammer.</summary>
public class Lot
{
    private readonly HashSet<Bid> _bids = [];

    // for EF
    protected Lot()
    {
    }

    public Lot(string saleCode, int lotNo, string caption, decimal startPrice)
    {
        (SaleCode, LotNo, Caption, StartPrice) = (saleCode, lotNo, caption, startPrice);
    }

    public string SaleCode { get; private set; } = null!;

    public int LotNo { get; private set; }

    public string Caption { get; private set; } = null!;

    public decimal StartPrice { get; private set; }

    public decimal? Reserve { get; private set; }

    public LotStatus Status { get; private set; } = LotStatus.Preview;

    public DateTime? ClosesAt { get; private set; }

    public Estimate Estimate { get; private set; } = new();

    public Sale Sale { get; private set; } = null!;

    public IReadOnlyCollection<Bid> Bids => _bids;

    public bool HasReserve => Reserve is not null;
}

public record Estimate
{
    public decimal? Low { get; init; }

    public decimal? High { get; init; }

    public string Currency { get; init; } = "EUR";
}

public class Sale
{
    public required string Code { get; init; }

    public required string Title { get; init; }

    public DateOnly HeldOn { get; init; }

    public ICollection<Lot> Lots { get; } = new List<Lot>();
}

public class Bid
{
    public int Id { get; private set; }

    public string SaleCode { get; private set; } = null!;

    public int LotNo { get; private set; }

    public int Paddle { get; private set; }

    public decimal Amount { get; private set; }

    public DateTime PlacedAt { get; private set; }

    public bool Retracted { get; private set; }

    public Lot Lot { get; private set; } = null!;
}

public class AuctionContext : DbContext
{
    public AuctionContext(DbContextOptions<AuctionContext> options)
        : base(options)
    {
    }

    public DbSet<Sale> Sales => Set<Sale>();

    public DbSet<Lot> Lots => Set<Lot>();

    public DbSet<Bid> Bids => Set<Bid>();

    protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder
        .ApplyConfiguration(new SaleMap())
        .ApplyConfiguration(new LotMap())
        .ApplyConfiguration(new BidMap());

    private sealed class SaleMap : IEntityTypeConfiguration<Sale>
    {
        public void Configure(EntityTypeBuilder<Sale> e)
        {
            e.ToTable("sales");
            e.HasKey(s => s.Code);
            e.Property(s => s.Code).HasColumnName("sale_code").HasMaxLength(10).IsFixedLength(false);
        }
    }

    private sealed class LotMap : IEntityTypeConfiguration<Lot>
    {
        public void Configure(EntityTypeBuilder<Lot> e)
        {
            e.ToTable("lots");
            e.HasKey(l => new { l.SaleCode, l.LotNo });
            e.Property(l => l.Status)
                .HasColumnName("state")
                .HasConversion(s => s.ToString(), s => Enum.Parse<LotStatus>(s));
            e.Ignore(l => l.HasReserve);
            e.HasOne(l => l.Sale).WithMany(s => s.Lots).HasForeignKey(l => l.SaleCode);
            e.OwnsOne(l => l.Estimate, o =>
            {
                o.Property(x => x.Low).HasColumnName("est_low");
                o.Property(x => x.High).HasColumnName("est_high");
                o.Property(x => x.Currency).HasColumnName("est_cur").HasMaxLength(3);
            });
            e.HasMany(l => l.Bids).WithOne(b => b.Lot).HasForeignKey(b => new { b.SaleCode, b.LotNo });
        }
    }

    private sealed class BidMap : IEntityTypeConfiguration<Bid>
    {
        public void Configure(EntityTypeBuilder<Bid> e)
        {
            e.ToTable("bids");
            e.HasKey(b => b.Id).HasName("pk_bid");
            e.Property(b => b.Amount).HasPrecision(12, 2);
        }
    }
}

using Microsoft.EntityFrameworkCore;

public enum Hazard
{
    None = 0,
    Flammable = 2,
    NotYetKnown = 5,
}

namespace Depot.Stock
{
    public class Lot
    {
        public enum Stage
        {
            Arrived = 1,
            InReview = 3,
            @default = 4,
        }

        public int Id { get; set; }

        public bool Sealed { get; set; }

        public byte Rows { get; set; }

        public sbyte Offset { get; set; }

        public short Shelf { get; set; }

        public ushort Lane { get; set; }

        public uint Pieces { get; set; }

        public long Grams { get; set; }

        public ulong Serial { get; set; }

        public char Letter { get; set; }

        public float Humidity { get; set; }

        public double Weight { get; set; }

        public decimal Price { get; set; }

        public required string Name { get; set; }

        public string? Remark { get; set; }

        public Guid Key { get; set; }

        public Guid? Replaces { get; set; }

        public DateTime ReceivedAt { get; set; }

        public DateTime? CheckedAt { get; set; }

        public DateOnly BestBefore { get; set; }

        public byte[] Mark { get; set; } = [];

        public Stage Where { get; set; }

        public Hazard Hazard { get; set; }

        public Hazard? Suspected { get; set; }
    }

    public class StockContext : DbContext
    {
        public StockContext(DbContextOptions<StockContext> options)
            : base(options)
        {
            ChangeTracker.QueryTrackingBehavior = QueryTrackingBehavior.NoTracking;
        }

        public DbSet<Lot> Lots => Set<Lot>();

        protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder)
        {
            optionsBuilder.UseNpgsql("Host=localhost;Database=stock");
        }

        protected override void OnModelCreating(ModelBuilder modelBuilder)
        {
            modelBuilder.Entity<Lot>().Property(l => l.Where).HasConversion<string>();
            modelBuilder.Entity<Lot>().Property(l => l.Price).HasPrecision(12, 4);
            modelBuilder.Entity<Lot>().Property(l => l.ReceivedAt).HasDefaultValueSql("now()");
            modelBuilder.Entity<Lot>().HasData(new Lot { Id = 900, Name = "seeded", Letter = 's' });
        }
    }
}

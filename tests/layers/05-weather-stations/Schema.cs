using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace SkyNet.Observations
{
    public class Station
    {
        public Station(string code, string name)
        {
            Code = code;
            Name = name;
        }

        public string Code { get; }
        public string Name { get; private set; }
        public double? Latitude { get; private set; }
        public double? Longitude { get; private set; }
        public int ElevationMetres { get; private set; }
        public bool IsAutomatic { get; private set; }
        public ICollection<Reading> Readings { get; } = new List<Reading>();
    }

    public class Reading
    {
        private Reading(long sequence, string stationCode, DateTime takenAt)
        {
            Sequence = sequence;
            StationCode = stationCode;
            TakenAt = takenAt;
        }

        public long Sequence { get; private set; }
        public string StationCode { get; private set; }
        public Station Station { get; private set; } = null!;
        public DateTime TakenAt { get; private set; }
        public double? Celsius { get; private set; }
        public double RainMillimetres { get; private set; }
        public long PulseCount { get; private set; }
        public bool Suspect { get; private set; }
    }

    public class ObservationContext : DbContext
    {
        public ObservationContext(DbContextOptions<ObservationContext> options) : base(options) { }

        public DbSet<Station> Stations => Set<Station>();
        public DbSet<Reading> Readings => Set<Reading>();

        protected override void OnModelCreating(ModelBuilder mb)
        {
            mb.Entity<Station>(station =>
            {
                station.ToTable("station");
                station.HasKey(s => s.Code);
                station.Property(s => s.Code).HasColumnName("code").HasMaxLength(8);
                station.Property(s => s.Name).HasColumnName("name");
                station.Property(s => s.ElevationMetres).HasColumnName("elev_m");
            });

            mb.Entity<Reading>(reading =>
            {
                reading.ToTable("reading");
                reading.HasKey(r => r.Sequence);
                reading.Property(r => r.Sequence).ValueGeneratedNever();
                reading.Property(r => r.RainMillimetres).HasColumnName("rain_mm").HasDefaultValue(0.0);
                reading.HasOne(r => r.Station).WithMany(s => s.Readings).HasForeignKey(r => r.StationCode);
            });
        }
    }
}

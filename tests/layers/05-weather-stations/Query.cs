using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace SkyNet.Observations
{
    public readonly record struct Extremes(double? Low, double? High, double? Mean, long Pulses);

    public sealed class DayRain
    {
        public DateTime Day { get; set; }
        public double Rain { get; set; }
        public int Readings { get; set; }
    }

    public sealed class StationSummary
    {
        public string Code { get; set; } = "";
        public string DisplayName { get; set; } = "";
        public double? Warmest { get; set; }
        public DateTime? LastReading { get; set; }
        public int SuspectCount { get; set; }
    }

    public sealed class ObservationReports
    {
        private readonly ObservationContext _obs;

        public ObservationReports(ObservationContext obs)
        {
            _obs = obs;
        }

        public async Task<Extremes> ExtremesAsync(string stationCode)
        {
            // three round trips, but nobody minds in the night job
            var usable = _obs.Readings.Where(r => r.StationCode == stationCode && !r.Suspect);
            double? low = await usable.MinAsync(r => r.Celsius);
            double? high = await usable.MaxAsync(r => r.Celsius);
            double? mean = await usable.AverageAsync(r => r.Celsius);
            long pulses = await usable.SumAsync(r => r.PulseCount);
            return new Extremes(low, high, mean, pulses);
        }

        public async Task<DayRain[]> RainPerDayAsync(string stationCode, DateTime from, DateTime until)
        {
            var days = from r in _obs.Readings
                       where r.StationCode == stationCode
                       where r.TakenAt >= @from && r.TakenAt < until
                       group r by r.TakenAt.Date into d
                       orderby d.Key
                       select new DayRain { Day = d.Key, Rain = d.Sum(x => x.RainMillimetres), Readings = d.Count() };
            return await days.ToArrayAsync();
        }

        public async Task<List<StationSummary>> SummariesAsync(bool? automatic, int minElevation = 0)
        {
            var stations = _obs.Stations.AsQueryable();
            if (automatic.HasValue)
            {
                stations = stations.Where(s => s.IsAutomatic == automatic.Value);
            }

            var rows = stations
                .Where(s => s.ElevationMetres >= minElevation)
                .OrderBy(s => s.Code)
                .Select(s => new StationSummary
                {
                    Code = s.Code,
                    DisplayName = s.Latitude == null || s.Longitude == null ? s.Name + " (unplaced)" : s.Name,
                    Warmest = s.Readings.Max(r => r.Celsius),
                    LastReading = s.Readings.Max(r => (DateTime?)r.TakenAt),
                    SuspectCount = s.Readings.Count(r => r.Suspect),
                });

            return await rows.ToListAsync();
        }

        public long CountColderThan(double limit)
        {
            return _obs.Readings.LongCount(r => r.Celsius < limit);
        }

        public double MeanRain(string stationCode)
        {
            return _obs.Readings.Where(r => r.StationCode == stationCode).Average(r => r.RainMillimetres);
        }
    }
}

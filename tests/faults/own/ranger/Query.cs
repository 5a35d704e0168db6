using Microsoft.EntityFrameworkCore;

namespace Rangers.Data;

public record TrailCard(int Id, string Title, string? Warden, string State, decimal Toll, int Visits);

public record RegionLoad(string? Region, int Trails, int Metres, decimal Dearest);

public record DayLoad(int Year, int Persons);

public record Pace(int Id, int PerHundred, double Slope);

public class TrailQueries(RangersContext db)
{
    public async Task<List<TrailCard>> OfWarden(string? name, int skip, int take) =>
        await db.Trails
            .Where(t => t.Warden!.Name == name)
            .OrderByDescending(t => t.Toll).ThenBy(t => t.Id)
            .Skip(skip).Take(take)
            .Select(t => new TrailCard(t.Id, t.Title, t.Warden!.Name, t.State.ToString(), t.Toll, t.Visits.Count))
            .ToListAsync();

    public async Task<List<RegionLoad>> ByRegion(int metres) =>
        await db.Trails
            .Where(t => t.Metres >= metres && t.State != TrailState.Closed)
            .GroupBy(t => t.Park.Region)
            .Select(g => new RegionLoad(g.Key, g.Count(), g.Sum(t => t.Metres), g.Max(t => t.Toll)))
            .ToListAsync();

    public async Task<List<DayLoad>> PersonsByYear() =>
        await db.Visits
            .GroupBy(v => v.At.Year)
            .OrderBy(g => g.Key)
            .Select(g => new DayLoad(g.Key, g.Sum(v => v.Persons)))
            .ToListAsync();

    public async Task<List<Pace>> Paces() =>
        await db.Trails
            .Where(t => t.Metres > 0)
            .OrderBy(t => t.Id)
            .Select(t => new Pace(t.Id, t.Climb / 100, (double)t.Climb / t.Metres))
            .ToListAsync();

    public async Task<List<int>> Titled(string part) =>
        await db.Trails.Where(t => t.Title.Contains(part)).OrderBy(t => t.Id).Select(t => t.Id).ToListAsync();

    public async Task<List<string>> Surfaces() =>
        await db.Trails.Where(t => t.Surface != null).Select(t => t.Surface!).Distinct().ToListAsync();

    public async Task<double> MeanPersons(int trailId) =>
        await db.Visits.Where(v => v.TrailId == trailId).AverageAsync(v => v.Persons);

    public async Task<decimal> Takings(int trailId, DateTime since) =>
        await db.Visits.Where(v => v.TrailId == trailId && v.At >= since).SumAsync(v => v.Paid);

    public async Task<Warden> OnlyWarden(string radio) =>
        await db.Wardens.SingleAsync(w => w.Radio == radio);

    public async Task<Trail?> Longest(TrailState state) =>
        await db.Trails.Where(t => t.State == state).OrderByDescending(t => t.Metres).ThenBy(t => t.Id).FirstOrDefaultAsync();

    public async Task<int> OtherRadios(string? radio) =>
        await db.Wardens.CountAsync(w => w.Radio != radio || !w.Active);

    public async Task<bool> AnyPaidMore(Guid parkId, decimal paid) =>
        await db.Trails.AnyAsync(t => t.ParkId == parkId && t.Visits.Any(v => v.Paid > paid && v.Persons > 1));

    public async Task<List<int>> Unhurried(int minutes) =>
        await db.Trails.Where(t => (t.Minutes ?? 30) > minutes).OrderBy(t => t.Minutes).ThenBy(t => t.Id).Select(t => t.Id).ToListAsync();
}

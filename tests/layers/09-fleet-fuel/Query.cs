using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Haulage.Fuel;

public record MonthCost(int Year, int Month, int Refuels, double Litres, decimal Paid);

public record VehicleUse(string Plate, string Label, long Distance, double Litres, DateTime? LastAt);

public record DriverShare(string Driver, string Depot, int Refuels);

public class FuelReport(FuelContext db)
{
    const double SmallFill = 20.0;

    public async Task<List<MonthCost>> MonthlyAsync(int? year, FuelKind? kind)
    {
        IQueryable<Refuel> refuels = db.Refuels;
        if (year.HasValue) refuels = refuels.Where(r => r.At.Year == year);
        if (kind.HasValue) refuels = refuels.Where(r => r.Vehicle!.Fuel == kind.Value);

        var months = await (
            from r in refuels
            group r by new { r.At.Year, r.At.Month } into m
            orderby m.Key.Year, m.Key.Month
            select new MonthCost(m.Key.Year, m.Key.Month, m.Count(), m.Sum(r => r.Litres), m.Sum(r => r.PaidAmount)))
            .ToListAsync();

        return months;
    }

    public Task<List<VehicleUse>> UseAsync(bool includeSold) =>
        db.Vehicles
            .Where(v => includeSold || v.SoldOn == null)
            .OrderBy(v => v.Nickname)
            .ThenBy(v => v.Plate)
            .Select(v => new VehicleUse(
                v.Plate,
                (v.Nickname ?? v.Plate).Trim(),
                v.Refuels.Any() ? v.Refuels.Max(r => r.Odometer) - v.Refuels.Min(r => r.Odometer) : 0L,
                v.Refuels.Sum(r => r.Litres),
                v.Refuels.OrderByDescending(r => r.At).Select(r => (DateTime?)r.At).FirstOrDefault()))
            .ToListAsync();

    // drivers without any refuel are listed with 0
    public Task<List<DriverShare>> SharesAsync()
    {
        var shares =
            from d in db.Drivers
            join r in db.Refuels on d.Id equals r.DriverId into own
            orderby d.Name, d.Id
            select new DriverShare(d.Name, d.Depot ?? "", own.Count());

        return shares.ToListAsync();
    }

    public Task<Refuel?> LastFullAsync(string plate) =>
        db.Refuels
            .AsNoTracking()
            .Where(r => r.VehiclePlate == plate && r.FullTank)
            .OrderByDescending(r => r.Odometer)
            .FirstOrDefaultAsync();

    public Task<List<string>> PlatesWithSmallFillsAsync(IReadOnlyCollection<string> depots) =>
        db.Refuels
            .Where(r => r.Litres < SmallFill && depots.Contains(r.Driver!.Depot!))
            .Select(r => r.VehiclePlate)
            .Distinct()
            .OrderBy(p => p)
            .ToListAsync();
}

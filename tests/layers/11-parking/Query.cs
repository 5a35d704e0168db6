using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace CityPark.Infrastructure;

public sealed record GarageStatus
{
    public short Id { get; init; }
    public string Name { get; init; } = "";
    public int Free { get; init; }
    public decimal PerHour { get; init; }
    public decimal DayCap { get; init; }
    public bool OnMap { get; init; }
}

public sealed record SessionLine(Guid Id, string Plate, DateTime EnteredAt, string State, decimal Paid);

public sealed class ParkingBoard(ParkingContext context)
{
    private static readonly string[] HouseFleet = ["CP-1", "CP-2"];

    public async Task<List<GarageStatus>> StatusAsync(decimal? maxRate)
    {
        var garages = context.Garages.AsNoTracking();

        if (maxRate is decimal limit)
        {
            garages = garages.Where(g => g.Tariff.PerHour <= limit);
        }

        return await garages
            .OrderByDescending(g => g.Spaces - g.Sessions.Count(s => s.LeftAt == null))
            .ThenBy(g => g.Name)
            .Select(g => new GarageStatus
            {
                Id = g.Id,
                Name = g.Name,
                Free = g.Spaces - g.Sessions.Count(s => s.LeftAt == null),
                PerHour = g.Tariff.PerHour,
                DayCap = g.Tariff.DayCap ?? 0m,
                OnMap = g.Entrance != null,
            })
            .ToListAsync();
    }

    public async Task<List<SessionLine>> SessionsAsync(short garageId, bool? disputed = null)
    {
        var sessions = context.Sessions.Where(s => EF.Property<short>(s, "GarageId") == garageId);

        if (disputed == true)
        {
            sessions = sessions.Where(s => s.Disputed == true);
        }
        else if (disputed == false)
        {
            sessions = sessions.Where(s => s.Disputed != true);
        }

        return await sessions
            .OrderBy(s => s.EnteredAt)
            .ThenBy(s => s.Plate)
            .Select(s => new SessionLine(
                s.Id,
                s.Plate.ToUpper(),
                s.EnteredAt,
                s.LeftAt == null ? "inside" : s.Paid == null ? "unpaid" : "closed",
                s.Paid ?? 0))
            .ToListAsync();
    }

    public Task<decimal?> IncomeAsync(DateTime from, DateTime to)
        => context.Sessions
            .Where(s => s.LeftAt >= from && s.LeftAt < to && !HouseFleet.Contains(s.Plate))
            .SumAsync(s => s.Paid);

    public Task<int> ImportedAsync(string? source)
        => context.Sessions.CountAsync(s => EF.Property<string?>(s, "ImportedFrom") == source);

    public async Task<Session> CurrentAsync(string plate)
    {
        var open = context.Sessions.Where(s => s.LeftAt == null);
        return await open.SingleAsync(s => s.Plate == plate);
    }
}

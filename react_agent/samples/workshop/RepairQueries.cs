using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Bikes.Workshop;

public sealed record PartLine(string Name, int Quantity, decimal Price);

public class RepairQueries(WorkshopContext workshop)
{
    /// <summary>How many pieces a customer's repairs used up; 0 for a customer without any.</summary>
    public Task<int> PiecesUsedForAsync(string customer)
    {
        var pieces =
            from repair in workshop.Repairs
            where repair.Customer == customer
            from part in repair.Parts
            select part.Quantity;

        return pieces.SumAsync();
    }

    /// <summary>Repairs that nobody has taken on yet, received before a moment.</summary>
    public Task<int> UnassignedBeforeAsync(DateTime moment)
        => workshop.Repairs.CountAsync(r => r.Mechanic == null && r.ReceivedAt < moment);

    /// <summary>Parts at or above a price, dearest first.</summary>
    public Task<List<PartLine>> PartsFromAsync(decimal price)
        => workshop.Parts
            .Where(p => p.Price >= price)
            .OrderByDescending(p => p.Price)
            .ThenBy(p => p.Id)
            .Select(p => new PartLine(p.Name, p.Quantity, p.Price))
            .ToListAsync();
}

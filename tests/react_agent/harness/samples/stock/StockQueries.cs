using Depot.Stock;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;

namespace Depot.Queries;

public sealed record Found(string Name, Lot.Stage Where, Hazard? Suspected, decimal Price, double Weight, DateTime ReceivedAt);

public class StockQueries(StockContext stock, ILogger<StockQueries> log, TimeProvider clock)
{
    public Task<List<Lot>> AllAsync(CancellationToken stop)
        => stock.Lots.OrderBy(l => l.Id).ToListAsync(stop);

    public Task<List<Lot>> UnsortedAsync() => stock.Lots.ToListAsync();

    public async Task<Lot> OneAsync(string name, CancellationToken stop = default)
        => await stock.Lots.SingleAsync(l => l.Name == name, stop);

    public Task<Found?> FoundAsync(Lot.Stage @class, Hazard hazard = Hazard.Flammable)
        => stock.Lots.Where(l => l.Where == @class && l.Hazard == hazard)
            .OrderBy(l => l.Id)
            .Select(l => new Found(l.Name, l.Where, l.Suspected, l.Price, l.Weight, l.ReceivedAt))
            .FirstOrDefaultAsync();

    public int CountRemark(string? remark) => stock.Lots.Count(l => l.Remark == remark);

    public int CountSuspected(Hazard? hazard) => stock.Lots.Count(l => l.Suspected == hazard);

    public int CountNumbers(byte rows, sbyte offset, short shelf, ushort lane, uint pieces, long grams)
        => stock.Lots.Count(l => l.Rows == rows && l.Offset == offset && l.Shelf == shelf && l.Lane == lane
            && l.Pieces == pieces && l.Grams == grams);

    public int CountParts(bool closed, float humidity, double weight, decimal price)
        => stock.Lots.Count(l => l.Sealed == closed && l.Humidity <= humidity && l.Weight <= weight && l.Price <= price);

    public int CountMoments(DateTime from, DateTime? until, DateOnly best)
        => stock.Lots.Count(l => l.ReceivedAt >= from && l.CheckedAt != until && l.BestBefore > best);

    public int CountKeys(Guid key, Guid? replaces) => stock.Lots.Count(l => l.Key == key || l.Replaces == replaces);

    public int CountSerial(ulong serial) => stock.Lots.Count(l => l.Serial == serial);

    public int CountLetter(char letter) => stock.Lots.Count(l => l.Letter == letter);

    public Task<List<string>> NamesAsync(List<int> ids) => stock.Lots.Where(l => ids.Contains(l.Id)).OrderBy(l => l.Id).Select(l => l.Name).ToListAsync();

    public int CountAny(IReadOnlyList<Lot.Stage> stages) => stock.Lots.Count(l => stages.Contains(l.Where));

    public int CountShelves(short[] shelves) => stock.Lots.Count(l => shelves.Contains(l.Shelf));

    public Task<decimal> WorthAsync() => stock.Lots.SumAsync(l => l.Price);

    public Task<Lot.Stage> StageAsync(int id) => stock.Lots.Where(l => l.Id == id).Select(l => l.Where).FirstAsync();

    public Task<byte[]> MarkAsync(int id) => stock.Lots.Where(l => l.Id == id).Select(l => l.Mark).SingleAsync();
}

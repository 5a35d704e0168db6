using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Stockroom;

public record ArticleLine(int Id, string Title, int Quantity, string? Remark);

public class StockChores
{
    private readonly StockroomContext _db;

    public StockChores(StockroomContext db) => _db = db;

    public Task<int> RenameZoneAsync(int id, string name, CancellationToken ct = default)
        => _db.Zones.Where(z => z.Id == id).ExecuteUpdateAsync(s => s.SetProperty(z => z.Name, name), ct);

    public Task<int> BlockEmptyBinsAsync()
        => _db.Bins
            .Where(b => !b.Articles.Any(a => a.Quantity > 0))
            .ExecuteUpdateAsync(s => s.SetProperty(b => b.State, BinState.Blocked).SetProperty(b => b.Note, "empty"));

    public int ClearNotes(BinState state)
        => _db.Bins.Where(b => b.State == state).ExecuteUpdate(s => s.SetProperty(b => b.Note, (string?)null));

    public Task<int> NoteBinsAsync(int zoneId, string? note)
        => _db.Bins.Where(b => b.ZoneId == zoneId).ExecuteUpdateAsync(s => s.SetProperty(b => b.Note, note));

    public Task<int> RaiseQuantitiesAsync(string zone, int by)
        => _db.Articles
            .Where(a => a.Bin.Zone.Name == zone && a.Quantity < 1000)
            .ExecuteUpdateAsync(s => s.SetProperty(a => a.Quantity, a => a.Quantity + by));

    public async Task<bool> ReserveAsync(int id, int amount)
    {
        var changed = await _db.Articles
            .Where(a => a.Id == id && a.Quantity - a.Reserved >= amount)
            .ExecuteUpdateAsync(s => s.SetProperty(a => a.Reserved, a => a.Reserved + amount));
        return changed > 0;
    }

    public Task<int> MarkStaleAsync(DateTime before)
        => _db.Articles
            .Where(a => a.CountedAt < before)
            .ExecuteUpdateAsync(s => s
                .SetProperty(a => a.Remark, a => a.Quantity == 0 ? "gone" : a.Remark)
                .SetProperty(a => a.Title, a => a.Title + " (" + a.Remark + ")"));

    public Task<int> MoveAsync(int from, int to)
        => _db.Articles.Where(a => a.BinId == from).ExecuteUpdateAsync(s => s.SetProperty(a => a.BinId, to));

    public Task<int> AssignSupplierAsync(string title, int? supplierId)
        => _db.Articles.Where(a => a.Title == title)
            .ExecuteUpdateAsync(s => s.SetProperty(a => a.SupplierId, supplierId));

    public Task<int> DropMovementsAsync(int most)
        => _db.Movements.Where(m => m.Amount <= most).ExecuteDeleteAsync();

    public Task<int> DropSupplierAsync(int id) => _db.Suppliers.Where(s => s.Id == id).ExecuteDeleteAsync();

    public Task<int> DropBinsAsync(BinState state) => _db.Bins.Where(b => b.State == state).ExecuteDeleteAsync();

    public async Task DropZoneAsync(string name)
    {
        await _db.Zones.Where(z => z.Name == name).ExecuteDeleteAsync();
    }

    public async Task<List<ArticleLine>> ArticlesAfterClearingAsync(int binId)
    {
        await _db.Articles.Where(a => a.BinId == binId && a.Quantity == 0).ExecuteDeleteAsync();
        await _db.Articles.Where(a => a.BinId == binId)
            .ExecuteUpdateAsync(s => s.SetProperty(a => a.Remark, a => a.Title));
        return await _db.Articles
            .OrderBy(a => a.Id)
            .Select(a => new ArticleLine(a.Id, a.Title, a.Quantity, a.Remark))
            .ToListAsync();
    }
}

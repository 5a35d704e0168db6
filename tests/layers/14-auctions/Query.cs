using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Hammer.Auctions;

public sealed class LotLine
{
    public int LotNo { get; init; }
    public string Caption { get; init; } = "";
    public LotStatus Status { get; init; }
    public decimal? HighBid { get; init; }
    public int Bidders { get; init; }
    public bool ReserveMet { get; init; }
    public EstimateLine? Estimate { get; init; }
}

public sealed record EstimateLine(decimal? Low, decimal? High, string Currency);

public sealed class SaleRow
{
    public string Code { get; init; } = "";
    public string Title { get; init; } = "";
    public int Lots { get; init; }
    public int Sold { get; init; }
    public decimal Hammered { get; init; }
}

public class AuctionRoom
{
    private readonly AuctionContext _auctions;

    public AuctionRoom(AuctionContext auctions) => _auctions = auctions;

    // the printed list of one sale
    public async Task<IReadOnlyList<LotLine>> LotsOfSaleAsync(string saleCode, LotStatus? status = null)
    {
        var lots = Of(saleCode);
        lots = status is null ? lots : lots.Where(l => l.Status == status);

        return await lots
            .OrderBy(l => l.LotNo)
            .Select(l => new LotLine
            {
                LotNo = l.LotNo,
                Caption = l.Caption,
                Status = l.Status,
                HighBid = l.Bids.Where(b => !b.Retracted).Max(b => (decimal?)b.Amount),
                Bidders = l.Bids.Select(b => b.Paddle).Distinct().Count(),
                ReserveMet = l.Reserve == null || l.Bids.Any(b => !b.Retracted && b.Amount >= l.Reserve),
                Estimate = new EstimateLine(l.Estimate.Low, l.Estimate.High, l.Estimate.Currency),
            })
            .ToListAsync();
    }

    // what the last bid on a lot was; there must be one
    public Task<decimal> StandingBidAsync(string saleCode, int lotNo)
        => _auctions.Bids
            .Where(b => b.SaleCode == saleCode && b.LotNo == lotNo && !b.Retracted)
            .OrderByDescending(b => b.PlacedAt)
            .ThenByDescending(b => b.Id)
            .Select(b => b.Amount)
            .FirstAsync();

    public async Task<List<SaleRow>> SalesOfYearAsync(int year)
    {
        var first = new DateOnly(year, 1, 1);
        var last = new DateOnly(year, 12, 31);

        return await (
            from sale in _auctions.Sales
            where sale.HeldOn >= first && sale.HeldOn <= last
            orderby sale.HeldOn descending, sale.Code
            select new SaleRow
            {
                Code = sale.Code,
                Title = sale.Title,
                Lots = sale.Lots.Count,
                Sold = sale.Lots.Count(l => l.Status == LotStatus.Sold),
                Hammered = sale.Lots.Where(l => l.Status == LotStatus.Sold).Sum(l => l.StartPrice),
            }).ToListAsync();
    }

    public List<int> PaddlesActiveOn(DateTime day)
    {
        var from = day.Date;
        var to = from.AddDays(1);

        return _auctions.Bids
            .Where(b => b.PlacedAt >= from && b.PlacedAt < to)
            .GroupBy(b => b.Paddle)
            .Where(g => g.Count() > 1)
            .OrderByDescending(g => g.Max(b => b.PlacedAt))
            .ThenBy(g => g.Key)
            .Select(g => g.Key)
            .ToList();
    }

    public Lot? LastLotOrDefault(string saleCode)
        => Of(saleCode).OrderBy(l => l.LotNo).LastOrDefault();

    private IQueryable<Lot> Of(string saleCode) => _auctions.Lots.Where(l => l.SaleCode == saleCode);
}

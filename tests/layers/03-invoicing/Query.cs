using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Ledgerly.Domain.Invoices;

public sealed record InvoiceDto
{
    public required string Number { get; init; }
    public required string Customer { get; init; }
    public required string City { get; init; }
    public required DateOnly IssuedOn { get; init; }
    public bool IsOpen { get; init; }
    public decimal Net { get; init; }
}

public sealed record CountryTurnover(string Country, int Invoices, DateOnly LastIssued);

public sealed class InvoiceReader
{
    private readonly InvoicingContext _context;

    public InvoiceReader(InvoicingContext context) => _context = context;

    public async Task<IReadOnlyList<InvoiceDto>> ListAsync(
        DateOnly? from,
        DateOnly? to,
        InvoiceState[]? states,
        CancellationToken cancellationToken = default)
    {
        IQueryable<Invoice> invoices = _context.Invoices;

        if (from.HasValue)
        {
            invoices = invoices.Where(i => i.IssuedOn >= from.Value);
        }

        if (to.HasValue)
        {
            invoices = invoices.Where(i => i.IssuedOn <= to.Value);
        }

        if (states is { Length: > 0 })
        {
            invoices = invoices.Where(i => states.Contains(i.State));
        }

        return await invoices
            .OrderByDescending(i => i.IssuedOn)
            .ThenBy(i => i.Number)
            .Select(i => new InvoiceDto
            {
                Number = i.Number,
                Customer = i.Customer.Name,
                City = i.Customer.BillingAddress.City,
                IssuedOn = i.IssuedOn,
                IsOpen = i.PaidOn == null && i.State != InvoiceState.Void,
                Net = i.Lines.Sum(l => l.Quantity * l.UnitPrice - (l.Discount ?? 0m)),
            })
            .ToListAsync(cancellationToken);
    }

    public async Task<decimal> OutstandingAsync(int customerId, CancellationToken cancellationToken = default)
    {
        return await _context.Invoices
            .Where(i => i.CustomerId == customerId && i.State == InvoiceState.Sent)
            .SelectMany(i => i.Lines)
            .SumAsync(l => l.UnitPrice * l.Quantity, cancellationToken);
    }

    public Task<decimal?> HighestDiscountAsync(string countryCode, CancellationToken cancellationToken = default)
        => _context.Invoices
            .Where(i => i.Customer.BillingAddress.CountryCode == countryCode)
            .SelectMany(i => i.Lines, (i, l) => l.Discount)
            .MaxAsync(cancellationToken);

    public Task<List<CountryTurnover>> ByCountryAsync(CancellationToken cancellationToken = default)
        => _context.Invoices
            .Where(i => i.State != InvoiceState.Draft)
            .GroupBy(i => i.Customer.BillingAddress.CountryCode)
            .Select(g => new CountryTurnover(g.Key, g.Count(), g.Max(i => i.IssuedOn)))
            .ToListAsync(cancellationToken);

    public Task<Invoice?> FindAsync(string number, CancellationToken cancellationToken = default)
        => _context.Invoices
            .Include(i => i.Lines.OrderBy(l => l.Id))
            .Include(i => i.Customer)
            .AsNoTracking()
            .SingleOrDefaultAsync(i => i.Number == number, cancellationToken);
}

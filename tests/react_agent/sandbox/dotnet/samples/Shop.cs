using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations.Schema;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Shop;

public enum Size : short { Small = 1, Large = 5 }

[Flags]
public enum Traits { None = 0, Fragile = 1, Heavy = 2 }

public readonly record struct Sku(string Code);

public class Money
{
    public decimal Amount { get; set; }
    public string Currency { get; set; } = "EUR";
}

public class Address
{
    public required string Street { get; set; }
    public string? Note { get; set; }
}

public class Contact
{
    public string? Mail { get; set; }
    public List<string> Phones { get; set; } = [];
}

public class Customer
{
    private readonly List<Order> _orders = [];

    public int Id { get; set; }
    public required string Name { get; set; }
    public required Address Home { get; set; }
    public Contact? Contact { get; set; }
    public IReadOnlyList<Order> Orders => _orders;
    public string Greeting => $"Dear {Name}";
}

public class Order
{
    public Guid Id { get; set; }
    public int? CustomerId { get; set; }
    public Customer? Customer { get; set; }
    public Size Size { get; set; }
    public Traits Traits { get; set; }
    public Money Total { get; set; } = new();
    public DateTimeOffset PlacedAt { get; set; }
    public DateOnly Due { get; set; }
    public TimeSpan Lead { get; set; }
    public List<int> Scores { get; set; } = [];
    public byte[]? Seal { get; set; }
    public List<Line> Lines { get; set; } = [];
}

public class Line
{
    public int Id { get; set; }
    public Sku Sku { get; set; }
    public int Pieces { get; set; }
}

public abstract class Payment
{
    public int Id { get; set; }
    public decimal Amount { get; set; }
}

public class CardPayment : Payment
{
    public required string Digits { get; set; }
}

public class CashPayment : Payment
{
    public string? Drawer { get; set; }
}

public interface IShop
{
    DbSet<Order> Orders { get; }
}

/// <summary>Sealed, without a constructor that takes options, and bound to a server that does not exist.</summary>
public sealed class ShopContext : DbContext, IShop
{
    public DbSet<Customer> Customers => Set<Customer>();
    public DbSet<Order> Orders => Set<Order>();
    public DbSet<Payment> Payments => Set<Payment>();

    protected override void OnConfiguring(DbContextOptionsBuilder options)
        => options
            .UseSqlServer("Server=nowhere;Password=hunter2", server => server.EnableRetryOnFailure(3))
            .UseQueryTrackingBehavior(QueryTrackingBehavior.NoTracking);

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Customer>(customer =>
        {
            customer.Property(c => c.Name).HasMaxLength(50);
            customer.Property<int>("Rank").HasDefaultValue(7).IsConcurrencyToken();
            customer.HasIndex(c => c.Name).IsUnique().HasFilter("Name <> ''");
            customer.ToTable(table => table.HasCheckConstraint("CK_Rank", "Rank >= 0"));
            customer.OwnsOne(c => c.Home);
            customer.OwnsOne(c => c.Contact, contact => contact.ToJson());
            customer.HasQueryFilter(c => c.Name != "gone");
        });
        model.Entity<Order>(order =>
        {
            order.Property(o => o.Size).HasConversion<string>();
            order.Property(o => o.Total).HasConversion(m => m.Amount, a => new Money { Amount = a });
            order.OwnsMany(o => o.Lines, line => line.Property(l => l.Sku).HasConversion(s => s.Code, c => new Sku(c)));
            order.HasOne(o => o.Customer).WithMany(c => c.Orders).OnDelete(DeleteBehavior.Restrict);
        });
        model.Entity<Payment>().UseTptMappingStrategy();
        model.Entity<CardPayment>();
        model.Entity<CashPayment>();
    }
}

public record Hit(string Name, int Count);

public record Filter(string? Name, Size[] Sizes);

public class Desk(ShopContext shop)
{
    public Task<List<Customer>> WithOrders()
        => shop.Customers.Include(c => c.Orders).OrderBy(c => c.Id).ToListAsync();

    public Task<List<Customer>> Plain() => shop.Customers.OrderBy(c => c.Id).ToListAsync();

    public IQueryable<Order> Lazy() => shop.Orders.OrderBy(o => o.Due);

    public IAsyncEnumerable<string> Names() => shop.Customers.OrderBy(c => c.Id).Select(c => c.Name).AsAsyncEnumerable();

    public async ValueTask<int> Count(CancellationToken cancel, int least = 0)
        => await shop.Orders.CountAsync(o => o.Lines.Count >= least, cancel);

    public Order First(Guid id) => shop.Orders.First(o => o.Id == id);

    public Task<Order> Only() => shop.Orders.SingleAsync();

    public Customer? Find(string name) => shop.Customers.FirstOrDefault(c => c.Name == name);

    public Task<int> OfSizes(IReadOnlyCollection<Size> sizes, Traits? traits)
        => shop.Orders.CountAsync(o => sizes.Contains(o.Size) && (traits == null || o.Traits == traits));

    public Task<List<Hit>> Search(Filter filter)
        => shop.Customers
            .Where(c => filter.Name == null || c.Name.StartsWith(filter.Name))
            .Select(c => new Hit(c.Name, c.Orders.Count(o => filter.Sizes.Contains(o.Size))))
            .ToListAsync();

    public (int Low, decimal? High) Pair() => (1, 2.50m);

    public Dictionary<string, int> Tally() => shop.Customers.ToDictionary(c => c.Name, c => c.Id);

    public List<Payment> Paid() => shop.Payments.OrderBy(p => p.Id).ToList();

    public async Task Rename(int id, string name)
    {
        var customer = await shop.Customers.AsTracking().FirstAsync(c => c.Id == id);
        customer.Name = name;
        await shop.SaveChangesAsync();
    }

    public string Shout()
    {
        Console.WriteLine("\0\0\0\u0005hello");
        using var raw = Console.OpenStandardOutput();
        raw.Write([0, 0, 0, 1, 123]);
        return (1.5).ToString(CultureInfo.CurrentCulture);
    }

    public int Boom() => throw new InvalidOperationException("no luck");

    public int Hungry() => new long[int.MaxValue / 2].Length + new long[int.MaxValue / 2].Length;

    public int Leave() { Environment.Exit(3); return 0; }

    public Task<Customer> Unordered() => shop.Customers.FirstAsync();
}

public class Front(IShop shop)
{
    public int Orders() => shop.Orders.Count();
}

public static class Reports
{
    public static Task<int> Lines(this ShopContext shop, int least) => shop.Orders.SelectMany(o => o.Lines).CountAsync(l => l.Pieces >= least);
}

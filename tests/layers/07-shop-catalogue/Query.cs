using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace WebShop.Catalogue;

public record ProductCard(int Id, string Title, string Brand, decimal Price, bool InStock, double? Stars);

public record CardPage(int Total, List<ProductCard> Items);

public record BrandOffer(string Brand, int Products, decimal Cheapest, decimal Dearest);

public class CatalogueQueries
{
    private readonly CatalogueContext _context;

    // what a card on the listing page shows
    private static readonly Expression<Func<Product, ProductCard>> ToCard = p => new ProductCard(
        p.Id,
        p.Title,
        p.Brand!.Name ?? "no brand",
        p.Price,
        p.Stock > 0,
        p.Reviews.Average(r => (double?)r.Stars));

    public CatalogueQueries(CatalogueContext context)
    {
        _context = context;
    }

    public async Task<CardPage> BrowseAsync(
        string? search,
        decimal? minPrice,
        decimal? maxPrice,
        List<int>? brandIds,
        string? sort,
        int page = 1,
        int pageSize = 4)
    {
        var products = Visible();

        products = FilterText(products, search);
        products = FilterPrice(products, minPrice, maxPrice);

        if (brandIds != null && brandIds.Count > 0)
        {
            products = products.Where(p => p.BrandId != null && brandIds.Contains(p.BrandId.Value));
        }

        var total = await products.CountAsync();

        var items = await Order(products, sort)
            .Skip((Math.Max(page, 1) - 1) * pageSize)
            .Take(pageSize)
            .Select(ToCard)
            .ToListAsync();

        return new CardPage(total, items);
    }

    public async Task<List<ProductCard>> WithTagAsync(string slug)
    {
        return await Visible()
            .Where(p => p.Tags.Any(t => t.Slug == slug))
            .OrderBy(p => p.Sku)
            .Select(ToCard)
            .ToListAsync();
    }

    public async Task<List<BrandOffer>> BrandOffersAsync(int minProducts)
    {
        return await Visible()
            .Where(p => p.Brand != null)
            .GroupBy(p => p.Brand!.Name)
            .Where(g => g.Count() >= minProducts)
            .Select(g => new BrandOffer(g.Key, g.Count(), g.Min(p => p.Price), g.Max(p => p.Price)))
            .ToListAsync();
    }

    public async Task<Product> BySkuAsync(string sku)
    {
        return await _context.Products
            .Include(p => p.Tags)
            .FirstAsync(p => p.Sku == sku);
    }

    private IQueryable<Product> Visible() => _context.Products.Where(p => !p.IsHidden);

    private static IQueryable<Product> FilterText(IQueryable<Product> products, string? search)
    {
        if (string.IsNullOrWhiteSpace(search))
        {
            return products;
        }

        search = search.Trim();
        return products.Where(p => p.Title.Contains(search) || p.Description!.Contains(search));
    }

    private static IQueryable<Product> FilterPrice(IQueryable<Product> products, decimal? min, decimal? max)
    {
        if (min is { } low)
        {
            products = products.Where(p => p.Price >= low);
        }

        if (max is { } high)
        {
            products = products.Where(p => p.Price <= high);
        }

        return products;
    }

    private static IOrderedQueryable<Product> Order(IQueryable<Product> products, string? sort)
    {
        switch (sort?.ToLowerInvariant())
        {
            case "price":
                return products.OrderBy(p => p.Price).ThenBy(p => p.Id);
            case "price-desc":
                return products.OrderByDescending(p => p.Price).ThenBy(p => p.Id);
            case "newest":
                return products.OrderByDescending(p => p.AvailableFrom).ThenBy(p => p.Id);
            case "reviews":
                return products.OrderByDescending(p => p.Reviews.Count).ThenBy(p => p.Title);
            default:
                return products.OrderBy(p => p.Title).ThenBy(p => p.Id);
        }
    }
}

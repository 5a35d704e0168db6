using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace WebShop.Catalogue;

public class Product
{
    public int Id { get; init; }
    public required string Sku { get; init; }
    public required string Title { get; set; }
    public string? Description { get; set; }
    public decimal Price { get; set; }
    public int Stock { get; set; }
    public bool IsHidden { get; set; }
    public DateTime? AvailableFrom { get; set; }

    public int? BrandId { get; set; }
    public Brand? Brand { get; set; }

    public ICollection<Tag> Tags { get; set; } = [];
    public ICollection<Review> Reviews { get; set; } = [];
}

public class Brand
{
    public int Id { get; init; }
    public required string Name { get; set; }
    public ICollection<Product> Products { get; set; } = [];
}

public class Tag
{
    public int Id { get; init; }
    public required string Slug { get; set; }
    public ICollection<Product> Products { get; set; } = [];
}

public class Review
{
    public int Id { get; init; }
    public int ProductId { get; set; }
    public Product Product { get; set; } = null!;
    public int Stars { get; set; }
    public string? Comment { get; set; }
}

public class CatalogueContext(DbContextOptions<CatalogueContext> options) : DbContext(options)
{
    public DbSet<Product> Products { get; set; } = null!;
    public DbSet<Brand> Brands { get; set; } = null!;
    public DbSet<Tag> Tags { get; set; } = null!;
    public DbSet<Review> Reviews { get; set; } = null!;

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Product>(product =>
        {
            product.HasIndex(p => p.Sku).IsUnique();
            product.Property(p => p.Price).HasPrecision(10, 2);
            product.HasMany(p => p.Tags)
                .WithMany(t => t.Products)
                .UsingEntity("ProductTag");
        });

        modelBuilder.Entity<Review>().ToTable("product_reviews");
    }
}

using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;

namespace Ledgerly.Domain.Invoices;

public abstract class Entity
{
    public int Id { get; protected set; }
}

public sealed class PostalAddress
{
    private PostalAddress() { }

    public PostalAddress(string street, string city, string countryCode, string? poBox)
    {
        Street = street;
        City = city;
        CountryCode = countryCode;
        PoBox = poBox;
    }

    public string Street { get; private set; } = default!;
    public string City { get; private set; } = default!;
    public string CountryCode { get; private set; } = default!;
    public string? PoBox { get; private set; }
}

public sealed class Customer : Entity
{
    private readonly List<Invoice> _invoices = new();

    private Customer() { }

    public Customer(string name, PostalAddress billingAddress)
    {
        Name = name;
        BillingAddress = billingAddress;
    }

    public string Name { get; private set; } = default!;
    public string? VatId { get; private set; }
    public PostalAddress BillingAddress { get; private set; } = default!;
    public IReadOnlyList<Invoice> Invoices => _invoices;
}

public enum InvoiceState { Draft = 0, Sent = 1, Paid = 2, Void = 9 }

public sealed class Invoice : Entity
{
    private readonly List<InvoiceLine> _lines = new();
    private string? _remark;

    private Invoice() { }

    public Invoice(string number, DateOnly issuedOn, int customerId)
    {
        Number = number;
        IssuedOn = issuedOn;
        CustomerId = customerId;
    }

    public string Number { get; private set; } = default!;
    public DateOnly IssuedOn { get; private set; }
    public DateOnly? PaidOn { get; private set; }
    public InvoiceState State { get; private set; }
    public string? Remark => _remark;
    public int CustomerId { get; private set; }
    public Customer Customer { get; private set; } = default!;
    public IReadOnlyCollection<InvoiceLine> Lines => _lines.AsReadOnly();

    public void SetRemark(string? text) => _remark = string.IsNullOrWhiteSpace(text) ? null : text.Trim();
}

public sealed class InvoiceLine : Entity
{
    private InvoiceLine() { }

    public string Text { get; private set; } = default!;
    public int Quantity { get; private set; }
    public decimal UnitPrice { get; private set; }
    public decimal? Discount { get; private set; }
    public int InvoiceId { get; private set; }
}

public sealed class InvoicingContext : DbContext
{
    public InvoicingContext(DbContextOptions<InvoicingContext> options) : base(options) { }

    public DbSet<Customer> Customers => Set<Customer>();
    public DbSet<Invoice> Invoices => Set<Invoice>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.ApplyConfiguration(new CustomerConfiguration());
        modelBuilder.ApplyConfiguration(new InvoiceConfiguration());
        modelBuilder.ApplyConfiguration(new InvoiceLineConfiguration());
    }
}

internal sealed class CustomerConfiguration : IEntityTypeConfiguration<Customer>
{
    public void Configure(EntityTypeBuilder<Customer> builder)
    {
        builder.ToTable("customer");
        builder.HasKey(c => c.Id);
        builder.Property(c => c.Name).HasMaxLength(120).IsRequired();
        builder.OwnsOne(c => c.BillingAddress, a =>
        {
            a.Property(p => p.Street).HasColumnName("bill_street");
            a.Property(p => p.City).HasColumnName("bill_city");
            a.Property(p => p.CountryCode).HasColumnName("bill_country").HasMaxLength(2);
            a.Property(p => p.PoBox).HasColumnName("bill_po_box");
        });
        builder.Navigation(c => c.BillingAddress).IsRequired();
    }
}

internal sealed class InvoiceConfiguration : IEntityTypeConfiguration<Invoice>
{
    public void Configure(EntityTypeBuilder<Invoice> builder)
    {
        builder.ToTable("invoice");
        builder.HasIndex(i => i.Number).IsUnique();
        builder.Property(i => i.Remark).HasField("_remark").HasColumnName("remark_text");
        builder.HasOne(i => i.Customer)
            .WithMany(c => c.Invoices)
            .HasForeignKey(i => i.CustomerId)
            .OnDelete(DeleteBehavior.Restrict);
        builder.HasMany(i => i.Lines).WithOne().HasForeignKey(l => l.InvoiceId);
        builder.Metadata.FindNavigation(nameof(Invoice.Lines))!.SetPropertyAccessMode(PropertyAccessMode.Field);
    }
}

internal sealed class InvoiceLineConfiguration : IEntityTypeConfiguration<InvoiceLine>
{
    public void Configure(EntityTypeBuilder<InvoiceLine> builder)
    {
        builder.ToTable("invoice_line");
        builder.Property(l => l.UnitPrice).HasPrecision(18, 4);
        builder.Property(l => l.Discount).HasColumnType("decimal(18,2)");
    }
}

#nullable disable
using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;
namespace Mappings.Oblivious {
public abstract class Animal { public int Id { get; set; } public string Name { get; set; } public Owner Owner { get; set; } public int? OwnerId { get; set; } }
public class Cat : Animal { public bool Indoor { get; set; } }
public class Dog : Animal { public int Weight { get; set; } public Kennel Kennel { get; set; } }
public class Kennel { public int KennelId { get; set; } public ICollection<Dog> Dogs { get; set; } }
public class Owner { public long Id { get; set; } public IList<Animal> Animals { get; set; } public Owner Partner { get; set; } }
public class Order { public int Id { get; set; } public string CustomerCode { get; set; } public Customer Customer { get; set; } public Money Total { get; set; } public ICollection<OrderLine> Lines { get; set; } }
public class Customer { public int Id { get; set; } public string Code { get; set; } }
public class OrderLine { public int OrderId { get; set; } public int LineNo { get; set; } public Order Order { get; set; } public decimal Amount { get; set; } }
public class Money { public decimal Amount { get; set; } public string Currency { get; set; } }
public class Ctx : DbContext {
  public Ctx(DbContextOptions<Ctx> o) : base(o) { }
  public DbSet<Animal> Animals { get; set; }
  public DbSet<Cat> Cats { get; set; }
  public DbSet<Dog> Dogs { get; set; }
  public DbSet<Order> Orders { get; set; }
  protected override void OnModelCreating(ModelBuilder mb) {
    var order = mb.Entity<Order>();
    order.HasOne(o => o.Customer).WithMany().HasForeignKey(o => o.CustomerCode).HasPrincipalKey(c => c.Code);
    order.ComplexProperty(o => o.Total, t => { t.IsRequired(); t.Property(m => m.Amount).HasPrecision(9, 2).HasColumnName("sum"); });
    mb.Entity<OrderLine>().HasKey("OrderId", "LineNo");
    mb.Entity<Owner>().HasOne(o => o.Partner).WithOne().HasForeignKey<Owner>("PartnerId");
  }
}
}

using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;
namespace Mappings.Generic;
public abstract class Entity<TKey> { public TKey Id { get; set; } = default!; }
public abstract class Audited<TKey, TBy> : Entity<TKey> { public TBy? By { get; set; } }
public class Shop : Audited<int, string> { public ICollection<Item> Items { get; set; } = []; public Address Address { get; set; } = null!; }
public class Item : Entity<Guid> { public int ShopId { get; set; } public virtual Shop? Shop { get; set; } }
[Owned] public class Address { public string Street { get; set; } = ""; public string? Zip { get; set; } }
public class Ctx(DbContextOptions<Ctx> o) : DbContext(o) { public DbSet<Shop> Shops => Set<Shop>(); }

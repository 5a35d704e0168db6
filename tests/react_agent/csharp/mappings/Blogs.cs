using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;
namespace Mappings.Blogs;
public enum Kind : byte { One = 1, Two, Three = Two | One }
[Flags] public enum Marks { None = 0, A = 1, B = 1 << 1, All = A | B }
public class Blog {
  public int BlogId { get; set; }
  public string Name { get; set; } = "";
  public string? Note { get; set; }
  public Kind Kind { get; set; }
  public Marks? Marks { get; set; }
  public Guid Token { get; set; }
  public List<Post> Posts { get; } = new();
  public BlogInfo? Info { get; set; }
  public int Count => Posts.Count;
  private string Hidden { get; set; } = "";
  internal string Inner { get; set; } = "";
  public static int Static { get; set; }
  [NotMapped] public string Skip { get; set; } = "";
  public byte[]? Picture { get; set; }
}
public class BlogInfo { public int Id { get; set; } public int BlogId { get; set; } public Blog Blog { get; set; } = null!; public double? Score { get; set; } }
[Index(nameof(Title), nameof(At), IsUnique = true)]
public class Post {
  [Key] public Guid Code { get; set; }
  [Required, MaxLength(80)] public string? Title { get; set; }
  public DateTimeOffset At { get; set; }
  [Precision(10, 4)] public decimal Price { get; set; }
  public Blog Blog { get; set; } = null!;
  [ForeignKey(nameof(Writer))] public int? AuthorRef { get; set; }
  public Person? Writer { get; set; }
  [InverseProperty("Edits")] public Person? Editor { get; set; }
  public ICollection<Tag> Tags { get; set; } = new List<Tag>();
  [Timestamp] public byte[] Version { get; set; } = null!;
  [DatabaseGenerated(DatabaseGeneratedOption.Computed)] public DateTime Changed { get; set; }
}
public class Person {
  public int Id { get; set; }
  [Column("nick", TypeName = "varchar(20)")] public string Nick { get; set; } = "";
  public ICollection<Post> Edits { get; set; } = [];
  public Person? Boss { get; set; }
  public ICollection<Person> Staff { get; set; } = [];
  public Address Home { get; set; } = null!;
  public Address? Work { get; set; }
  public List<Phone> Phones { get; set; } = [];
}
public class Address { public string Street { get; set; } = ""; public City City { get; set; } = null!; }
public class City { public string Name { get; set; } = ""; public int? Zip { get; set; } }
public class Phone { public string Number { get; set; } = ""; }
public class Tag { public string Id { get; set; } = ""; public ICollection<Post> Posts { get; set; } = []; }
public class Visit { public int PersonId { get; set; } public DateOnly Day { get; set; } public TimeOnly? Hour { get; set; } public Person Person { get; set; } = null!; public long Tick { get; set; } }
public class Ctx : DbContext {
  public Ctx(DbContextOptions<Ctx> o) : base(o) { }
  public DbSet<Blog> Blogs { get; set; }
  public DbSet<Person> People => Set<Person>();
  protected override void OnModelCreating(ModelBuilder mb) {
    base.OnModelCreating(mb);
    mb.ApplyConfigurationsFromAssembly(typeof(Ctx).Assembly);
    mb.Entity<Person>().OwnsOne(p => p.Home, h => { h.Property(a => a.Street).HasMaxLength(30).HasColumnName("road"); h.OwnsOne(a => a.City); });
    mb.Entity<Person>().OwnsOne(p => p.Work, h => h.OwnsOne(a => a.City));
    mb.Entity<Person>().OwnsMany(p => p.Phones);
    mb.Entity<Visit>(e => { e.HasKey(v => new { v.PersonId, v.Day }); e.HasIndex(v => v.Hour).HasDatabaseName("ix"); e.HasIndex(v => new { v.Day, v.Tick }, "named").IsUnique(); });
    mb.Entity<Post>().HasOne(p => p.Writer).WithMany().OnDelete(DeleteBehavior.SetNull);
  }
}
public class BlogConfig : IEntityTypeConfiguration<Blog> {
  public void Configure(EntityTypeBuilder<Blog> b) {
    b.ToTable("blog", "main", t => t.HasCheckConstraint("ck", "1 = 1"));
    b.Property(x => x.Name).HasDefaultValue("x").IsConcurrencyToken();
    b.Property(x => x.Token).ValueGeneratedOnAdd();
    b.HasAlternateKey(x => x.Token);
    b.Property<DateTime?>("Seen");
    b.Property(x => x.Kind).HasConversion<int>();
    b.HasOne(x => x.Info).WithOne(i => i.Blog).HasForeignKey<BlogInfo>(i => i.BlogId);
  }
}

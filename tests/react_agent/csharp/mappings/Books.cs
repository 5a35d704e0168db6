using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;
namespace Mappings.Books;
public record Note(int Id, string Text, int? BookId);
public class Book { 
  private readonly List<Chapter> _chapters = new();
  private string _isbn = "";
  protected Book() { }
  public Book(string isbn) { _isbn = isbn; }
  public int Id { get; private set; }
  public string Isbn => _isbn;
  public string Title { get { return _t; } set { _t = value; } }
  private string _t = "";
  public IEnumerable<Chapter> Chapters => _chapters;
  public IReadOnlyList<Note> Notes { get; } = [];
  public Meta Meta { get; set; } = new();
  public List<Award> Awards { get; set; } = [];
  public Shelf? Shelf { get; set; }
  [ForeignKey("MainAuthorKey")] public Author Main { get; set; } = null!;
  public DateTime Created { get; set; }
  public TimeSpan Length { get; set; }
  public char Mark { get; set; }
  public float? Ratio { get; set; }
  public ulong Big { get; set; }
  public Uri? Link { get; set; }
  public Status Status { get; set; }
}
public enum Status { Open, Closed }
public class Chapter { public long Id { get; set; } public Book Book { get; set; } = null!; public int No { get; set; } public Chapter? Next { get; set; } public int? NextId { get; set; } }
[Owned] public class Meta { public string? Lang { get; set; } public Dim Dim { get; set; } = new(); public List<Mark> Marks { get; set; } = []; }
public class Dim { public int W { get; set; } public decimal? H { get; set; } }
public class Mark { public string Of { get; set; } = ""; }
public class Award { public int Id { get; set; } public string Name { get; set; } = ""; public decimal? Sum { get; set; } }
public class Shelf { public int Id { get; set; } public string Code { get; set; } = ""; public ICollection<Book> Books { get; set; } = []; }
public class Author { public Guid AuthorId { get; set; } public ICollection<Genre> Genres { get; } = []; }
public class Genre { public int GenreId { get; set; } public ICollection<Author> Authors { get; } = []; public Genre Parent { get; set; } = null!; public int ParentGenreId { get; set; } }
[Keyless] public class Report { public int N { get; set; } }
public class Membership { public string Login { get; set; } = ""; public int GroupId { get; set; } public Group Group { get; set; } = null!; }
public class Group { public int Id { get; set; } public List<Membership> Members { get; set; } = []; public Membership? Lead { get; set; } }
public class Ctx(DbContextOptions<Ctx> o) : DbContext(o) {
  public DbSet<Book> Books { get; set; } = null!;
  public DbSet<Note> Notes => Set<Note>();
  public DbSet<Genre> Genres => Set<Genre>();
  public DbSet<Report> Reports => Set<Report>();
  public DbSet<Group> Groups => Set<Group>();
  protected override void OnModelCreating(ModelBuilder mb) {
    mb.Entity<Book>(b => {
      b.Property(x => x.Isbn).HasField("_isbn").HasMaxLength(13).IsRequired();
      b.OwnsOne(x => x.Meta, m => { m.ToJson(); m.OwnsOne(x => x.Dim); m.OwnsMany(x => x.Marks); });
      b.OwnsMany(x => x.Awards, a => { a.ToTable("awards"); a.Property(x => x.Name).HasMaxLength(9); });
      b.Property(x => x.Created).HasDefaultValueSql("CURRENT_TIMESTAMP").ValueGeneratedOnAdd();
      b.Property(x => x.Status).HasConversion<string>();
      b.HasIndex(x => x.Isbn).IsUnique().HasFilter("Isbn <> ''");
    });
    mb.Entity<Membership>().HasKey(m => m.Login);
    mb.Entity<Group>().HasMany(g => g.Members).WithOne(m => m.Group).HasForeignKey(m => m.GroupId).OnDelete(DeleteBehavior.Restrict);
    mb.Entity<Group>().HasOne(g => g.Lead).WithMany().HasForeignKey("LeadLogin");
    mb.Entity<Genre>().HasOne(g => g.Parent).WithMany().HasForeignKey(g => g.ParentGenreId).IsRequired();
  }
}

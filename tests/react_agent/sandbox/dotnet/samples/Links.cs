// Leans on the SDK's implicit usings, and on EF Core's cache of compiled queries.
using Microsoft.EntityFrameworkCore;

namespace Links;

public class Page
{
    public int Id { get; set; }
    public string Title { get; set; } = "";
    public DateTime Seen { get; set; }
    public List<Link> Links { get; set; } = [];
}

public class Link
{
    public int Id { get; set; }
    public int PageId { get; set; }
    public Page Page { get; set; } = null!;
}

public class Popular
{
    public int Id { get; set; }
    public string Title { get; set; } = "";
}

public class LinksContext(DbContextOptions<LinksContext> options) : DbContext(options)
{
    public DbSet<Page> Pages => Set<Page>();
    public DbSet<Popular> Popular => Set<Popular>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Page>().Property(p => p.Seen).HasDefaultValueSql("GETUTCDATE()");
        model.Entity<Page>().HasData(new Page { Id = 100, Title = "brought by the model" });
        model.Entity<Popular>().HasNoKey().ToView("popular");
    }
}

public class Crawler(LinksContext db)
{
    private static readonly Func<LinksContext, int, int> After = EF.CompileQuery((LinksContext d, int id) => d.Pages.Count(p => p.Id > id));

    public int CountAfter(int id) => After(db, id);

    public Task<List<Link>> Circle() => db.Set<Link>().Include(l => l.Page).ThenInclude(p => p.Links).OrderBy(l => l.Id).ToListAsync();

    public Task<Page> ByPath() => db.Pages.Include("Links").FirstAsync();

    public Page Loaded(int id)
    {
        var page = db.Pages.Find(id)!;
        db.Entry(page).Collection(p => p.Links).Load();
        return page;
    }

    public List<Popular> Popular() => db.Popular.ToList();

    public int Add(string title)
    {
        db.Add(new Page { Title = title });
        db.SaveChanges();
        return db.Pages.Count();
    }

    public int Touch() => db.Database.ExecuteSqlRaw("UPDATE Pages SET Title = 'x' WHERE 1 = 0");

    public int LeaveOpen()
    {
        db.Database.BeginTransaction();
        return db.Database.ExecuteSqlRaw("DELETE FROM Link");
    }

    public object Anonymous() => db.Pages.Select(p => new { p.Id, p.Title.Length }).ToList();
}

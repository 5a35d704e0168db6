using System.Text.Json.Nodes;

namespace Uom.Worker;

/// <summary>A built-in job that makes the runtime load and compile what every job needs.</summary>
internal static class Warmup
{
    private const string Source = """
        using System.Collections.Generic;
        using System.Linq;
        using System.Threading.Tasks;
        using Microsoft.EntityFrameworkCore;

        namespace Warm;

        public enum Mood { Calm, Wild }

        public class Author
        {
            public int Id { get; set; }
            public string Name { get; set; } = "";
            public Mood Mood { get; set; }
            public List<Book> Books { get; } = [];
        }

        public class Book
        {
            public int Id { get; set; }
            public int AuthorId { get; set; }
            public Author Author { get; set; } = null!;
            public decimal Price { get; set; }
            public System.DateTime Published { get; set; }
        }

        public class Library(DbContextOptions<Library> options) : DbContext(options)
        {
            public DbSet<Author> Authors => Set<Author>();

            protected override void OnModelCreating(ModelBuilder model)
                => model.Entity<Author>().Property(a => a.Mood).HasConversion<string>();
        }

        public record Line(string Name, int Count, decimal Worth);

        public class Desk(Library library)
        {
            public Task<List<Line>> Worth(string prefix, decimal least)
                => library.Authors
                    .Where(a => a.Name.StartsWith(prefix) && a.Books.Any(b => b.Price >= least))
                    .OrderBy(a => a.Name).ThenByDescending(a => a.Id)
                    .Select(a => new Line(a.Name, a.Books.Count, a.Books.Sum(b => b.Price)))
                    .Take(10)
                    .ToListAsync();

            public Task<List<Author>> All() => library.Authors.Include(a => a.Books).ToListAsync();

            public Task<Author?> One(int id) => library.Authors.FirstOrDefaultAsync(a => a.Id == id);

            public Task<int> Rename(string name)
                => library.Authors.ExecuteUpdateAsync(set => set.SetProperty(a => a.Name, a => name + a.Name));
        }
        """;

    private const string Request = """
        {
          "op": "run",
          "instances": [{"id": "i", "tables": {
            "Authors": [{"Id": {"t": "int", "v": "1"}, "Name": {"t": "string", "v": "ada"}, "Mood": {"t": "enum", "v": "1"}}],
            "Book": [{"Id": {"t": "int", "v": "1"}, "AuthorId": {"t": "int", "v": "1"}, "Price": {"t": "decimal", "v": "9.9"},
                      "Published": {"t": "datetime", "v": "2024-01-01T00:00:00.0000000", "kind": "Unspecified"}}]}}],
          "calls": [
            {"id": "a", "instance": "i", "class": "Desk", "method": "Worth",
             "args": [{"name": "prefix", "value": {"t": "string", "v": "a"}}, {"name": "least", "value": {"t": "decimal", "v": "1"}}]},
            {"id": "b", "instance": "i", "class": "Desk", "method": "All", "args": []},
            {"id": "c", "instance": "i", "class": "Desk", "method": "One", "args": [{"name": "id", "value": {"t": "int", "v": "1"}}]},
            {"id": "d", "instance": "i", "class": "Desk", "method": "Rename", "args": [{"name": "name", "value": {"t": "string", "v": "x"}}]}]
        }
        """;

    public static void Run()
    {
        // Once as it stands and once without its usings, the second try that such sources need.
        Run(Source);
        Run(Source.Replace("using System.Linq;", "", StringComparison.Ordinal));
    }

    private static void Run(string source)
    {
        var job = new Job();
        job.Serve(
            new JsonObject
            {
                ["op"] = "compile",
                ["sources"] = new JsonArray(new JsonObject { ["path"] = "Warm.cs", ["text"] = source }),
            },
            Progress.None);
        job.Serve(new JsonObject { ["op"] = "describe" }, Progress.None);
        job.Serve(JsonNode.Parse(Request)!.AsObject(), Progress.None);
    }
}

using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Choir;

public class Singer
{
    public int Id { get; set; }

    public required string Voice { get; set; }

    public int Concerts { get; set; }
}

public class ChoirContext(DbContextOptions<ChoirContext> options) : DbContext(options)
{
    public DbSet<Singer> Singers => Set<Singer>();
}

public sealed class ChoirQueries(ChoirContext choir)
{
    public Task<int> HowManyAsync(string voice) => choir.Singers.CountAsync(s => s.Voice == voice);

    /// <summary>Written as a loop: no rule reads it.</summary>
    public async Task<int> MostConcertsAsync(string voice)
    {
        var most = 0;
        foreach (var singer in await choir.Singers.Where(s => s.Voice == voice).ToListAsync())
        {
            if (singer.Concerts > most)
            {
                most = singer.Concerts;
            }
        }

        return most;
    }
}

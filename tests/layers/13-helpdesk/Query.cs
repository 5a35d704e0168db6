using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Threading.Tasks;
using HelpDesk.Core.Entities;
using Microsoft.EntityFrameworkCore;

namespace HelpDesk.Core.Repositories
{
    public class TicketListItem
    {
        public TicketListItem(long id, string subject, Priority priority, string agent)
        {
            Id = id;
            Subject = subject;
            Priority = priority;
            Agent = agent;
        }

        public long Id { get; }
        public string Subject { get; }
        public Priority Priority { get; }
        public string Agent { get; }
        public decimal Hours { get; set; }
    }

    public class TeamBacklog
    {
        public string? Team { get; set; }
        public int Open { get; set; }
        public int Urgent { get; set; }
        public DateTime? Oldest { get; set; }
    }

    public interface ITicketRepository
    {
        Task<IEnumerable<TicketListItem>> GetQueueAsync(string? orderBy, bool descending, Priority? minimum, IList<TicketStatus>? statuses);

        Task<IEnumerable<TeamBacklog>> GetBacklogAsync();

        Task<Ticket?> GetByIdAsync(long id);

        Task<long> CountStaleAsync(DateTime utcNow, int days);
    }

    public class TicketRepository : ITicketRepository
    {
        protected readonly HelpDeskDbContext Context;

        public TicketRepository(HelpDeskDbContext context)
        {
            Context = context ?? throw new ArgumentNullException(nameof(context));
        }

        public async Task<IEnumerable<TicketListItem>> GetQueueAsync(
            string? orderBy,
            bool descending,
            Priority? minimum,
            IList<TicketStatus>? statuses)
        {
            var query = Context.Tickets.AsNoTracking().AsQueryable();

            if (minimum.HasValue)
            {
                query = query.Where(t => t.Priority >= minimum.Value);
            }

            if (statuses != null && statuses.Any())
            {
                query = query.Where(t => statuses.Contains(t.Status));
            }
            else
            {
                query = query.Where(t => t.Status != TicketStatus.Closed);
            }

            switch (orderBy)
            {
                case "subject":
                    query = Sort(query, t => t.Subject, descending);
                    break;
                case "agent":
                    query = Sort(query, t => t.Agent!.Email, descending);
                    break;
                case "created":
                    query = Sort(query, t => t.CreatedUtc, descending);
                    break;
                default:
                    query = query.OrderByDescending(t => t.Priority).ThenBy(t => t.CreatedUtc);
                    break;
            }

            return await query
                .Select(t => new TicketListItem(t.Id, t.Subject, t.Priority, t.Agent!.Email ?? "(nobody)")
                {
                    Hours = t.Notes.Sum(n => n.HoursSpent)
                })
                .ToListAsync();
        }

        public async Task<IEnumerable<TeamBacklog>> GetBacklogAsync()
        {
            return await (from t in Context.Tickets
                          where t.Status != TicketStatus.Closed
                          group t by t.Agent!.Team into team
                          orderby team.Key
                          select new TeamBacklog
                          {
                              Team = team.Key,
                              Open = team.Count(),
                              Urgent = team.Sum(t => t.Priority == Priority.Urgent ? 1 : 0),
                              Oldest = team.Min(t => t.CreatedUtc)
                          }).ToListAsync();
        }

        public async Task<Ticket?> GetByIdAsync(long id)
        {
            return await Context.Tickets
                .Include(t => t.Agent)
                .Include(t => t.Notes)
                .FirstOrDefaultAsync(t => t.Id == id);
        }

        public async Task<long> CountStaleAsync(DateTime utcNow, int days)
        {
            var limit = utcNow.AddDays(-days);

            return await Context.Tickets
                .Where(t => t.Status == TicketStatus.Open || t.Status == TicketStatus.Waiting)
                .Where(t => t.CreatedUtc < limit && t.Notes.All(n => n.CreatedUtc < limit || n.Internal))
                .LongCountAsync();
        }

        private static IQueryable<Ticket> Sort<TKey>(IQueryable<Ticket> query, Expression<Func<Ticket, TKey>> key, bool descending)
        {
            var ordered = descending ? query.OrderByDescending(key) : query.OrderBy(key);
            return ordered.ThenBy(t => t.Id);
        }
    }
}

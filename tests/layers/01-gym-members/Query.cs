using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace FitHub.Data;

public record MemberRow(int Id, string Name, string ClubName, MembershipPlan Plan, int VisitCount);

public record ClubLoad(int? ClubId, int Members, int Cancelled, DateOnly FirstJoined);

public class MemberQueries(GymDbContext db)
{
    private const int PageSize = 3;

    public async Task<List<MemberRow>> SearchAsync(string? term = null, MembershipPlan? plan = null, bool activeOnly = true, int page = 1)
    {
        var query = db.Members.AsNoTracking();

        if (!string.IsNullOrWhiteSpace(term))
        {
            var needle = term.Trim().ToLower();
            query = query.Where(m => m.FullName.ToLower().Contains(needle) || (m.Email != null && m.Email.ToLower().StartsWith(needle)));
        }

        if (plan is not null)
            query = query.Where(m => m.Plan == plan);

        if (activeOnly)
            query = query.Where(m => m.CancelledOn == null);

        return await query
            .OrderBy(m => m.FullName)
            .ThenByDescending(m => m.Id)
            .Skip((page - 1) * PageSize)
            .Take(PageSize)
            .Select(m => new MemberRow(m.Id, m.FullName, m.HomeClub!.Name ?? "(no club)", m.Plan, m.Visits.Count))
            .ToListAsync();
    }

    public Task<int> MinutesTrainedAsync(int memberId, DateTime since) =>
        db.Visits.Where(v => v.MemberId == memberId && v.CheckedInAt >= since).SumAsync(v => v.Minutes ?? 0);

    public Task<double?> AverageMinutesAsync(string city) =>
        db.Visits.Where(v => v.Member.HomeClub!.City == city).AverageAsync(v => v.Minutes);

    public Task<List<ClubLoad>> LoadPerClubAsync() =>
        db.Members
            .GroupBy(m => m.HomeClubId)
            .OrderBy(g => g.Key)
            .Select(g => new ClubLoad(g.Key, g.Count(), g.Count(m => m.CancelledOn != null), g.Min(m => m.JoinedOn)))
            .ToListAsync();

    public Task<bool> IsEmailTakenAsync(string email, int? exceptMemberId) =>
        db.Members.AnyAsync(m => m.Email == email && m.Id != exceptMemberId);
}

using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace FitHub.Data;

public enum MembershipPlan
{
    Basic,
    Plus,
    Family = 10,
}

public class Club
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string? City { get; set; }
    public bool OpenAllNight { get; set; }

    public List<Member> Members { get; } = [];
}

public class Member
{
    public int Id { get; set; }
    public string FullName { get; set; } = "";
    public string? Email { get; set; }
    public MembershipPlan Plan { get; set; }
    public DateOnly JoinedOn { get; set; }
    public DateOnly? CancelledOn { get; set; }

    public int? HomeClubId { get; set; }
    public Club? HomeClub { get; set; }

    public List<Visit> Visits { get; } = [];
}

public class Visit
{
    public int Id { get; set; }
    public int MemberId { get; set; }
    public Member Member { get; set; } = null!;
    public DateTime CheckedInAt { get; set; }
    public int? Minutes { get; set; }
}

public class GymDbContext(DbContextOptions<GymDbContext> options) : DbContext(options)
{
    public DbSet<Club> Clubs => Set<Club>();
    public DbSet<Member> Members => Set<Member>();
    public DbSet<Visit> Visits => Set<Visit>();
}

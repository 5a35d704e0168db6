using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using Microsoft.EntityFrameworkCore;

namespace Meridian.Clinic;

#region Enums

public enum AppointmentStatus
{
    Requested,
    Confirmed,
    CheckedIn,
    Done,
    NoShow,
    Cancelled,
}

#endregion

#region Entities

public class Practitioner
{
    public Guid Id { get; set; }

    [MaxLength(80)]
    public required string LastName { get; set; }

    [MaxLength(80)]
    public string? FirstName { get; set; }

    public string? Speciality { get; set; }

    public ICollection<Appointment> Appointments { get; init; } = new List<Appointment>();
}

public class Patient
{
    public Guid PatientId { get; set; }

    public required string Name { get; set; }

    public DateOnly BirthDate { get; set; }

    public string? InsuranceNo { get; set; }

    public ICollection<Appointment> Appointments { get; init; } = new List<Appointment>();
}

public class Appointment
{
    public Guid Id { get; set; }

    public Guid PatientId { get; set; }

    public Patient? Patient { get; set; }

    public Guid? PractitionerId { get; set; }

    public Practitioner? Practitioner { get; set; }

    public DateTime StartsAt { get; set; }

    public int DurationMinutes { get; set; }

    public AppointmentStatus Status { get; set; }

    public AppointmentStatus? PreviousStatus { get; set; }

    public string? Reason { get; set; }
}

#endregion

#region Context

public class ClinicContext : DbContext
{
    public ClinicContext(DbContextOptions<ClinicContext> options)
        : base(options)
    {
    }

    public DbSet<Practitioner> Practitioners { get; set; }

    public DbSet<Patient> Patients { get; set; }

    public DbSet<Appointment> Appointments { get; set; }

    protected override void OnModelCreating(ModelBuilder builder)
    {
        builder.Entity<Appointment>(e =>
        {
            e.Property(a => a.Status).HasConversion<string>().HasMaxLength(16);
            e.Property(a => a.PreviousStatus).HasConversion<string>();
            e.HasIndex(a => new { a.PractitionerId, a.StartsAt });
            e.HasOne(a => a.Practitioner)
                .WithMany(p => p.Appointments)
                .OnDelete(DeleteBehavior.SetNull);
        });

        builder.Entity<Patient>().ToTable("Patient");
    }
}

#endregion

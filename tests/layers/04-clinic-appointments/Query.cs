using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace Meridian.Clinic;

public class AgendaEntry
{
    public Guid AppointmentId { get; set; }
    public string PatientName { get; set; } = string.Empty;
    public string Practitioner { get; set; } = string.Empty;
    public DateTime StartsAt { get; set; }
    public bool IsShort { get; set; }
    public AppointmentStatus Status { get; set; }
}

public class StatusCount
{
    public AppointmentStatus Status { get; set; }
    public int Count { get; set; }
    public int Minutes { get; set; }
}

public class AgendaService
{
    #region Fields

    private static readonly AppointmentStatus[] Dead = { AppointmentStatus.Cancelled, AppointmentStatus.NoShow };

    private readonly ClinicContext db;

    #endregion

    #region Ctor

    public AgendaService(ClinicContext db)
    {
        this.db = db;
    }

    #endregion

    #region Queries

    /// <summary>One day's agenda, of all practitioners or of one.</summary>
    public async Task<List<AgendaEntry>> DayAsync(DateTime day, Guid? practitionerId)
    {
        DateTime begin = day.Date;
        DateTime end = begin.AddDays(1);

        var appointments = db.Appointments
            .Where(a => a.StartsAt >= begin && a.StartsAt < end)
            .Where(a => !Dead.Contains(a.Status));

        if (practitionerId != null)
        {
            appointments = appointments.Where(a => a.PractitionerId == practitionerId);
        }

        return await appointments
            .OrderBy(a => a.StartsAt)
            .ThenBy(a => a.Patient!.Name)
            .Select(a => new AgendaEntry
            {
                AppointmentId = a.Id,
                PatientName = a.Patient!.Name,
                Practitioner = a.Practitioner == null ? "unassigned" : a.Practitioner.LastName,
                StartsAt = a.StartsAt,
                IsShort = a.DurationMinutes <= 15,
                Status = a.Status,
            })
            .ToListAsync();
    }

    public async Task<AgendaEntry?> NextForPatientAsync(Guid patientId, DateTime now)
    {
        return await (
            from a in db.Appointments
            where a.PatientId == patientId && a.StartsAt > now && a.Status != AppointmentStatus.Cancelled
            orderby a.StartsAt
            select new AgendaEntry
            {
                AppointmentId = a.Id,
                PatientName = a.Patient!.Name,
                Practitioner = a.Practitioner!.FirstName + " " + a.Practitioner.LastName,
                StartsAt = a.StartsAt,
                IsShort = a.DurationMinutes < 20,
                Status = a.Status,
            }).FirstOrDefaultAsync();
    }

    public async Task<List<StatusCount>> StatusCountsAsync(string? speciality)
    {
        IQueryable<Appointment> source = db.Appointments;
        if (!string.IsNullOrEmpty(speciality))
            source = source.Where(a => a.Practitioner!.Speciality == speciality);

        return await source
            .GroupBy(a => a.Status)
            .Select(g => new StatusCount { Status = g.Key, Count = g.Count(), Minutes = g.Sum(x => x.DurationMinutes) })
            .OrderByDescending(s => s.Count)
            .ThenBy(s => s.Minutes)
            .ToListAsync();
    }

    // status moved since it was booked; a row without a previous status counts as moved as well
    public Task<int> MovedAsync(AppointmentStatus from) =>
        db.Appointments.CountAsync(a => a.PreviousStatus != from);

    #endregion
}

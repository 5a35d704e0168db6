using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace HelpDesk.Core.Entities
{
    public interface IAuditable
    {
        DateTime CreatedUtc { get; set; }
        string? CreatedBy { get; set; }
    }

    public abstract class AuditableEntity<TKey> : IAuditable
        where TKey : struct
    {
        [Key]
        [Column(Order = 0)]
        public TKey Id { get; set; }

        public DateTime CreatedUtc { get; set; }

        [StringLength(64)]
        public string? CreatedBy { get; set; }
    }

    public enum Priority
    {
        Low = 10,
        Medium = 20,
        High = 30,
        Urgent = 40
    }

    public enum TicketStatus
    {
        New = 0,
        Open,
        Waiting,
        Closed
    }

    [Table("TICKET")]
    public class Ticket : AuditableEntity<long>
    {
        [Required]
        [StringLength(150)]
        [Column("SUBJECT_TX")]
        public string Subject { get; set; } = null!;

        [Column("PRIO_NR")]
        public Priority Priority { get; set; } = Priority.Medium;

        [Column("STATUS_CD")]
        [StringLength(10)]
        public TicketStatus Status { get; set; }

        public Guid? AgentId { get; set; }

        [ForeignKey("AgentId")]
        public virtual Agent? Agent { get; set; }

        public DateTime? ClosedUtc { get; set; }

        public virtual ICollection<TicketNote> Notes { get; set; } = new List<TicketNote>();
    }

    [Table("AGENT")]
    public class Agent : AuditableEntity<Guid>
    {
        [Required]
        public string Email { get; set; } = null!;

        public string? Team { get; set; }

        public bool IsActive { get; set; } = true;

        public virtual ICollection<Ticket> Tickets { get; set; } = new List<Ticket>();
    }

    [Table("TICKET_NOTE")]
    public class TicketNote : AuditableEntity<int>
    {
        public long TicketId { get; set; }

        public virtual Ticket Ticket { get; set; } = null!;

        public string? Text { get; set; }

        public bool Internal { get; set; }

        public decimal HoursSpent { get; set; }
    }
}

namespace HelpDesk.Core
{
    using HelpDesk.Core.Entities;

    public class HelpDeskDbContext : DbContext
    {
        public HelpDeskDbContext(DbContextOptions<HelpDeskDbContext> options)
            : base(options)
        {
        }

        public virtual DbSet<Ticket> Tickets { get; set; } = null!;

        public virtual DbSet<Agent> Agents { get; set; } = null!;

        public virtual DbSet<TicketNote> Notes { get; set; } = null!;

        protected override void OnModelCreating(ModelBuilder modelBuilder)
        {
            modelBuilder.Entity<Ticket>()
                .Property(t => t.Status)
                .HasConversion<string>();

            modelBuilder.Entity<Agent>()
                .Property(a => a.Email)
                .IsUnicode(false)
                .HasColumnName("EMAIL_TX");

            modelBuilder.Entity<TicketNote>()
                .HasOne(n => n.Ticket)
                .WithMany(t => t.Notes)
                .HasForeignKey(n => n.TicketId)
                .OnDelete(DeleteBehavior.Cascade);
        }
    }
}

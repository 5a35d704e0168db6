using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace Acme.Hr.Persistence;

public class Department
{
    [Key, MaxLength(6)]
    public string Code { get; set; } = null!;

    [Required]
    public string Title { get; set; } = null!;

    public int? HeadId { get; set; }

    [ForeignKey(nameof(HeadId))]
    public Employee? Head { get; set; }

    [InverseProperty(nameof(Employee.Department))]
    public ICollection<Employee> Staff { get; set; } = new HashSet<Employee>();
}

public class Employee
{
    public int EmployeeId { get; set; }

    [Required, MaxLength(60)]
    public string Surname { get; set; } = null!;

    [Required, MaxLength(60)]
    public string GivenName { get; set; } = null!;

    public string? Nickname { get; set; }

    [Column(TypeName = "decimal(10,2)")]
    public decimal Salary { get; set; }

    public DateOnly HiredOn { get; set; }

    public DateOnly? LeftOn { get; set; }

    public int? ManagerId { get; set; }

    public Employee? Manager { get; set; }

    [InverseProperty(nameof(Manager))]
    public ICollection<Employee> Reports { get; set; } = new HashSet<Employee>();

    [MaxLength(6)]
    public string? DepartmentCode { get; set; }

    public Department? Department { get; set; }
}

public class HrContext : DbContext
{
    public HrContext(DbContextOptions<HrContext> options) : base(options) { }

    public DbSet<Department> Departments { get; set; } = default!;
    public DbSet<Employee> Employees { get; set; } = default!;

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Employee>()
            .HasOne(e => e.Department)
            .WithMany(d => d.Staff)
            .HasForeignKey(e => e.DepartmentCode)
            .OnDelete(DeleteBehavior.NoAction);

        modelBuilder.Entity<Department>()
            .HasOne(d => d.Head)
            .WithMany()
            .OnDelete(DeleteBehavior.NoAction);
    }
}

using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;

namespace Acme.Hr.Persistence;

public sealed record DirectoryLine(
    int Id,
    string Display,
    string? Boss,
    string? BossOfBoss,
    string Department);

public sealed record DepartmentPay(string Code, string? HeadName, int Heads, decimal Payroll, decimal? TopSalary);

public enum DirectoryOrder
{
    BySurname,
    ByHireDate,
    ByDepartment,
    BySalaryDown,
}

internal static class EmployeeQueryExtensions
{
    public static IQueryable<Employee> EmployedAt(this IQueryable<Employee> employees, DateOnly day)
        => employees.Where(e => e.HiredOn <= day && (e.LeftOn == null || e.LeftOn > day));

    public static IQueryable<Employee> Sorted(this IQueryable<Employee> employees, DirectoryOrder order)
        => order switch
        {
            DirectoryOrder.ByHireDate => employees.OrderBy(e => e.HiredOn).ThenBy(e => e.EmployeeId),
            DirectoryOrder.ByDepartment => employees.OrderBy(e => e.Department!.Title).ThenBy(e => e.Surname).ThenBy(e => e.EmployeeId),
            DirectoryOrder.BySalaryDown => employees.OrderByDescending(e => e.Salary).ThenBy(e => e.EmployeeId),
            _ => employees.OrderBy(e => e.Surname).ThenBy(e => e.GivenName).ThenBy(e => e.EmployeeId),
        };
}

public class StaffDirectory
{
    private readonly HrContext _hr;

    public StaffDirectory(HrContext hr) => _hr = hr;

    public IReadOnlyList<DirectoryLine> Lines(DateOnly day, DirectoryOrder order = DirectoryOrder.BySurname, string? department = null)
    {
        var employees = _hr.Employees.EmployedAt(day);

        if (department is { Length: > 0 })
            employees = employees.Where(e => e.DepartmentCode == department);

        return employees
            .Sorted(order)
            .Select(e => new DirectoryLine(
                e.EmployeeId,
                e.Surname + ", " + (e.Nickname ?? e.GivenName),
                e.Manager!.Surname,
                e.Manager.Manager!.Surname,
                e.Department != null ? e.Department.Title : "-"))
            .ToList();
    }

    public IReadOnlyList<DepartmentPay> PayPerDepartment()
        => _hr.Departments
            .OrderBy(d => d.Code)
            .Select(d => new DepartmentPay(
                d.Code,
                d.Head == null ? null : d.Head.Surname,
                d.Staff.Count(s => s.LeftOn == null),
                d.Staff.Where(s => s.LeftOn == null).Sum(s => s.Salary),
                d.Staff.Max(s => (decimal?)s.Salary)))
            .ToList();

    /// <summary>Managers all of whose reports earn less than they do.</summary>
    public List<string> UncontestedManagers()
    {
        var managers =
            from m in _hr.Employees
            where m.Reports.Any() && m.Reports.All(r => r.Salary < m.Salary)
            orderby m.Surname
            select m.Surname;

        return managers.ToList();
    }

    public Employee? LongestServing(string departmentCode)
        => _hr.Employees
            .Include(e => e.Manager)
            .Where(e => e.Department!.Code == departmentCode && e.LeftOn == null)
            .OrderBy(e => e.HiredOn)
            .ThenBy(e => e.EmployeeId)
            .FirstOrDefault();

    public decimal AverageSalary(int managerId)
        => _hr.Employees.Where(e => e.ManagerId == managerId).Average(e => e.Salary);
}

using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace School.Data {

    public class Student {
        public int StudentId { get; set; }
        public string FirstName { get; set; } = "";
        public string LastName { get; set; } = "";
        public int? ClassYear { get; set; }
        public List<Enrolment> Enrolments { get; set; } = new List<Enrolment>();

        [NotMapped]
        public string FullName => FirstName + " " + LastName;
    }

    public class Course {
        public string Code { get; set; } = "";
        public string Title { get; set; } = "";
        public int Credits { get; set; }
        public Teacher? Teacher { get; set; }
        public List<Enrolment> Enrolments { get; set; } = new List<Enrolment>();
    }

    public class Teacher {
        public int TeacherId { get; set; }
        public string Name { get; set; } = "";
        public string? Room { get; set; }
        public List<Course> Courses { get; set; } = new List<Course>();
    }

    // student x course, with the grade as payload
    public class Enrolment {
        public int StudentId { get; set; }
        public string CourseCode { get; set; } = "";
        public double? Grade { get; set; }
        public bool Dropped { get; set; }
        public DateOnly EnrolledOn { get; set; }

        public Student Student { get; set; } = null!;
        public Course Course { get; set; } = null!;
    }

    public class SchoolContext : DbContext {
        public SchoolContext(DbContextOptions<SchoolContext> options) : base(options) { }

        public DbSet<Student> Students { get; set; } = null!;
        public DbSet<Course> Courses { get; set; } = null!;
        public DbSet<Teacher> Teachers { get; set; } = null!;
        public DbSet<Enrolment> Enrolments { get; set; } = null!;

        protected override void OnModelCreating(ModelBuilder b) {
            b.Entity<Course>().HasKey(c => c.Code);
            // no TeacherId on Course: the key column is a shadow property made by convention
            b.Entity<Course>().HasOne(c => c.Teacher).WithMany(t => t.Courses);

            b.Entity<Enrolment>(e => {
                e.HasKey(x => new { x.StudentId, x.CourseCode });
                e.HasOne(x => x.Student).WithMany(s => s.Enrolments).HasForeignKey(x => x.StudentId);
                e.HasOne(x => x.Course).WithMany(c => c.Enrolments).HasForeignKey(x => x.CourseCode);
            });
        }
    }
}

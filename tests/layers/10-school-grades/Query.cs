using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;

namespace School.Data {

    public class Transcript {
        public string Student { get; set; } = "";
        public int Courses { get; set; }
        public double? Average { get; set; }
        public int CreditsEarned { get; set; }
    }

    public class CourseResult {
        public string Code { get; set; } = "";
        public string Teacher { get; set; } = "";
        public int Graded { get; set; }
        public double? Best { get; set; }
        public bool AllPassed { get; set; }
    }

    public class GradeBook {
        private const double PassMark = 4.0;
        private readonly SchoolContext ctx;

        public GradeBook(SchoolContext ctx) {
            this.ctx = ctx;
        }

        public async Task<List<Transcript>> Transcripts(int? classYear) {
            var students = ctx.Students.Where(s => s.ClassYear == classYear);
            var list = from s in students
                       orderby s.LastName, s.FirstName, s.StudentId
                       select new Transcript {
                           Student = s.LastName.ToUpper() + " " + s.FirstName,
                           Courses = s.Enrolments.Count(e => !e.Dropped),
                           Average = s.Enrolments.Where(e => !e.Dropped).Average(e => e.Grade),
                           CreditsEarned = s.Enrolments.Where(e => e.Grade >= PassMark && !e.Dropped).Sum(e => e.Course.Credits)
                       };
            return await list.ToListAsync();
        }

        public async Task<List<CourseResult>> CourseResults(string? titlePart) {
            IQueryable<Course> courses = ctx.Courses;
            if (!string.IsNullOrEmpty(titlePart)) {
                courses = courses.Where(c => c.Title.Contains(titlePart));
            }
            return await courses
                .OrderByDescending(c => c.Credits)
                .ThenBy(c => c.Code)
                .Select(c => new CourseResult {
                    Code = c.Code,
                    Teacher = c.Teacher != null ? c.Teacher.Name : "n.n.",
                    Graded = c.Enrolments.Count(e => e.Grade != null),
                    Best = c.Enrolments.Max(e => e.Grade),
                    AllPassed = c.Enrolments.All(e => e.Grade >= PassMark)
                })
                .ToListAsync();
        }

        public Student? BestIn(string courseCode) {
            return ctx.Enrolments
                .Where(e => e.CourseCode == courseCode && e.Grade != null)
                .OrderByDescending(e => e.Grade)
                .ThenBy(e => e.Student.LastName)
                .Select(e => e.Student)
                .FirstOrDefault();
        }

        // joins spelled out, as in the old report
        public List<string> TitlesTakenBy(string lastName) {
            var titles = from s in ctx.Students
                         join e in ctx.Enrolments on s.StudentId equals e.StudentId
                         join c in ctx.Courses on e.CourseCode equals c.Code
                         where s.LastName.ToLower() == lastName.ToLower()
                         orderby e.EnrolledOn, c.Title
                         select c.Title;
            return titles.Distinct().ToList();
        }

        public async Task<int> CountTaughtBy(int teacherId) {
            return await ctx.Courses.CountAsync(c => EF.Property<int?>(c, "TeacherId") == teacherId);
        }
    }
}

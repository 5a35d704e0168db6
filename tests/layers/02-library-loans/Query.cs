using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.EntityFrameworkCore;
using TownLibrary.Model;

namespace TownLibrary.Services
{
    public class OverdueItem
    {
        public long LoanNumber { get; set; }
        public string Title { get; set; } = string.Empty;
        public string Shelf { get; set; } = string.Empty;
        public string CardNo { get; set; } = string.Empty;
        public DateTime DueAt { get; set; }
    }

    public class FineSummary
    {
        public string CardNo { get; set; } = string.Empty;
        public int Loans { get; set; }
        public decimal Total { get; set; }
        public decimal Highest { get; set; }
    }

    /// <summary>
    /// Read side of the lending desk. Everything is synchronous, the desk application is a WinForms client.
    /// </summary>
    public class LendingDesk
    {
        private readonly LibraryContext _context;

        public LendingDesk(LibraryContext context)
        {
            if (context == null)
            {
                throw new ArgumentNullException(nameof(context));
            }

            _context = context;
        }

        // Open loans due before the given moment, oldest first.
        public List<OverdueItem> GetOverdue(DateTime asOf)
        {
            IQueryable<OverdueItem> items =
                from loan in _context.Loans
                where loan.ReturnedAt == null && loan.DueAt < asOf
                orderby loan.DueAt, loan.LoanNumber
                select new OverdueItem
                {
                    LoanNumber = loan.LoanNumber,
                    Title = loan.Copy.Book.Title,
                    Shelf = loan.Copy.Shelf ?? "?",
                    CardNo = loan.CardNo,
                    DueAt = loan.DueAt
                };

            return items.ToList();
        }

        // Titles of which at least one usable copy stands on the shelf.
        public List<Book> GetAvailableBooks(string? titleStart)
        {
            IQueryable<Book> books = _context.Books;

            if (titleStart != null)
            {
                books = books.Where(b => b.Title.StartsWith(titleStart));
            }

            return books
                .Where(b => b.Copies.Any(c => !c.Withdrawn && c.Loans.All(l => l.ReturnedAt != null)))
                .OrderBy(b => b.Year)
                .ThenBy(b => b.Title)
                .ToList();
        }

        public List<FineSummary> GetFinesPerCard(decimal atLeast)
        {
            var summaries =
                from loan in _context.Loans
                group loan by loan.CardNo into card
                where card.Sum(l => l.Fine) >= atLeast
                orderby card.Key descending
                select new FineSummary
                {
                    CardNo = card.Key,
                    Loans = card.Count(),
                    Total = card.Sum(l => l.Fine),
                    Highest = card.Max(l => l.Fine)
                };

            return summaries.ToList();
        }

        public BookCopy GetCopy(string isbn, int copyNo)
        {
            return _context.Copies.Include(c => c.Book).Single(c => c.Isbn == isbn && c.CopyNo == copyNo);
        }
    }
}

using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace TownLibrary.Model
{
    [Table("tblBook")]
    public class Book
    {
        [Key]
        [StringLength(13)]
        [Column("ISBN")]
        public string Isbn { get; set; }

        [Required]
        [StringLength(200)]
        public string Title { get; set; }

        public string? Subtitle { get; set; }

        [Column("PubYear")]
        public int? Year { get; set; }

        public virtual ICollection<BookCopy> Copies { get; set; }

        public Book()
        {
            Isbn = string.Empty;
            Title = string.Empty;
            Copies = new HashSet<BookCopy>();
        }
    }

    [Table("tblCopy")]
    [PrimaryKey(nameof(Isbn), nameof(CopyNo))]
    public class BookCopy
    {
        [StringLength(13)]
        public string Isbn { get; set; } = string.Empty;

        public int CopyNo { get; set; }

        [Column("ShelfMark")]
        public string? Shelf { get; set; }

        public bool Withdrawn { get; set; }

        [ForeignKey(nameof(Isbn))]
        public virtual Book Book { get; set; } = null!;

        public virtual ICollection<Loan> Loans { get; set; } = new List<Loan>();

        [NotMapped]
        public string Label
        {
            get { return Isbn + "/" + CopyNo; }
        }
    }

    [Table("tblLoan")]
    public class Loan
    {
        [Key]
        [DatabaseGenerated(DatabaseGeneratedOption.None)]
        public long LoanNumber { get; set; }

        public string Isbn { get; set; } = string.Empty;

        public int CopyNo { get; set; }

        [ForeignKey("Isbn,CopyNo")]
        public virtual BookCopy Copy { get; set; } = null!;

        [Required]
        [MaxLength(20)]
        public string CardNo { get; set; } = string.Empty;

        public DateTime LentAt { get; set; }

        public DateTime DueAt { get; set; }

        public DateTime? ReturnedAt { get; set; }

        public decimal Fine { get; set; }
    }

    public class LibraryContext : DbContext
    {
        public LibraryContext(DbContextOptions<LibraryContext> options) : base(options)
        {
        }

        public virtual DbSet<Book> Books { get; set; } = null!;
        public virtual DbSet<BookCopy> Copies { get; set; } = null!;
        public virtual DbSet<Loan> Loans { get; set; } = null!;
    }
}

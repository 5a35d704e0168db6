using System;
using System.Collections.Generic;
using Microsoft.EntityFrameworkCore;

namespace Agora.Storage
{
    public enum Visibility : byte
    {
        Public = 0,
        MembersOnly = 1,
        StaffOnly = 2
    }

    public class User
    {
        public int Id { get; set; }
        public string Handle { get; set; } = null!;
        public string? DisplayName { get; set; }
        public bool Banned { get; set; }
    }

    public class Topic
    {
        public int Id { get; set; }
        public string Subject { get; set; } = null!;
        public Visibility Visibility { get; set; }
        public bool Pinned { get; set; }
        public bool Deleted { get; set; }
        public int AuthorId { get; set; }
        public User Author { get; set; } = null!;
        public IList<Post> Posts { get; set; } = new List<Post>();
    }

    public class Post
    {
        public int Id { get; set; }
        public int TopicId { get; set; }
        public Topic Topic { get; set; } = null!;
        public int? UserId { get; set; }
        public User? User { get; set; }
        public string Body { get; set; } = null!;
        public DateTime WrittenAt { get; set; }
        public DateTime? EditedAt { get; set; }
        public int Likes { get; set; }
        public int? ReplyToId { get; set; }
        public Post? ReplyTo { get; set; }
    }

    public class ForumContext : DbContext
    {
        public ForumContext(DbContextOptions<ForumContext> options)
            : base(options)
        {
        }

        public DbSet<User> Users { get; set; } = null!;
        public DbSet<Topic> Topics { get; set; } = null!;
        public DbSet<Post> Posts { get; set; } = null!;

        protected override void OnModelCreating(ModelBuilder modelBuilder)
        {
            base.OnModelCreating(modelBuilder);

            modelBuilder.Entity<User>().ToTable("forum_users").Property(u => u.Handle).HasMaxLength(30);
            modelBuilder.Entity<User>().HasIndex(u => u.Handle).IsUnique();

            modelBuilder.Entity<Topic>().ToTable("forum_topics");
            modelBuilder.Entity<Topic>().Property(t => t.Subject).IsRequired().HasColumnName("subject_line");
            modelBuilder.Entity<Topic>().HasOne(t => t.Author).WithMany().HasForeignKey(t => t.AuthorId);

            modelBuilder.Entity<Post>().ToTable("forum_posts");
            modelBuilder.Entity<Post>().HasOne(p => p.ReplyTo).WithMany().HasForeignKey(p => p.ReplyToId);
        }
    }
}

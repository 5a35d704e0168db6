using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Agora.Storage;
using Microsoft.EntityFrameworkCore;

namespace Agora.Reading
{
    public sealed class TopicOverview
    {
        public int Id { get; set; }
        public string Subject { get; set; } = "";
        public string StartedBy { get; set; } = "";
        public int Replies { get; set; }
        public DateTime? LastActivity { get; set; }
        public string? LastPoster { get; set; }
    }

    public sealed class PostView
    {
        public int Id { get; set; }
        public string By { get; set; } = "";
        public string Excerpt { get; set; } = "";
        public bool Edited { get; set; }
        public string? InReplyTo { get; set; }
    }

    public sealed class LikesOfUser
    {
        public string Handle { get; set; } = "";
        public int Posts { get; set; }
        public int Likes { get; set; }
        public double PerPost { get; set; }
    }

    public class ForumReader
    {
        private readonly ForumContext _db;

        public ForumReader(ForumContext db) { _db = db; }

        public async Task<IList<TopicOverview>> GetTopics(bool isMember, bool isStaff, int skip = 0, int take = 20)
        {
            var query = _db.Topics.AsNoTracking().Where(t => !t.Deleted);

            if (isStaff)
            {
                // sees everything
            }
            else if (isMember)
            {
                query = query.Where(t => t.Visibility != Visibility.StaffOnly);
            }
            else
            {
                query = query.Where(t => t.Visibility == Visibility.Public);
            }

            var result = await query
                .OrderByDescending(t => t.Pinned)
                .ThenByDescending(t => t.Posts.Max(p => (DateTime?)p.WrittenAt))
                .ThenBy(t => t.Id)
                .Skip(skip)
                .Take(take)
                .Select(t => new TopicOverview
                {
                    Id = t.Id,
                    Subject = t.Subject,
                    StartedBy = t.Author.DisplayName ?? t.Author.Handle,
                    Replies = t.Posts.Count(),
                    LastActivity = t.Posts.Max(p => (DateTime?)p.WrittenAt),
                    LastPoster = t.Posts
                        .OrderByDescending(p => p.WrittenAt)
                        .ThenByDescending(p => p.Id)
                        .Select(p => p.User!.Handle)
                        .FirstOrDefault(),
                })
                .ToListAsync();

            return result;
        }

        public async Task<IList<PostView>> GetPosts(int topicId, string? contains)
        {
            var posts = from p in _db.Posts
                        where p.TopicId == topicId
                        select p;

            if (!string.IsNullOrEmpty(contains))
            {
                posts = from p in posts
                        where p.Body.ToUpper().Contains(contains.ToUpper())
                        select p;
            }

            var views = from p in posts
                        orderby p.WrittenAt, p.Id
                        select new PostView
                        {
                            Id = p.Id,
                            By = p.User == null ? "[gone]" : p.User.Banned ? "[banned]" : p.User.DisplayName ?? p.User.Handle,
                            Excerpt = p.Body.Length > 12 ? p.Body.Substring(0, 12) + "..." : p.Body,
                            Edited = p.EditedAt != null && p.EditedAt > p.WrittenAt,
                            InReplyTo = p.ReplyTo!.User!.Handle,
                        };

            return await views.ToListAsync();
        }

        public async Task<IList<LikesOfUser>> GetTopLiked(int count)
        {
            var q = from p in _db.Posts
                    join u in _db.Users on p.UserId equals u.Id
                    where !u.Banned && !p.Topic.Deleted
                    group p by u.Handle into g
                    orderby g.Sum(x => x.Likes) descending, g.Key
                    select new LikesOfUser
                    {
                        Handle = g.Key,
                        Posts = g.Count(),
                        Likes = g.Sum(x => x.Likes),
                        PerPost = g.Average(x => x.Likes),
                    };

            return await q.Take(count).ToListAsync();
        }

        public Task<bool> HasUnansweredTopics()
        {
            return _db.Topics.AnyAsync(t => !t.Deleted && !t.Posts.Any());
        }

        public int CountHandlesLike(string start, string end)
        {
            return _db.Users.Count(u => u.Handle.StartsWith(start) && u.Handle.EndsWith(end));
        }
    }
}

using System.Linq.Expressions;
using System.Reflection;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>The navigations that queries named by <c>Include</c> and <c>ThenInclude</c>, as the tree they form.</summary>
internal sealed class Includes
{
    public static readonly Includes None = new();

    private readonly List<(Type? Declaring, string Name, Includes Below)> _named = [];

    public static Includes Of(IEnumerable<Expression> queries)
    {
        var root = new Includes();
        var reader = new Reader(root);
        foreach (var query in queries)
        {
            reader.Visit(query);
        }

        return root;
    }

    /// <summary>What is named below a navigation; null where the navigation itself is not.</summary>
    public Includes? Below(INavigationBase navigation)
        => _named.FirstOrDefault(named => named.Name == navigation.Name && Fits(named.Declaring, navigation.DeclaringEntityType.ClrType)).Below;

    /// <summary>Whether the navigation is named anywhere in the tree.</summary>
    public bool Mentions(INavigationBase navigation)
        => Below(navigation) is not null || _named.Any(named => named.Below.Mentions(navigation));

    private static bool Fits(Type? named, Type declaring)
        => named is null || named.IsAssignableFrom(declaring) || declaring.IsAssignableFrom(named);

    private Includes Add(Type? declaring, string name)
    {
        var known = _named.FirstOrDefault(named => named.Name == name && named.Declaring == declaring).Below;
        if (known is null)
        {
            known = new Includes();
            _named.Add((declaring, name, known));
        }

        return known;
    }

    private sealed class Reader(Includes root) : ExpressionVisitor
    {
        protected override Expression VisitMethodCall(MethodCallExpression node)
        {
            if (IsInclude(node))
            {
                Named(node);
            }

            return base.VisitMethodCall(node);
        }

        private static bool IsInclude(MethodCallExpression call)
            => call.Method.DeclaringType == typeof(EntityFrameworkQueryableExtensions) && call.Method.Name is "Include" or "ThenInclude";

        /// <summary>The members a lambda walks along, outermost first, past casts and the calls of a filtered include.</summary>
        private static IEnumerable<MemberInfo> Members(Expression? expression) => expression switch
        {
            LambdaExpression lambda => Members(lambda.Body),
            UnaryExpression unary => Members(unary.Operand),
            MemberExpression member => Members(member.Expression).Append(member.Member),
            MethodCallExpression { Object: null, Arguments: [var source, ..] } => Members(source),
            MethodCallExpression { Object: { } source } => Members(source),
            _ => [],
        };

        /// <summary>Enter an include into the tree; a <c>ThenInclude</c> goes below the one it follows.</summary>
        private Includes Named(MethodCallExpression call)
        {
            var above = call.Method.Name == "ThenInclude" && call.Arguments[0] is MethodCallExpression before && IsInclude(before)
                ? Named(before)
                : root;
            return call.Arguments[1] is ConstantExpression { Value: string path }
                ? path.Split('.').Aggregate(above, (at, name) => at.Add(null, name))
                : Members(call.Arguments[1]).Aggregate(above, (at, member) => at.Add(member.DeclaringType, member.Name));
        }
    }
}

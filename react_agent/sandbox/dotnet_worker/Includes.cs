using System.Linq.Expressions;
using System.Reflection;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>The navigations that the queries of a call asked for, by <c>Include</c> and <c>ThenInclude</c>.</summary>
internal sealed class Includes : ExpressionVisitor
{
    private readonly HashSet<(Type Declaring, string Name)> _members = [];
    private readonly HashSet<string> _names = [];

    public static Includes Of(IEnumerable<Expression> queries)
    {
        var includes = new Includes();
        foreach (var query in queries)
        {
            includes.Visit(query);
        }

        return includes;
    }

    public bool Name(INavigationBase navigation)
        => _names.Contains(navigation.Name)
            || _members.Any(member => member.Name == navigation.Name
                && (member.Declaring.IsAssignableFrom(navigation.DeclaringEntityType.ClrType)
                    || navigation.DeclaringEntityType.ClrType.IsAssignableFrom(member.Declaring)));

    protected override Expression VisitMethodCall(MethodCallExpression node)
    {
        if (node.Method.DeclaringType == typeof(EntityFrameworkQueryableExtensions) && node.Method.Name is "Include" or "ThenInclude")
        {
            Add(node.Arguments[1]);
        }

        return base.VisitMethodCall(node);
    }

    /// <summary>Reach past <c>Where</c>, <c>OrderBy</c> and casts of a filtered include to the member itself.</summary>
    private static MemberInfo? Member(Expression expression) => expression switch
    {
        LambdaExpression lambda => Member(lambda.Body),
        UnaryExpression unary => Member(unary.Operand),
        MemberExpression member => member.Member,
        MethodCallExpression { Arguments: [var source, ..] } call => Member(call.Method.IsStatic ? source : call.Object!),
        _ => null,
    };

    private void Add(Expression argument)
    {
        if (argument is ConstantExpression { Value: string path })
        {
            _names.UnionWith(path.Split('.'));
        }
        else if (Member(argument) is { DeclaringType: { } declaring } member)
        {
            _members.Add((declaring, member.Name));
            AddOuter(argument);
        }
    }

    /// <summary><c>Include(o =&gt; o.Customer.Address)</c> names both.</summary>
    private void AddOuter(Expression argument)
    {
        var body = argument is UnaryExpression { Operand: LambdaExpression lambda } ? lambda.Body : null;
        while (body is MemberExpression { Expression: MemberExpression outer })
        {
            _members.Add((outer.Member.DeclaringType!, outer.Member.Name));
            body = outer;
        }
    }
}

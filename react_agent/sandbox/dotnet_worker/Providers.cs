using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;

namespace Uom.Worker;

/// <summary>Calls of other providers, for sources that configure the database they came from.</summary>
/// <remarks>
/// The lent context leaves out whatever database is named, so these calls need to compile and to do nothing: no other
/// provider has to be installed, and no connection string of the user is ever used. A function that only another
/// database has (<c>EF.Functions.DateDiffDay</c>) is not among them: SQLite could not run it.
/// </remarks>
internal static partial class Providers
{
    private static readonly string[] Databases =
        ["UseSqlServer", "UseAzureSql", "UseAzureSynapse", "UseNpgsql", "UseMySQL", "UseOracle", "UseFirebird", "UseInMemoryDatabase"];

    /// <summary>How keys are numbered there; here the key is numbered as SQLite does it.</summary>
    private static readonly string[] KeyForms =
        ["UseIdentityColumn", "UseIdentityByDefaultColumn", "UseIdentityAlwaysColumn", "UseSerialColumn"];

    public static bool AreNamedIn(SyntaxTree tree) => Named().IsMatch(tree.GetText().ToString());

    public static SyntaxTree StandIns() => SourceText.Parse(
        $$"""
        #nullable enable
        #pragma warning disable
        namespace Microsoft.EntityFrameworkCore;

        using Microsoft.EntityFrameworkCore.Metadata.Builders;

        internal static class StandInProviders
        {
        {{string.Concat(Databases.Select(Database))}}
        {{string.Concat(KeyForms.Select(KeyForm))}}
            public static KeyBuilder IsClustered(this KeyBuilder key, bool clustered = true) => key;
            public static IndexBuilder IsClustered(this IndexBuilder index, bool clustered = true) => index;
            public static IndexBuilder<T> IsClustered<T>(this IndexBuilder<T> index, bool clustered = true) => index;
            public static IndexBuilder<T> IncludeProperties<T>(this IndexBuilder<T> index, params string[] names) => index;
            public static IndexBuilder<T> IncludeProperties<T>(
                this IndexBuilder<T> index, global::System.Linq.Expressions.Expression<global::System.Func<T, object?>> names) => index;
        }
        """,
        "Providers.g.cs");

    private static string Database(string call) => string.Concat(
        from connection in new[] { "string? connection = null", "global::System.Data.Common.DbConnection connection" }
        from generic in new[] { false, true }
        let builder = generic ? "DbContextOptionsBuilder<T>" : "DbContextOptionsBuilder"
        select $"""
                public static {builder} {call}{(generic ? "<T>" : "")}(
                    this {builder} builder, {connection}, global::System.Action<dynamic>? options = null)
                    {(generic ? "where T : DbContext" : "")} => builder;

            """);

    private static string KeyForm(string call) => $"""
            public static PropertyBuilder<T> {call}<T>(this PropertyBuilder<T> property, long seed = 1, int increment = 1)
                => property.ValueGeneratedOnAdd();
            public static ModelBuilder {call}s(this ModelBuilder model, long seed = 1, int increment = 1) => model;

        """;

    [GeneratedRegex(@"\b(Use(SqlServer|AzureSql|AzureSynapse|Npgsql|MySQL|Oracle|Firebird|InMemoryDatabase|Identity\w*Columns?|SerialColumns?)|IsClustered|IncludeProperties)\b")]
    private static partial Regex Named();
}

using Microsoft.CodeAnalysis;

namespace Uom.Worker;

/// <summary>Calls that name another database, for sources that configure their own.</summary>
/// <remarks>
/// The lent context leaves out whatever database they name, so the calls need to compile and to do nothing: no other
/// provider has to be installed, and no connection string of the user is ever used.
/// </remarks>
internal static class Providers
{
    private static readonly string[] Calls =
        ["UseSqlServer", "UseAzureSql", "UseAzureSynapse", "UseNpgsql", "UseMySQL", "UseOracle", "UseFirebird", "UseInMemoryDatabase"];

    public static bool IsNamedIn(SyntaxTree tree)
        => tree.GetText().ToString() is var text && Calls.Any(call => text.Contains(call, StringComparison.Ordinal));

    public static SyntaxTree Stand() => SourceText.Parse(
        $$"""
        #nullable enable
        namespace Microsoft.EntityFrameworkCore;

        internal static class StandInProviders
        {
        {{string.Concat(Calls.Select(Overloads))}}
        }
        """,
        "Providers.g.cs");

    private static string Overloads(string call) => string.Concat(
        from builder in new[] { ("", "DbContextOptionsBuilder"), ("<T>", "DbContextOptionsBuilder<T>") }
        from connection in new[] { "string?", "global::System.Data.Common.DbConnection" }
        select $"""
                public static {builder.Item2} {call}{builder.Item1}(
                    this {builder.Item2} builder, {connection} connection{(connection == "string?" ? " = null" : "")}, global::System.Action<dynamic>? options = null)
                    {(builder.Item1 == "" ? "" : "where T : DbContext")} => builder;

            """);
}

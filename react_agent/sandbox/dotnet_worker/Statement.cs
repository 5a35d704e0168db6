using System.Text.RegularExpressions;

namespace Uom.Worker;

/// <summary>What a SQL statement does, by its first word.</summary>
internal static partial class Statement
{
    public static bool Writes(string sql) => Command().IsMatch(sql);

    [GeneratedRegex(
        @"^\s*(INSERT|UPDATE|DELETE|REPLACE|MERGE|CREATE|ALTER|DROP)\b",
        RegexOptions.IgnoreCase | RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Command();
}

using System.Globalization;
using Microsoft.Data.Sqlite;

namespace Uom.Worker;

/// <summary>Functions of other databases that column defaults are made of (<c>HasDefaultValueSql("GETUTCDATE()")</c>).</summary>
internal static class Defaults
{
    private static readonly string[] Times = ["getdate", "getutcdate", "sysdatetime", "sysutcdatetime", "now"];
    private static readonly string[] Keys = ["newid", "newsequentialid", "gen_random_uuid", "uuid_generate_v4"];

    public static void Register(SqliteConnection connection)
    {
        foreach (var name in Times)
        {
            connection.CreateFunction(name, () => DateTime.UtcNow.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture));
        }

        foreach (var name in Keys)
        {
            connection.CreateFunction(name, () => Guid.NewGuid().ToString("D").ToUpperInvariant());
        }
    }
}

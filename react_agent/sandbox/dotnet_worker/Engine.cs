using System.Globalization;
using System.Reflection;
using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Uom.Worker;

/// <summary>The facts about this runtime that can change a result.</summary>
internal static class Engine
{
    public static JsonObject Facts()
    {
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        return new JsonObject
        {
            ["name"] = "Microsoft.EntityFrameworkCore.Sqlite",
            ["ef"] = Version(typeof(DbContext).Assembly),
            ["sqlite"] = connection.ServerVersion,
            ["dotnet"] = Environment.Version.ToString(),
            ["culture"] = CultureInfo.CurrentCulture.Name is { Length: > 0 } name ? name : "invariant",
            ["icu"] = HasIcu(),
        };
    }

    private static string Version(Assembly assembly)
        => assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    /// <summary>Whether strings compare by ICU; without it the runtime only knows ordinal order.</summary>
    private static bool HasIcu()
    {
        var sort = CultureInfo.InvariantCulture.CompareInfo.Version;
        var id = sort.SortId.ToByteArray();
        var version = (id[3] << 24) | (id[2] << 16) | (id[1] << 8) | id[0];
        return version != 0 && version == sort.FullVersion;
    }
}

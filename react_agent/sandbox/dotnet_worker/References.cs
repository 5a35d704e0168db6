using Microsoft.CodeAnalysis;

namespace Uom.Worker;

/// <summary>What user code compiles against: the runtime, EF Core, and this worker for the lent contexts.</summary>
internal static class References
{
    private static readonly Lazy<MetadataReference[]> Loaded = new(() =>
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Where(path => path.EndsWith(".dll", StringComparison.Ordinal)
                && !Path.GetFileName(path).StartsWith("Microsoft.CodeAnalysis", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path))]);

    public static MetadataReference[] All => Loaded.Value;
}


/// <summary>The context as it is, on our database: whatever database it names itself is left out, its other settings stay.</summary>
internal sealed class UomContext : {{context}}
{
    [System.Diagnostics.CodeAnalysis.SetsRequiredMembers]
    public UomContext()
        : base({{arguments}})
    {
    }

    protected override void OnConfiguring(DbContextOptionsBuilder builder)
    {
        var own = new DbContextOptionsBuilder(builder.Options);
        if (!own.IsConfigured)
        {
            own.UseSqlite(UomDatabase.Connection);
        }

        base.OnConfiguring(own);
        foreach (var extension in own.Options.Extensions.Where(extension => !extension.Info.IsDatabaseProvider))
        {
            ((IDbContextOptionsBuilderInfrastructure)builder).AddOrUpdateExtension(extension);
        }

        var asked = own.Options.Extensions.OfType<RelationalOptionsExtension>().Select(extension => extension.QuerySplittingBehavior).LastOrDefault(asked => asked is not null);
        builder.UseSqlite(UomDatabase.Connection, sqlite => sqlite.UseQuerySplittingBehavior(asked ?? QuerySplittingBehavior.SingleQuery));
    }
}

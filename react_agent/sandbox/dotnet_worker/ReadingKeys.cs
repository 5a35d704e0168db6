using System.Linq.Expressions;
using Microsoft.EntityFrameworkCore.Query;

namespace Uom.Worker;

/// <summary>EF's own keys of the query cache; asked for at every query, and so the place to hear each one.</summary>
internal sealed class ReadingKeys(
    CompiledQueryCacheKeyGeneratorDependencies dependencies,
    RelationalCompiledQueryCacheKeyGeneratorDependencies relationalDependencies)
    : RelationalCompiledQueryCacheKeyGenerator(dependencies, relationalDependencies)
{
    public override object GenerateCacheKey(Expression query, bool async)
    {
        var key = base.GenerateCacheKey(query, async);
        Session.Recorder.Read(query, key);
        return key;
    }
}

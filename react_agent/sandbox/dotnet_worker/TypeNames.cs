using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>A name for each entity, owned and complex type: its class's short name where only one type has that.</summary>
internal sealed class TypeNames
{
    private readonly Dictionary<ITypeBase, string> _names = [];

    public TypeNames(IModel model)
    {
        All = [.. model.GetEntityTypes().SelectMany(WithParts)];
        var classes = All.GroupBy(Short).ToDictionary(group => group.Key, group => group.Count());
        foreach (var type in All)
        {
            _names[type] = classes[Short(type)] == 1 ? Short(type) : Qualified(type);
        }
    }

    public IReadOnlyList<ITypeBase> All { get; }

    public string Of(ITypeBase type) => _names[type];

    /// <summary>The class's short name; a join entity that has no class goes by its own.</summary>
    public static string Short(ITypeBase type)
        => type.IsPropertyBag || type.HasSharedClrType && type is IEntityType entity && !entity.IsOwned()
            ? type.ShortName()
            : Cells.ShortName(type.ClrType);

    private static IEnumerable<ITypeBase> WithParts(ITypeBase type)
        => type.GetDeclaredComplexProperties().SelectMany(part => WithParts(part.ComplexType)).Prepend(type);

    private static string Qualified(ITypeBase type) => type switch
    {
        IComplexType part => $"{Short(part.ComplexProperty.DeclaringType)}.{part.ComplexProperty.Name}#{Short(part)}",
        IEntityType entity when entity.FindOwnership() is { PrincipalToDependent: { } navigation } =>
            $"{Outer(navigation.DeclaringEntityType)}.{navigation.Name}#{Short(type)}",
        _ => type.Name,
    };

    private static string Outer(IEntityType owner) => owner.IsOwned() ? Qualified(owner) : Short(owner);
}

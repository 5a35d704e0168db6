using System.Runtime.CompilerServices;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>Foreign keys and navigations.</summary>
internal static class Relations
{
    public static JsonObject Of(IForeignKey key, TypeNames names) => new()
    {
        ["properties"] = key.Properties.Select(property => property.Name).Array(),
        ["principal"] = names.Of(key.PrincipalEntityType),
        ["principal_key"] = key.PrincipalKey.Properties.Select(property => property.Name).Array(),
        ["required"] = key.IsRequired,
        ["unique"] = key.IsUnique,
        ["ownership"] = key.IsOwnership,
        ["delete_behavior"] = key.DeleteBehavior switch
        {
            DeleteBehavior.Cascade => "cascade",
            DeleteBehavior.ClientSetNull => "client_set_null",
            DeleteBehavior.SetNull => "set_null",
            DeleteBehavior.Restrict => "restrict",
            DeleteBehavior.NoAction => "no_action",
            DeleteBehavior.ClientCascade => "client_cascade",
            _ => "client_no_action",
        },
    };

    public static JsonObject Of(INavigationBase navigation, TypeNames names)
    {
        var isOnDependent = navigation is INavigation { IsOnDependent: true };
        var key = navigation switch
        {
            INavigation plain => plain.ForeignKey,
            ISkipNavigation skip => skip.ForeignKey,
            _ => null,
        };
        return new JsonObject
        {
            ["name"] = navigation.Name,
            ["target"] = names.Of(navigation.TargetEntityType),
            ["collection"] = navigation.IsCollection,
            ["on_dependent"] = isOnDependent,
            ["foreign_key"] = (key?.Properties.Select(property => property.Name) ?? []).Array(),
            ["required"] = !navigation.IsCollection && navigation is INavigation && (isOnDependent ? key!.IsRequired : key!.IsRequiredDependent),
            ["inverse"] = navigation.Inverse is { } inverse && !inverse.IsShadowProperty() ? inverse.Name : null,
            ["many_to_many"] = navigation is ISkipNavigation { JoinEntityType: { } join } ? names.Of(join) : null,
            ["backing_field"] = BackingField(navigation),
        };
    }

    /// <summary>A complex part is reached by its name like a navigation, but no key leads to it.</summary>
    public static JsonObject Of(IComplexProperty part, TypeNames names) => new()
    {
        ["name"] = part.Name,
        ["target"] = names.Of(part.ComplexType),
        ["collection"] = part.IsCollection,
        ["on_dependent"] = false,
        ["foreign_key"] = new JsonArray(),
        ["required"] = !part.IsCollection && !part.IsNullable,
        ["inverse"] = null,
        ["many_to_many"] = null,
        ["backing_field"] = BackingField(part),
    };

    /// <summary>The field that EF reads in place of the property; an automatic property's own does not count.</summary>
    public static string? BackingField(IPropertyBase member)
        => member.FieldInfo is { } field
            && !field.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false)
            && member.GetPropertyAccessMode() is not (PropertyAccessMode.Property or PropertyAccessMode.PreferProperty)
            && field.Name != member.Name
                ? field.Name
                : null;
}

using System.Collections;
using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore.Metadata;

namespace Uom.Worker;

/// <summary>.NET types the way C# writes them: keyword or short name, nullability, a sequence's element.</summary>
internal static class ClrTypes
{
    public static JsonObject Of(IProperty property)
        => Of(property.ClrType, property.IsNullable, property.GetElementType()?.IsNullable ?? false);

    public static IEnumerable<Type> Enums(Type type)
    {
        var plain = Nullable.GetUnderlyingType(type) ?? type;
        return plain.IsEnum ? [plain] : ElementOf(plain) is { } element ? Enums(element) : [];
    }

    private static JsonObject Of(Type type, bool isNullable, bool elementIsNullable = false)
    {
        var plain = Nullable.GetUnderlyingType(type) ?? type;
        var element = ElementOf(plain);
        return new JsonObject
        {
            ["name"] = plain == typeof(byte[]) ? "byte[]" : plain.IsArray ? "Array" : Cells.NameOf(plain),
            ["nullable"] = isNullable,
            ["element"] = element is null ? null : Of(element, elementIsNullable || Nullable.GetUnderlyingType(element) is not null),
        };
    }

    private static Type? ElementOf(Type type)
        => type == typeof(string) || type == typeof(byte[]) || typeof(IDictionary).IsAssignableFrom(type) ? null
            : type.IsArray ? type.GetElementType()
            : type is { IsGenericType: true } && typeof(IEnumerable).IsAssignableFrom(type) && type.GetGenericArguments() is [var only] ? only
            : null;
}

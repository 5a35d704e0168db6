using System.Text.Json.Nodes;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.Storage.ValueConversion;

namespace Uom.Worker;

/// <summary>One mapped scalar.</summary>
internal sealed class PropertyDescription(IProperty property, StoreObjectIdentifier? table, bool isJson)
{
    /// <summary>Converters of EF Core that only change the type, as <c>HasConversion&lt;T&gt;()</c> does.</summary>
    private static readonly HashSet<Type> TypeChanges =
    [
        typeof(EnumToStringConverter<>), typeof(EnumToNumberConverter<,>), typeof(CastingConverter<,>), typeof(GuidToStringConverter),
        typeof(NumberToStringConverter<>), typeof(UriToStringConverter), typeof(CharToStringConverter),
    ];

    public JsonObject ToJson() => new()
    {
        ["name"] = property.Name,
        ["type"] = ClrTypes.Of(property),
        ["column"] = Column(),
        ["provider_type"] = ProviderType() is { } provider ? ProviderName(provider) : null,
        ["converter"] = Converter(),
        ["shadow"] = property.IsShadowProperty(),
        ["backing_field"] = Relations.BackingField(property),
        ["max_length"] = property.GetMaxLength(),
        ["precision"] = property.GetPrecision(),
        ["scale"] = property.GetScale(),
        ["concurrency_token"] = property.IsConcurrencyToken,
        ["value_generated"] = property.ValueGenerated switch
        {
            ValueGenerated.Never => "never",
            ValueGenerated.OnAdd => "on_add",
            ValueGenerated.OnAddOrUpdate => "on_add_or_update",
            _ => "on_update",
        },
        ["default"] = property.GetDefaultValueSql()
            ?? (property.TryGetDefaultValue(out var value) && value is not null ? Cells.OfScalar(value)?["v"]?.ToString() : null),
    };

    private static string ProviderName(Type type)
        => type == typeof(byte[]) ? "byte[]" : Cells.NameOf(Nullable.GetUnderlyingType(type) ?? type);

    private string Column()
        => (isJson ? property.GetJsonPropertyName() : table is { } store ? property.GetColumnName(store) : null)
            ?? property.GetColumnName()
            ?? property.Name;

    /// <summary>The stored type that the user asked for; that an enum is stored as its number goes without saying.</summary>
    private Type? ProviderType() => property.GetValueConverter()?.ProviderClrType ?? property.GetProviderClrType();

    private string? Converter()
    {
        if (property.GetValueConverter()?.GetType() is not { } type)
        {
            return null;
        }

        return TypeChanges.Contains(type.IsGenericType ? type.GetGenericTypeDefinition() : type) ? null : Cells.ShortName(type);
    }
}

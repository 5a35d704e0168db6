"""Builders: calls on `PropertyBuilder<T>`."""

import re
from collections.abc import Callable

from react_agent.csharp import syntax as cs
from react_agent.csharp.builders import NO_CONSTANT, UNKNOWN, Builder, Call, PropertyBuilder
from react_agent.csharp.drafts import EntityDraft, PropertyDraft
from react_agent.csharp.types import KEYWORDS, SCALARS
from react_agent.model.mapping import ValueGenerated

_GENERATED = {
    "ValueGeneratedNever": ValueGenerated.NEVER,
    "ValueGeneratedOnAdd": ValueGenerated.ON_ADD,
    "ValueGeneratedOnUpdate": ValueGenerated.ON_UPDATE,
    "ValueGeneratedOnAddOrUpdate": ValueGenerated.ON_ADD_OR_UPDATE,
    "UseIdentityColumn": ValueGenerated.ON_ADD,
    "UseIdentityByDefaultColumn": ValueGenerated.ON_ADD,
    "UseIdentityAlwaysColumn": ValueGenerated.ON_ADD,
}
_HARMLESS = frozenset({"HasComment", "HasColumnOrder", "IsUnicode", "HasAnnotation", "UsePropertyAccessMode"})
_REFUSED = {
    "HasComputedColumnSql": ("a column computed by the database is not carried over", "S39"),
    "UseHiLo": ("sequences are not carried over", "S41"),
    "UseSequence": ("sequences are not carried over", "S41"),
    "UseCollation": ("a collation of a column is not carried over", "S46"),
    "IsFixedLength": ("a column of fixed length pads its values", "S46"),
    "HasValueGenerator": ("a value generator is code of its own", ""),
    "IsSparse": ("sparse columns are not read", ""),
    "HasJsonPropertyName": ("JSON members under other names are not read", "S17"),
}
_PLAIN_COLUMN = re.compile(
    r"(?:n?(?:var)?char|character varying|n?text|decimal|numeric|int(?:eger)?|bigint|smallint|tinyint|bit|bool(?:ean)?|"
    r"datetime2|timestamp.*|datetimeoffset|uniqueidentifier|uuid|real|double.*|float|blob|(?:var)?binary|bytea)"
    r"(?:\s*\(\s*(?:\w+)\s*(?:,\s*\d+\s*)?\))?",
    re.IGNORECASE,
)


def on_property(entity: EntityDraft, prop: PropertyDraft, call: Call) -> Builder:
    """Carry out one call on a property's builder."""
    if call.name in _GENERATED:
        prop.generated = _GENERATED[call.name]
    elif call.name in _REFUSED:
        reason, hazard = _REFUSED[call.name]
        return call.refuse(reason, hazard)
    elif call.name not in _HARMLESS:
        problem = _facet(prop, call)
        if problem:
            hazard = "S25" if call.name == "HasConversion" else ""
            return call.refuse(problem, hazard)
    return PropertyBuilder(entity, prop)


def _facet(prop: PropertyDraft, call: Call) -> str:
    """Set what the call says; answers the reason where it cannot be read."""
    facet = _FACETS.get(call.name)
    return UNKNOWN if facet is None else facet(prop, call)


def _row_version(prop: PropertyDraft, _call: Call) -> str:
    prop.concurrency, prop.generated = True, ValueGenerated.ON_ADD_OR_UPDATE
    return ""


def _max_length(prop: PropertyDraft, call: Call) -> str:
    prop.max_length = call.number(0)
    return "" if prop.max_length is not None else NO_CONSTANT


def _precision(prop: PropertyDraft, call: Call) -> str:
    prop.precision, prop.scale = call.number(0), call.number(1)
    return "" if prop.precision is not None else NO_CONSTANT


def _flag(prop: PropertyDraft, call: Call) -> str:
    flag = call.flag()
    if flag is None:
        return NO_CONSTANT
    if call.name == "IsRequired":
        prop.required = flag
    else:
        prop.concurrency = flag
    return ""


def _name(prop: PropertyDraft, call: Call) -> str:
    text = call.text(0)
    if text is None:
        return NO_CONSTANT
    if call.name == "HasField":
        prop.backing_field = text
    else:
        prop.column = text
    return ""


def _column_type(_prop: PropertyDraft, call: Call) -> str:
    text = call.text(0)
    if text is None:
        return NO_CONSTANT
    return odd_column(text)


def odd_column(text: str) -> str:
    """Say why a column's own type matters; empty where the store keeps the value as it is."""
    plain = _PLAIN_COLUMN.fullmatch(text.strip()) is not None
    return "" if plain else f"a column of type `{text}` may change what is stored"


def _conversion(prop: PropertyDraft, call: Call) -> str:
    target = call.type_name()
    made = call.argument(0)
    if target is None and isinstance(made, cs.Creation) and made.type is not None:
        target = made.type.name
    if target is None:
        return "a converter written as code is not read"
    target = KEYWORDS.get(target, target)
    if target == "EnumToStringConverter":
        target = "string"
    if target not in SCALARS:
        return f"the converter `{target}` is code of its own"
    prop.provider_type = target
    return ""


def _default(prop: PropertyDraft, call: Call) -> str:
    given = call.argument(0)
    if given is None or isinstance(given, cs.Lambda):
        return NO_CONSTANT
    text = call.text(0)
    if text is None and isinstance(given, cs.Literal):
        text = given.text
    if text is None and isinstance(given, cs.Access | cs.Prefix):
        number = call.number(0)
        text = str(number) if number is not None else given.name if isinstance(given, cs.Access) else None
    if text is None:
        return NO_CONSTANT
    prop.default = text
    prop.generated = prop.generated or ValueGenerated.ON_ADD
    return ""


_FACETS: dict[str, Callable[[PropertyDraft, Call], str]] = {
    "IsRequired": _flag,
    "IsConcurrencyToken": _flag,
    "IsRowVersion": _row_version,
    "HasMaxLength": _max_length,
    "HasPrecision": _precision,
    "HasColumnName": _name,
    "HasField": _name,
    "HasColumnType": _column_type,
    "HasConversion": _conversion,
    "HasDefaultValue": _default,
    "HasDefaultValueSql": _default,
}

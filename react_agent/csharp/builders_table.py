"""Builders: calls on what `Navigation`, `HasIndex`, `ToTable` and `HasDiscriminator` give."""

from react_agent.csharp import syntax as cs
from react_agent.csharp.arguments import positional, text_of
from react_agent.csharp.builders import (
    NO_CONSTANT,
    UNKNOWN,
    Builder,
    Call,
    DiscriminatorBuilder,
    IndexBuilder,
    KeyBuilder,
    NavigationBuilder,
    TableBuilder,
)
from react_agent.csharp.drafts import EntityDraft, IndexDraft
from react_agent.model.mapping import CheckConstraint


def on_navigation(entity: EntityDraft, name: str, call: Call) -> Builder:
    """Carry out one call on a navigation's builder."""
    match call.name:
        case "IsRequired":
            required = call.flag()
            if required is None:
                return call.refuse(NO_CONSTANT)
            entity.required_navigations[name] = required
        case "HasField":
            entity.navigation_fields[name] = call.text(0)
        case "UsePropertyAccessMode":
            entity.navigation_fields.setdefault(name, None)
        case "HasAnnotation" | "EnableLazyLoading":
            pass
        case "AutoInclude":
            return call.refuse("a navigation that is always loaded is not carried over", "Q17")
        case _:
            return call.refuse(UNKNOWN)
    return NavigationBuilder(entity, name)


def on_index(index: IndexDraft, call: Call) -> Builder:
    """Carry out one call on an index's builder."""
    match call.name:
        case "IsUnique":
            unique = call.flag()
            if unique is None:
                return call.refuse(NO_CONSTANT, "S43")
            index.unique = unique
        case "HasFilter":
            index.filter = call.text(0)
            if index.filter is None:
                return call.refuse(NO_CONSTANT, "S45")
        case "HasName" | "HasDatabaseName" | "IsDescending" | "IncludeProperties" | "HasAnnotation" | "IsClustered":
            pass
        case _:
            return call.refuse(UNKNOWN, "S43")
    return IndexBuilder(index)


def on_table(entity: EntityDraft, call: Call) -> Builder:
    """Carry out one call on a table's builder."""
    match call.name:
        case "HasCheckConstraint":
            name, sql = call.text(0), call.text(1)
            if name is None or sql is None:
                return call.refuse(NO_CONSTANT, "S42")
            entity.checks.append(CheckConstraint(name=name, sql=sql))
            return KeyBuilder()
        case "HasComment" | "HasAnnotation" | "ExcludeFromMigrations" | "HasTrigger" | "UseSqlOutputClause":
            return TableBuilder(entity)
        case "IsTemporal":
            return call.refuse("temporal tables are not carried over", "S51")
    return call.refuse(UNKNOWN)


def on_discriminator(entity: EntityDraft, call: Call) -> Builder:
    """Carry out one call on a discriminator's builder."""
    if call.name == "IsComplete":
        return DiscriminatorBuilder(entity)
    if call.name != "HasValue":
        return call.refuse(UNKNOWN, "S19")
    value = positional(call.node.arguments, len(call.node.arguments) - 1)
    text = value.text if isinstance(value, cs.Literal) else text_of(value, call.declarations)
    if text is None:
        return call.refuse(NO_CONSTANT, "S19")
    target = call.draft.entity(call.types[0].name) if call.types else entity
    target.discriminator_value = text
    return DiscriminatorBuilder(entity)

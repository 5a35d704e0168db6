"""Builders: what configuration code holds in its hands, and one call on it."""

from collections.abc import Callable
from dataclasses import dataclass

from react_agent.csharp import syntax as cs
from react_agent.csharp.arguments import flag_of, member_list, members_of, number_of, positional, text_of
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.drafts import EntityDraft, IndexDraft, ModelDraft, PropertyDraft, RelationDraft


@dataclass(frozen=True, slots=True)
class ModelBuilder:
    """`ModelBuilder`."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing to go on with: a helper's `void`, or what stands behind a gap."""


@dataclass(frozen=True, slots=True)
class EntityBuilder:
    """`EntityTypeBuilder<T>`, `OwnedNavigationBuilder` or `ComplexPropertyBuilder`."""

    entity: EntityDraft


@dataclass(frozen=True, slots=True)
class PropertyBuilder:
    """`PropertyBuilder<T>`."""

    entity: EntityDraft
    property: PropertyDraft


@dataclass(frozen=True, slots=True)
class NavigationBuilder:
    """`NavigationBuilder`."""

    entity: EntityDraft
    name: str


@dataclass(frozen=True, slots=True)
class RelationBuilder:
    """What `HasOne`, `HasMany`, `WithOne`, `WithMany` and `UsingEntity` return."""

    relation: RelationDraft


@dataclass(frozen=True, slots=True)
class IndexBuilder:
    """`IndexBuilder`."""

    index: IndexDraft


@dataclass(frozen=True, slots=True)
class TableBuilder:
    """`TableBuilder`, inside `ToTable(…)`."""

    entity: EntityDraft


@dataclass(frozen=True, slots=True)
class KeyBuilder:
    """`KeyBuilder`."""


@dataclass(frozen=True, slots=True)
class DiscriminatorBuilder:
    """`DiscriminatorBuilder<T>`."""

    entity: EntityDraft


Builder = (
    ModelBuilder
    | Silent
    | EntityBuilder
    | PropertyBuilder
    | NavigationBuilder
    | RelationBuilder
    | IndexBuilder
    | TableBuilder
    | KeyBuilder
    | DiscriminatorBuilder
)
Follow = Callable[[cs.Expression | None, Builder], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call on a builder, with what it takes to read its arguments."""

    node: cs.Invocation
    name: str
    types: tuple[cs.TypeRef, ...]
    draft: ModelDraft
    declarations: Declarations

    def argument(self, at: int, name: str = "") -> cs.Expression | None:
        """Look up an argument."""
        return positional(self.node.arguments, at, name)

    def text(self, at: int, name: str = "") -> str | None:
        """Read a constant text argument."""
        return text_of(self.argument(at, name), self.declarations)

    def number(self, at: int) -> int | None:
        """Read a constant integer argument."""
        return number_of(self.argument(at), self.declarations)

    def flag(self) -> bool | None:
        """Read a flag, true where it is left out."""
        return flag_of(self.argument(0))

    def members(self) -> tuple[str, ...] | None:
        """Read the members that the call names."""
        return member_list(self.node.arguments, self.declarations)

    def member(self, at: int = 0) -> str | None:
        """Read the one member that an argument names."""
        found = members_of(self.argument(at), self.declarations)
        return found[0] if found and len(found) == 1 else None

    def type_name(self, at: int = 0) -> str | None:
        """Read a type argument, or `typeof(T)` in its place."""
        if at < len(self.types):
            return self.types[at].name
        given = self.argument(at)
        return given.type.name if isinstance(given, cs.TypeOf) else None

    def refuse(self, reason: str, hazard: str = "") -> Silent:
        """Record this call as a gap."""
        self.draft.refuse(self.name, reason, self.node.span, hazard)
        return Silent()


UNKNOWN = "this call is not known"
NO_CONSTANT = "an argument of this call is not a constant"

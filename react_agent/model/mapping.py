"""MappingModel: what EF Core knows of a data layer, read from C# text or printed by EF Core itself.

Names are those of `DbContext.Model` (`IEntityType`, `IProperty`, `IForeignKey`, `INavigation`). The .NET worker's
`describe` writes this shape as JSON; `MappingModel.from_json` reads it. See https://learn.microsoft.com/ef/core/modeling/.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from react_agent.model.gap import Span


class BadMapping(ValueError):
    """JSON is not a mapping model; the message names the first member that does not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClrType:
    """A C# type as written: `int`, `string`, `DateTime`, an enum's or class's short name.

    `name` is the C# keyword where there is one (`int`, never `Int32`). `nullable` is true for `int?` and for a
    reference type that may be null. A sequence (`List<T>`, `IReadOnlyList<T>`, `T[]`, `IQueryable<T>`) has the
    sequence's name and `element`. `Task<T>` is never kept: see `QueryMethod.is_async`.
    """

    name: str
    nullable: bool = False
    element: "ClrType | None" = None

    def __str__(self) -> str:
        inner = f"{self.name}<{self.element}>" if self.element else self.name
        return inner + ("?" if self.nullable else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumMember:
    """One member of an enum, with its declared value."""

    name: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumType:
    """A C# enum; `underlying` is its integer type, `flags` whether it carries `[Flags]`."""

    name: str
    members: tuple[EnumMember, ...]
    underlying: str = "int"
    flags: bool = False


class ValueGenerated(StrEnum):
    """When the database makes a property's value."""

    NEVER = "never"
    ON_ADD = "on_add"
    ON_UPDATE = "on_update"
    ON_ADD_OR_UPDATE = "on_add_or_update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A mapped scalar.

    `type` is the model's type; `provider_type` the type behind a value converter (`string` for
    `HasConversion<string>()` on an enum), None without one; `converter` names a converter that is more than a change
    of type. `shadow` properties have no member in the class. `backing_field` is set where EF reads the field.
    """

    name: str
    type: ClrType
    column: str
    provider_type: str | None = None
    converter: str | None = None
    shadow: bool = False
    backing_field: str | None = None
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    concurrency_token: bool = False
    value_generated: ValueGenerated = ValueGenerated.NEVER
    default: str | None = None
    span: Span | None = None

    @property
    def nullable(self) -> bool:
        """Whether the column takes null."""
        return self.type.nullable


class DeleteBehavior(StrEnum):
    """What deleting a principal does to its dependents."""

    CASCADE = "cascade"
    CLIENT_SET_NULL = "client_set_null"
    SET_NULL = "set_null"
    RESTRICT = "restrict"
    NO_ACTION = "no_action"
    CLIENT_CASCADE = "client_cascade"
    CLIENT_NO_ACTION = "client_no_action"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A relation, held by the dependent: `properties` there point to `principal_key` of `principal`.

    `required` is whether a dependent needs a principal; `unique` makes it one-to-one; `ownership` marks an owned type.
    """

    properties: tuple[str, ...]
    principal: str
    principal_key: tuple[str, ...]
    required: bool
    unique: bool = False
    ownership: bool = False
    delete_behavior: DeleteBehavior = DeleteBehavior.CASCADE


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigation:
    """A navigation property of `EntityType.name` to `target`.

    `collection` tells `ICollection<T>` from a reference. `on_dependent` is true where the foreign key is in the
    declaring type. `foreign_key` are the key's properties on the dependent. `inverse` is the navigation back, if any.
    `many_to_many` names the join entity of a skip navigation, None otherwise.
    """

    name: str
    target: str
    collection: bool
    on_dependent: bool
    foreign_key: tuple[str, ...]
    required: bool = False
    inverse: str | None = None
    many_to_many: str | None = None
    backing_field: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index over properties, in order; `filter` is its SQL filter as written."""

    properties: tuple[str, ...]
    unique: bool = False
    filter: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckConstraint:
    """A check constraint with its SQL as written."""

    name: str
    sql: str


class Inheritance(StrEnum):
    """How a hierarchy is stored."""

    TPH = "tph"
    TPT = "tpt"
    TPC = "tpc"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityType:
    """An entity, owned or complex type.

    `name` is the class's short name and unique in the model (an owned type used twice is `Owner.Navigation#Type`);
    `clr_name` is the class's short name. `table` and `schema` are None for what shares the owner's row as JSON or has
    no table. `key` are the primary key's properties, empty for a keyless type. `db_set` is the `DbSet` property of the
    context. `owned_by` is the owner's `name`, with `owner_navigation` there. `unmapped_members` are the class's public
    getters that EF does not map.
    """

    name: str
    clr_name: str
    table: str | None
    key: tuple[str, ...]
    properties: tuple[Property, ...]
    navigations: tuple[Navigation, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    alternate_keys: tuple[tuple[str, ...], ...] = ()
    indexes: tuple[Index, ...] = ()
    check_constraints: tuple[CheckConstraint, ...] = ()
    namespace: str = ""
    schema: str | None = None
    db_set: str | None = None
    owned_by: str | None = None
    owner_navigation: str | None = None
    complex: bool = False
    json_column: str | None = None
    query_filter: str | None = None
    base: str | None = None
    abstract: bool = False
    inheritance: Inheritance | None = None
    discriminator: str | None = None
    discriminator_value: str | None = None
    unmapped_members: tuple[str, ...] = ()
    span: Span | None = None

    def find_property(self, name: str) -> Property | None:
        """Look up a mapped scalar by its C# name."""
        return next((p for p in self.properties if p.name == name), None)

    def find_navigation(self, name: str) -> Navigation | None:
        """Look up a navigation by its C# name."""
        return next((n for n in self.navigations if n.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingModel:
    """A whole context: its entity types in name order and the enums they use.

    `origin` says who filled it: `text` (read from C#) or `ef` (printed by EF Core, which wins).
    """

    context: str
    namespace: str
    entities: tuple[EntityType, ...]
    enums: tuple[EnumType, ...] = ()
    origin: str = "text"

    def find(self, name: str) -> EntityType | None:
        """Look up an entity type by its name, or by its class's name where that is unique."""
        exact = next((e for e in self.entities if e.name == name), None)
        if exact is not None:
            return exact
        named = [e for e in self.entities if e.clr_name == name]
        return named[0] if len(named) == 1 else None

    def find_enum(self, name: str) -> EnumType | None:
        """Look up an enum by its short name."""
        return next((e for e in self.enums if e.name == name), None)

    def tables(self) -> Iterator[str]:
        """Yield each table once, in entity order."""
        yield from dict.fromkeys(e.table for e in self.entities if e.table is not None)

    def to_json(self) -> dict[str, Any]:
        """Write the model as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "MappingModel":
        """Read a model from plain JSON data.

        Raises:
            BadMapping: a member is missing or of another type.
        """
        try:
            return _ADAPTER.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BadMapping(f"mapping model: {where}: {first['msg']}") from None


_ADAPTER = TypeAdapter(MappingModel)

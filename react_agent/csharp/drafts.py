"""Drafts: what configuration says of a model while it is being read. Plain, mutable, and private to this package."""

from dataclasses import dataclass, field

from react_agent.model.gap import Gap, Span
from react_agent.model.mapping import CheckConstraint, ClrType, DeleteBehavior, Index, ValueGenerated


@dataclass(slots=True, kw_only=True)
class PropertyDraft:
    """What was said of one property; None is nothing. `type` is set where configuration declares a shadow property."""

    name: str
    span: Span | None = None
    type: ClrType | None = None
    column: str | None = None
    provider_type: str | None = None
    converter: str | None = None
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    required: bool | None = None
    concurrency: bool = False
    generated: ValueGenerated | None = None
    default: str | None = None
    backing_field: str | None = None
    explicit: bool = False


@dataclass(slots=True, kw_only=True)
class RelationDraft:
    """A relation as configured: `left.HasMany(left_nav).WithOne(right_nav)` and its kin.

    `left_many` tells that `left_nav` is a collection, `right_many` that `right_nav` is; None before `With…`.
    """

    left: str
    left_nav: str | None
    left_many: bool
    right: str
    right_nav: str | None = None
    right_many: bool | None = None
    foreign_key: tuple[str, ...] | None = None
    principal_key: tuple[str, ...] | None = None
    dependent: str | None = None
    required: bool | None = None
    delete: DeleteBehavior | None = None
    join: str | None = None
    span: Span


@dataclass(slots=True, kw_only=True)
class IndexDraft:
    """An index as configured."""

    properties: tuple[str, ...]
    unique: bool = False
    filter: str | None = None
    name: str | None = None

    def index(self) -> Index:
        """Finish it."""
        return Index(properties=self.properties, unique=self.unique, filter=self.filter, name=self.name)


@dataclass(slots=True, kw_only=True)
class EntityDraft:
    """An entity, owned or complex type as configured."""

    name: str
    clr_name: str
    span: Span | None = None
    table: str | None = None
    schema: str | None = None
    no_table: bool = False
    key: tuple[str, ...] | None = None
    keyless: bool = False
    alternate_keys: list[tuple[str, ...]] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)
    properties: dict[str, PropertyDraft] = field(default_factory=dict)
    required_navigations: dict[str, bool] = field(default_factory=dict)
    navigation_fields: dict[str, str | None] = field(default_factory=dict)
    owned: dict[str, str] = field(default_factory=dict)
    indexes: list[IndexDraft] = field(default_factory=list)
    checks: list[CheckConstraint] = field(default_factory=list)
    query_filter: str | None = None
    owner: str | None = None
    owner_navigation: str | None = None
    owned_many: bool = False
    complex: bool = False
    json_column: str | None = None
    is_json: bool = False
    discriminator: PropertyDraft | None = None
    discriminator_value: str | None = None

    def property(self, name: str, span: Span | None = None) -> PropertyDraft:
        """Look up what was said of a property, or begin to say something."""
        return self.properties.setdefault(name, PropertyDraft(name=name, span=span))


@dataclass(slots=True, kw_only=True)
class ModelDraft:
    """A whole context as configured."""

    context: str
    schema: str | None = None
    entities: dict[str, EntityDraft] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    relations: list[RelationDraft] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def entity(self, clr_name: str, span: Span | None = None) -> EntityDraft:
        """Look up an entity type by its class, or add it."""
        return self.entities.setdefault(clr_name, EntityDraft(name=clr_name, clr_name=clr_name, span=span))

    def owned(self, owner: EntityDraft, navigation: str, clr_name: str, *, many: bool, span: Span) -> EntityDraft:
        """Add the owned type behind a navigation."""
        name = f"{owner.name}.{navigation}#{clr_name}"
        if name not in self.entities:
            self.entities[name] = EntityDraft(
                name=name, clr_name=clr_name, owner=owner.name, owner_navigation=navigation, owned_many=many, span=span
            )
            owner.owned[navigation] = name
        return self.entities[name]

    def refuse(self, construct: str, reason: str, span: Span, hazard: str = "") -> None:
        """Record a gap of the mapping."""
        self.gaps.append(Gap(construct=construct, reason=reason, span=span, hazard=hazard))

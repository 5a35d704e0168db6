"""Tables: the rows a mapping allows. The relational view of MappingModel that instances are made and checked by."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from react_agent.model.mapping import ClrType, EntityType, EnumType, ForeignKey, Inheritance, MappingModel, Property
from react_agent.model.values import CellType

CLR_CELLS: Mapping[str, CellType] = {
    **{t.value: t for t in CellType if t.value not in {"enum", "null", "list", "json", "object", "date", "time"}},
    "DateTime": CellType.DATETIME,
    "DateTimeOffset": CellType.DATETIMEOFFSET,
    "DateOnly": CellType.DATE,
    "TimeOnly": CellType.TIME,
    "TimeSpan": CellType.TIMESPAN,
    "Guid": CellType.GUID,
    "Uri": CellType.URI,
    "byte[]": CellType.BYTES,
}
"""C# type name to cell type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: the type of its model-level value and what bounds it. `element` is set for a primitive collection."""

    name: str
    type: CellType
    nullable: bool
    clr: str
    enum: EnumType | None = None
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    element: "Column | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A foreign key: `columns` hold a `principal_columns` value of table `principal`, or null where optional."""

    columns: tuple[str, ...]
    principal: str
    principal_columns: tuple[str, ...]
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of row in a table: a concrete entity of a hierarchy, by its discriminator.

    `columns` may be filled, `required` must be; the table's other columns are null.
    """

    entity: str
    columns: frozenset[str]
    required: frozenset[str]
    discriminator: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An optional owned or complex part in its owner's row: all of `columns` null, or all of `required` filled.

    `within` are the columns of the enclosing optional part: where those are null, these are.
    """

    columns: tuple[str, ...]
    required: frozenset[str]
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """An owned part kept as a JSON document in `column`: its entity and whether it is an array."""

    column: str
    entity: str
    many: bool
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with everything its rows must respect. `uniques` include the key; a null counts as a value there."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    uniques: tuple[tuple[str, ...], ...]
    references: tuple[Reference, ...]
    checks: tuple[str, ...]
    kinds: tuple[Kind, ...]
    parts: tuple[Part, ...] = ()
    documents: tuple[JsonPart, ...] = ()

    def find(self, name: str) -> Column | None:
        """Look up a column."""
        return next((c for c in self.columns if c.name == name), None)


def tables_of(mapping: MappingModel) -> tuple[Table, ...]:
    """Derive the tables of a mapping, in entity order."""
    groups: dict[str, list[EntityType]] = defaultdict(list)
    for entity in mapping.entities:
        if entity.table is not None and entity.json_column is None and entity.key + entity.properties:
            groups[entity.table].append(entity)
    return tuple(_table(mapping, name, entities) for name, entities in groups.items())


def properties_of(mapping: MappingModel, entity: EntityType) -> tuple[Property, ...]:
    """All scalars of an entity, inherited ones first, each once."""
    found: dict[str, Property] = {}
    for one in reversed(lineage(mapping, entity)):
        found |= {p.name: p for p in one.properties}
    return tuple(found.values())


def lineage(mapping: MappingModel, entity: EntityType) -> tuple[EntityType, ...]:
    """The entity, then its bases up to the root."""
    chain = [entity]
    while chain[-1].base is not None and (base := mapping.find(chain[-1].base)) is not None and base not in chain:
        chain.append(base)
    return tuple(chain)


def column_of(mapping: MappingModel, entity: EntityType, name: str) -> str | None:
    """The column of a property, inherited or own."""
    return next((p.column for p in properties_of(mapping, entity) if p.name == name), None)


def home_table(mapping: MappingModel, entity: EntityType, property_name: str) -> str | None:
    """The table that holds a property: a base's own table under TPT, else the entity's."""
    for one in reversed(lineage(mapping, entity)):
        if one.table is not None and one.find_property(property_name) is not None:
            return one.table
    return entity.table


def cell_type(mapping: MappingModel, clr: ClrType, provider_type: str | None = None) -> CellType | None:
    """The cell type of a C# type's values; an unknown type behind a converter is known by what is stored."""
    if clr.name in CLR_CELLS:
        return CLR_CELLS[clr.name]
    if clr.element is not None:
        return CellType.BYTES if clr.element.name == "byte" and clr.name.endswith("[]") else CellType.LIST
    if mapping.find_enum(clr.name) is not None:
        return CellType.ENUM
    return CLR_CELLS.get(provider_type or "")


def column_from(mapping: MappingModel, p: Property, *, nullable: bool) -> Column:
    """Describe a property's column; what cannot be typed is text."""
    return _column(mapping, p, p.type, nullable=nullable)


def _column(mapping: MappingModel, p: Property, clr: ClrType, *, nullable: bool) -> Column:
    kind = cell_type(mapping, clr, p.provider_type) or CellType.STRING
    element = None
    if kind == CellType.LIST and clr.element is not None:
        element = _column(mapping, p, clr.element, nullable=clr.element.nullable)
    return Column(
        name=p.column,
        type=kind,
        nullable=nullable,
        clr=clr.name,
        enum=mapping.find_enum(clr.name),
        max_length=p.max_length,
        precision=p.precision,
        scale=p.scale,
        element=element,
    )


def _shares_row(mapping: MappingModel, entity: EntityType) -> bool:
    owner = mapping.find(entity.owned_by) if entity.owned_by else None
    return owner is not None and owner.table == entity.table and not _owner_navigation(owner, entity)[0]


def _owner_navigation(owner: EntityType, part: EntityType) -> tuple[bool, bool]:
    """Whether the part is a collection, and whether it is required."""
    navigation = owner.find_navigation(part.owner_navigation or "")
    if navigation is None:
        return False, part.complex
    return navigation.collection, navigation.required


def _table(mapping: MappingModel, name: str, entities: list[EntityType]) -> Table:
    roots = [e for e in entities if not _shares_row(mapping, e)]
    inside = [e for e in entities if _shares_row(mapping, e)]
    columns: dict[str, Column] = {}
    for entity in roots:
        for p in _own_properties(mapping, entity):
            columns.setdefault(p.column, column_from(mapping, p, nullable=p.nullable or _derived_in_table(entity)))
    parts, added = _parts(mapping, inside, columns)
    documents = tuple(_documents(mapping, roots + inside))
    for document in documents:
        added[document.column] = Column(
            name=document.column, type=CellType.JSON, nullable=document.nullable, clr=document.entity
        )
    kinds = _kinds(mapping, roots, frozenset(added), {c.name for c in added.values() if not c.nullable})
    for kind in kinds:
        if kind.discriminator is not None:
            bare = Column(name=kind.discriminator, type=CellType.STRING, nullable=False, clr="string")
            columns.setdefault(kind.discriminator, bare)
    key = next((tuple(c for k in e.key if (c := column_of(mapping, e, k))) for e in roots if e.key), ())
    return Table(
        name=name,
        columns=(*columns.values(), *added.values()),
        key=key,
        uniques=tuple(dict.fromkeys(u for u in (key, *_uniques(mapping, roots + inside)) if u)),
        references=tuple(dict.fromkeys(_references(mapping, name, roots + inside))),
        checks=tuple(dict.fromkeys(c.sql for e in entities for c in e.check_constraints)),
        kinds=kinds,
        parts=parts,
        documents=documents,
    )


def _derived_in_table(entity: EntityType) -> bool:
    return entity.base is not None and entity.inheritance not in {Inheritance.TPT, Inheritance.TPC}


def _own_properties(mapping: MappingModel, entity: EntityType) -> Iterator[Property]:
    """The properties stored in the entity's own table: under TPT the base keeps its own, the key is in both."""
    inherited = {p.name for base in lineage(mapping, entity)[1:] if base.table != entity.table for p in base.properties}
    for p in properties_of(mapping, entity):
        is_split = entity.inheritance != Inheritance.TPC and p.name in inherited
        if not is_split or p.name in (entity.key or lineage(mapping, entity)[-1].key):
            yield p


def _parts(
    mapping: MappingModel, inside: list[EntityType], owned: Mapping[str, Column]
) -> tuple[tuple[Part, ...], dict[str, Column]]:
    added: dict[str, Column] = {}
    optional: dict[str, Part] = {}
    for entity in sorted(inside, key=lambda e: _depth(mapping, e)):
        owner = mapping.find(entity.owned_by or "")
        required = owner is None or _owner_navigation(owner, entity)[1]
        outer = optional.get(entity.owned_by or "")
        mine = [p for p in entity.properties if p.column not in owned]
        for p in mine:
            is_nullable = p.nullable or not required or outer is not None
            added.setdefault(p.column, column_from(mapping, p, nullable=is_nullable))
        if not required or outer is not None:
            must = frozenset(p.column for p in mine if not p.nullable)
            optional[entity.name] = Part(
                columns=tuple(p.column for p in mine), required=must, within=outer.columns if outer else ()
            )
    return tuple(optional.values()), added


def _depth(mapping: MappingModel, entity: EntityType) -> int:
    depth, at = 0, entity
    while at.owned_by is not None and (owner := mapping.find(at.owned_by)) is not None and depth < 16:
        depth, at = depth + 1, owner
    return depth


def _uniques(mapping: MappingModel, entities: list[EntityType]) -> Iterator[tuple[str, ...]]:
    for entity in entities:
        sets = [
            *entity.alternate_keys,
            *(i.properties for i in entity.indexes if i.unique),
            *(f.properties for f in entity.foreign_keys if f.unique and not f.ownership),
        ]
        for names in sets:
            columns = [column_of(mapping, entity, name) for name in names]
            if all(columns):
                yield tuple(c for c in columns if c)


def _references(mapping: MappingModel, table: str, entities: list[EntityType]) -> Iterator[Reference]:
    for entity in entities:
        for base in lineage(mapping, entity)[1:2]:
            if entity.inheritance == Inheritance.TPT and base.table not in {None, table}:
                key = tuple(c for k in base.key or entity.key if (c := column_of(mapping, base, k)))
                yield Reference(columns=key, principal=base.table or "", principal_columns=key, required=True)
        for one in lineage(mapping, entity):
            for foreign in one.foreign_keys:
                if home_table(mapping, one, foreign.properties[0]) == table or one is entity:
                    yield from _reference(mapping, entity, foreign, table)


def _reference(mapping: MappingModel, entity: EntityType, foreign: ForeignKey, table: str) -> Iterator[Reference]:
    principal = mapping.find(foreign.principal)
    columns = tuple(c for n in foreign.properties if (c := column_of(mapping, entity, n)))
    if principal is None or len(columns) != len(foreign.properties):
        return
    target = home_table(mapping, principal, foreign.principal_key[0]) if foreign.principal_key else None
    there = tuple(c for n in foreign.principal_key if (c := column_of(mapping, principal, n)))
    if target is None or len(there) != len(columns) or (target == table and there == columns):
        return
    yield Reference(columns=columns, principal=target, principal_columns=there, required=foreign.required)


def _kinds(
    mapping: MappingModel, roots: list[EntityType], shared: frozenset[str], shared_required: set[str]
) -> tuple[Kind, ...]:
    kinds = []
    for entity in roots:
        if entity.abstract and len(roots) > 1:
            continue
        mine = list(_own_properties(mapping, entity))
        root = lineage(mapping, entity)[-1]
        name = entity.discriminator or root.discriminator
        column = (column_of(mapping, entity, name) or name) if name else None
        kinds.append(
            Kind(
                entity=entity.name,
                columns=frozenset(p.column for p in mine) | shared,
                required=frozenset(p.column for p in mine if not p.nullable) | shared_required,
                discriminator=column,
                value=entity.discriminator_value if column else None,
            )
        )
    if any(k.discriminator for k in kinds):
        return tuple(kinds)
    columns = frozenset().union(*(k.columns for k in kinds))
    required = frozenset().union(*(k.required for k in kinds))
    return (Kind(entity=kinds[0].entity, columns=columns, required=required),) if kinds else ()


def _documents(mapping: MappingModel, entities: list[EntityType]) -> Iterator[JsonPart]:
    names = {e.name for e in entities}
    for part in mapping.entities:
        if part.json_column is not None and part.owned_by in names:
            owner = mapping.find(part.owned_by)
            many, required = _owner_navigation(owner, part) if owner else (False, False)
            yield JsonPart(column=part.json_column, entity=part.name, many=many, nullable=not (required or many))

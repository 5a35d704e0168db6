"""Populate: fill the tables of one instance."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from react_agent.model.mapping import MappingModel
from react_agent.model.values import NULL, Cell, CellType, Row, scalar
from react_agent.proof.closure import Checks, closed, value_key
from react_agent.proof.domain import around, as_column, distinct, fits, fresh, plain
from react_agent.proof.extremes import Values
from react_agent.proof.pools import Pools
from react_agent.proof.tables import Column, JsonPart, Kind, Reference, Table, cell_type

TRIES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to fill an instance: rows a table (least, most), share of nulls, share of values from the queries' pools.

    `cover` shows each pool value at least once. `values` are shown in turn by the columns that have some. `hollow`
    fills some parts with only the empty values that they must have. `large` are tables with a number of their own.
    """

    rows: tuple[int, int]
    nulls: float
    boundary: float
    cover: bool = False
    values: Values | None = None
    hollow: bool = False
    large: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Filling:
    """The rows so far, with what is needed to add the next."""

    mapping: MappingModel
    tables: Mapping[str, Table]
    pools: Pools
    recipe: Recipe
    rng: Random
    rows: dict[str, list[dict[str, Cell]]]
    palettes: dict[tuple[str, str], tuple[Cell, ...]] = field(default_factory=dict)

    def palette(self, table: str, column: Column) -> tuple[Cell, ...]:
        """A few of a column's plain values, so that an instance holds duplicates, ties and other-case twins."""
        found = self.palettes.get((table, column.name))
        if found is None:
            values = plain(column)
            few = self.rng.sample(values, min(len(values), 4))
            twins = [c for c in around(few[0], column) if (c.text or "").lower() == (few[0].text or "").lower()]
            found = self.palettes[table, column.name] = distinct((*few, *twins[:2]))
        return found


def populate(
    mapping: MappingModel, tables: tuple[Table, ...], pools: Pools, recipe: Recipe, rng: Random
) -> dict[str, tuple[Row, ...]]:
    """Fill every table, then close the rows under all constraints and shuffle them."""
    names = {t.name: t for t in tables}
    filling = _Filling(mapping=mapping, tables=names, pools=pools, recipe=recipe, rng=rng, rows={n: [] for n in names})
    for table in in_dependency_order(tables):
        count = _count(filling, table)
        filling.rows[table.name] = [_row(filling, table, at) for at in range(count)]
        _relate(filling, table)
    for table in tables:
        _late_references(filling, table)
        _one_null_parent(filling, table)
    checked = {t.name: _checked(filling, t) for t in tables}
    done = closed(tables, checked)
    return {name: tuple(rng.sample(rows, len(rows))) for name, rows in done.items()}


def in_dependency_order(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """Principals before dependents where that can be; a cycle is entered at its first table."""
    done: dict[str, Table] = {}
    names = {t.name: t for t in tables}

    def visit(table: Table, path: frozenset[str]) -> None:
        if table.name in done or table.name in path:
            return
        for reference in sorted(table.references, key=lambda r: not r.required):
            if reference.principal in names and reference.principal != table.name:
                visit(names[reference.principal], path | {table.name})
        done[table.name] = table

    for table in tables:
        visit(table, frozenset())
    return tuple(done.values())


def _count(filling: _Filling, table: Table) -> int:
    low, high = filling.recipe.rows
    if table.name in filling.recipe.large:
        return filling.recipe.large[table.name]
    if filling.recipe.cover:
        longest = max((len(filling.pools.of((table.name, c.name))) for c in table.columns), default=0)
        return max(low, min(high, longest + 2))
    return filling.rng.randint(low, high)


def _row(filling: _Filling, table: Table, at: int) -> dict[str, Cell]:
    rng = filling.rng
    kind = table.kinds[(at if filling.recipe.cover else rng.randrange(99)) % len(table.kinds)]
    singles = {c for unique in table.uniques for c in unique}
    row: dict[str, Cell] = {}
    for column in table.columns:
        if column.name == kind.discriminator:
            row[column.name] = _discriminator(column, kind)
        elif column.name not in kind.columns:
            row[column.name] = NULL
        elif column.name in singles and column.type not in {CellType.ENUM, CellType.BOOL}:
            row[column.name] = _unique_value(filling, table, column, at)
        else:
            row[column.name] = _value(filling, table, column, kind, at)
    for document in table.documents:
        row[document.column] = _document(filling, document)
    for part in table.parts:
        outer_null = part.within and all(row[c].is_null for c in part.within)
        if outer_null or rng.random() < filling.recipe.nulls:
            row |= dict.fromkeys(part.columns, NULL)
        else:
            is_hollow = filling.recipe.hollow and at % 3 == 0
            missing = [c for c in part.columns if c in part.required and (is_hollow or row[c].is_null)]
            row |= dict.fromkeys(part.columns, NULL) if is_hollow else {}
            row |= {
                c: _least(_column(table, c)) if is_hollow else rng.choice(plain(_column(table, c))) for c in missing
            }
    for reference in table.references:
        _refer(filling, table, reference, row, at)
    return row


def _least(column: Column) -> Cell:
    """The empty text, the zero: what a part holds that is there but says nothing."""
    least = {CellType.STRING: "", CellType.BOOL: False}.get(column.type, 0)
    cell = as_column(scalar(CellType.STRING if column.type == CellType.STRING else CellType.INT, least), column)
    return cell if cell is not None else plain(column)[0]


def _column(table: Table, name: str) -> Column:
    found = table.find(name)
    assert found is not None, f"{table.name} has no column {name}"
    return found


def _discriminator(column: Column, kind: Kind) -> Cell:
    text = kind.value if kind.value is not None else kind.entity
    found = as_column(scalar(CellType.STRING, text), column)
    return found if found is not None else scalar(column.type, text)


def _unique_value(filling: _Filling, table: Table, column: Column, at: int) -> Cell:
    pool = filling.pools.of((table.name, column.name))
    is_key = column.name in table.key
    if column.nullable and not is_key and filling.rng.random() < filling.recipe.nulls / 2:
        return NULL
    if pool and at < len(pool) and filling.rng.random() < filling.recipe.boundary:
        return pool[at]
    return fresh(column, at, filling.rng)


def _value(filling: _Filling, table: Table, column: Column, kind: Kind, at: int) -> Cell:
    recipe, rng = filling.recipe, filling.rng
    pool = filling.pools.of((table.name, column.name))
    is_required = column.name in kind.required or not column.nullable
    own = recipe.values(table.name, column) if recipe.values is not None else ()
    if own and (is_required or rng.random() >= recipe.nulls):
        return own[(at + len(column.name)) % len(own)]
    if recipe.cover and pool and at < len(pool) and rng.random() < 0.7:
        return pool[(at + len(column.name)) % len(pool)]
    if not is_required and rng.random() < recipe.nulls:
        return NULL
    if pool and rng.random() < recipe.boundary:
        return rng.choice(pool)
    return rng.choice(filling.palette(table.name, column))


def _refer(filling: _Filling, table: Table, reference: Reference, row: dict[str, Cell], at: int) -> None:
    """Point a reference at a principal that is already there; a self reference may point at an earlier row."""
    principals = filling.rows.get(reference.principal, [])
    is_empty = reference.principal == table.name and not principals
    if not principals and not is_empty:
        if all(_column(table, c).nullable for c in reference.columns):
            row |= dict.fromkeys(reference.columns, NULL)
        return
    can_be_null = not reference.required and all(_column(table, c).nullable for c in reference.columns)
    if is_empty or (can_be_null and filling.rng.random() < filling.recipe.nulls):
        row |= dict.fromkeys(reference.columns, NULL) if can_be_null else {}
        return
    found = _principal(filling, table, reference, principals, at)
    row |= {mine: found[there] for mine, there in zip(reference.columns, reference.principal_columns, strict=True)}


def _principal(
    filling: _Filling, table: Table, reference: Reference, principals: list[dict[str, Cell]], at: int
) -> dict[str, Cell]:
    """Choose a principal. Where the reference is unique by itself each is taken once; else the last has no children."""
    if any(set(unique) <= set(reference.columns) for unique in table.uniques):
        return principals[at % len(principals)]
    return filling.rng.choice(principals[: max(1, len(principals) - 1)] if len(principals) > 2 else principals)


def _late_references(filling: _Filling, table: Table) -> None:
    """Set references into tables that were filled later (cycles), and self references: to itself, chains."""
    for reference in table.references:
        principals = filling.rows.get(reference.principal, [])
        known = {value_key(p, reference.principal_columns) for p in principals}
        for row in filling.rows[table.name]:
            if not principals or reference.columns == table.key:
                continue
            is_self = reference.principal == table.name
            is_open = any(row[c].is_null for c in reference.columns) and is_self
            if value_key(row, reference.columns) not in known or is_open:
                if not reference.required and filling.rng.random() < max(filling.recipe.nulls, 0.1):
                    row.update(_cleared(table, reference))
                    continue
                chosen = row if is_self and filling.rng.random() < 0.3 else filling.rng.choice(principals)
                pairs = zip(reference.columns, reference.principal_columns, strict=True)
                row.update({mine: chosen[there] for mine, there in pairs})


def _cleared(table: Table, reference: Reference) -> dict[str, Cell]:
    return {c: NULL for c in reference.columns if _column(table, c).nullable}


def _one_null_parent(filling: _Filling, table: Table) -> None:
    """See to it that a larger table shows a dependent without its optional principal."""
    rows = filling.rows[table.name]
    for reference in table.references:
        optional = not reference.required and all(_column(table, c).nullable for c in reference.columns)
        is_single = any(set(reference.columns) & set(unique) for unique in table.uniques)
        if optional and not is_single and len(rows) > 2 and filling.recipe.nulls > 0:
            rows[-1] |= dict.fromkeys(reference.columns, NULL)


def _relate(filling: _Filling, table: Table) -> None:
    """Where a query compares two columns of a table, make them equal, neighbours or both null in some rows."""
    keyed = {c for r in table.references for c in r.columns} | {c for u in table.uniques for c in u}
    for (one_table, one), (other_table, other) in filling.pools.relations:
        if not one_table == other_table == table.name:
            continue
        target, origin = (one, other) if one not in keyed else (other, one)
        if target in keyed:
            continue
        column = _column(table, target)
        for row in filling.rows[table.name]:
            row[target] = _related(filling, row, origin, column)


def _related(filling: _Filling, row: Mapping[str, Cell], origin: str, column: Column) -> Cell:
    dice, cell = filling.rng.random(), row[origin]
    if filling.recipe.nulls == 0.0 or dice > 0.6:
        return row[column.name]
    if cell.is_null:
        return NULL if column.nullable and dice < 0.3 else row[column.name]
    near = [c for c in around(cell, column) if fits(c, column)]
    if not near:
        return row[column.name]
    return near[0] if dice < 0.3 else filling.rng.choice(near)


def _checked(filling: _Filling, table: Table) -> tuple[Row, ...]:
    checks = Checks(table)
    kept = []
    fixed = {c for r in table.references for c in r.columns} | {c for u in table.uniques for c in u}
    wanted = filling.recipe
    for at, row in enumerate(filling.rows[table.name]):
        filling.recipe = wanted
        for attempt in range(TRIES):
            if checks.hold(row):
                kept.append(row)
                break
            if attempt > TRIES // 3:
                # A check may not take what the recipe wants to show.
                filling.recipe = replace(filling.recipe, values=None)
            redone = _row(filling, table, at)
            row |= {c: v for c, v in redone.items() if c not in fixed or attempt > TRIES // 2}
    filling.recipe = wanted
    return tuple(kept)


def _document(filling: _Filling, part: JsonPart) -> Cell:
    if part.nullable and filling.rng.random() < filling.recipe.nulls:
        return NULL
    entity = filling.mapping.find(part.entity)
    assert entity is not None, f"the mapping has no {part.entity}"
    made = [_json_object(filling, part.entity) for _ in range(filling.rng.randint(0, 3) if part.many else 1)]
    return Cell(type=CellType.JSON, text=json.dumps(made if part.many else made[0], ensure_ascii=False))


def _json_object(filling: _Filling, name: str) -> dict[str, object]:
    """A JSON document of an owned type, with the members EF writes: by column name, nested parts by navigation."""
    entity = filling.mapping.find(name)
    assert entity is not None, f"the mapping has no {name}"
    out: dict[str, object] = {}
    for p in entity.properties:
        if p.shadow or p.name in entity.key:
            continue
        kind = cell_type(filling.mapping, p.type, p.provider_type) or CellType.STRING
        column = Column(
            name=p.column,
            type=kind,
            nullable=p.nullable,
            clr=p.type.name,
            enum=filling.mapping.find_enum(p.type.name),
            max_length=p.max_length,
            precision=p.precision,
            scale=p.scale,
        )
        is_null = p.nullable and filling.rng.random() < filling.recipe.nulls
        out[p.column] = None if is_null else json_value(filling.rng.choice(plain(column)), p.provider_type)
    for nested in filling.mapping.entities:
        if nested.owned_by == name and nested.owner_navigation:
            navigation = entity.find_navigation(nested.owner_navigation)
            many = navigation is not None and navigation.collection
            made = [_json_object(filling, nested.name) for _ in range(filling.rng.randint(0, 2) if many else 1)]
            out[nested.owner_navigation] = made if many else made[0]
    return out


def json_value(cell: Cell, provider_type: str | None = None) -> object:
    """A scalar the way EF writes it inside a JSON column."""
    text = cell.text or ""
    if cell.type == CellType.ENUM:
        return cell.name if provider_type == "string" else int(text)
    if cell.type == CellType.BOOL:
        return text == "true"
    if cell.type.value in {"byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"}:
        return int(text)
    if cell.type in {CellType.DOUBLE, CellType.FLOAT, CellType.DECIMAL}:
        return float(text)
    if cell.type == CellType.LIST:
        return [json_value(item) for item in cell.items]
    if cell.type == CellType.DATETIME:
        return text.rstrip("0").rstrip(".") if "." in text else text
    return text

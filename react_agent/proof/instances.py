"""Instances: small databases made to tell close translations apart, with every constraint of the mapping respected."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from react_agent.model.mapping import MappingModel
from react_agent.model.query import From, QueryMethod, QueryModel, walk
from react_agent.model.values import CellType, Row
from react_agent.proof.envelopes import rows_from_json, rows_to_json
from react_agent.proof.extremes import extreme_values, extremes, one_sided
from react_agent.proof.pools import LARGEST_POOL, Pools, pools_of
from react_agent.proof.populate import Recipe, populate
from react_agent.proof.tables import Table, tables_of

RANDOM_INSTANCES = 10
LARGEST_TABLE = 10
MANY_ROWS = 150
"""Rows of a table that a query ranges over, once: more than the page of a hundred that is often a default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """Rows by table, with EF's table and column names. `kind` says what they show.

    It is `empty`, `one`, `random`, `extreme`, `widest`, `below`, `above`, `large`, `boundary` or `user`. Entries that
    compute with numbers run on `extreme`, the others on `widest`, where no engine's arithmetic is asked.
    """

    id: str
    kind: str
    tables: Mapping[str, tuple[Row, ...]]

    @property
    def size(self) -> int:
        """How many rows all tables hold."""
        return sum(len(rows) for rows in self.tables.values())

    def to_json(self) -> dict[str, Any]:
        """Write the instance with its tables in the golden `seed` form."""
        return {"id": self.id, "kind": self.kind, "tables": rows_to_json(self.tables)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Instance":
        """Read an instance.

        Raises:
            BadEnvelope: the tables are not tables of rows.
        """
        tables = rows_from_json(value["tables"], f"instance {value['id']}")
        return cls(id=value["id"], kind=value.get("kind", "user"), tables=tables)


def make_instances(
    mapping: MappingModel, queries: QueryModel, seed: int, *, user: Instance | None = None, special: bool = True
) -> tuple[Instance, ...]:
    """Make the suite's instances: empty, one row a table, ten random, two of boundary values, and the user's own.

    `special` adds two of extreme values, two with all numbers on one side of what they are compared with, and one with
    many rows. The same seed makes the same rows; a fresh one for each proof defeats results that were written down.
    """
    tables = tables_of(mapping)
    pools = pools_of(mapping, queries.methods, tables)
    made = [
        Instance(id="empty", kind="empty", tables={t.name: () for t in tables}),
        _make("one", "one", mapping, tables, pools, seed, Recipe(rows=(1, 1), nulls=0.0, boundary=0.0)),
    ]
    for at in range(1, RANDOM_INSTANCES + 1):
        recipe = Recipe(rows=(0 if at % 3 == 0 else 2, LARGEST_TABLE), nulls=0.25, boundary=0.5)
        made.append(_make(f"random-{at}", "random", mapping, tables, pools, seed, recipe))
    for name, recipe in _special(mapping, queries, tables, pools) if special else ():
        made.append(_make(name, name, mapping, tables, pools, seed, recipe))
    covering = Recipe(rows=(12, LARGEST_POOL), nulls=0.15, boundary=0.9, cover=True)
    made += [_make(f"boundary-{at}", "boundary", mapping, tables, pools, seed, covering) for at in (1, 2)]
    return (*made, user) if user is not None else tuple(made)


def _special(
    mapping: MappingModel, queries: QueryModel, tables: tuple[Table, ...], pools: Pools
) -> Iterator[tuple[str, Recipe]]:
    values = extreme_values(mapping, queries.methods, pools)
    yield "extreme", Recipe(rows=(18, 18), nulls=0.1, boundary=0.4, values=values, hollow=True)
    widest = Recipe(rows=(18, 18), nulls=0.1, boundary=0.4, values=lambda _, column: extremes(column), hollow=True)
    yield "widest", widest
    for name in ("below", "above"):
        values = one_sided(pools, above=name == "above")
        yield name, Recipe(rows=(4, 6), nulls=0.0, boundary=0.4, values=values)
    large = {t.name: MANY_ROWS for t in tables if _can_be_large(t)} if queries.methods else {}
    ranged = {_root(mapping, method) for method in queries.methods}
    wanted = {name: rows for name, rows in large.items() if name in ranged}
    yield "large", Recipe(rows=(3, 6), nulls=0.1, boundary=0.3, large=wanted)


def _root(mapping: MappingModel, method: QueryMethod) -> str:
    """The table that an entry ranges over first."""
    first = next((node for node in walk(method.asked) if isinstance(node, From)), None)
    entity = mapping.find(first.entity) if first is not None else None
    return (entity.table or "") if entity is not None else ""


def _can_be_large(table: Table) -> bool:
    """Whether keys and unique columns have enough values for many rows."""
    few = {CellType.BOOL, CellType.ENUM, CellType.CHAR, CellType.SBYTE}
    return all(c.type not in few for c in table.columns if any(c.name in unique for unique in table.uniques))


def _make(
    name: str, kind: str, mapping: MappingModel, tables: tuple[Table, ...], pools: Pools, seed: int, recipe: Recipe
) -> Instance:
    rng = Random(f"{seed}:{name}")  # noqa: S311 - repeatable data, not a secret
    return Instance(id=name, kind=kind, tables=populate(mapping, tables, pools, recipe, rng))

"""Instances: small databases made to tell close translations apart, with every constraint of the mapping respected."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryModel
from react_agent.model.values import Row
from react_agent.proof.envelopes import rows_from_json, rows_to_json
from react_agent.proof.pools import LARGEST_POOL, Pools, pools_of
from react_agent.proof.populate import Recipe, populate
from react_agent.proof.tables import Table, tables_of

RANDOM_INSTANCES = 10
LARGEST_TABLE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """Rows by table, with EF's table and column names. `kind` is `empty`, `one`, `random`, `boundary` or `user`."""

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
    mapping: MappingModel, queries: QueryModel, seed: int, *, user: Instance | None = None
) -> tuple[Instance, ...]:
    """Make the suite's instances: empty, one row a table, ten random, two of boundary values, and the user's own.

    The same seed makes the same rows; a fresh one for each proof defeats results that were written down.
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
    covering = Recipe(rows=(12, LARGEST_POOL), nulls=0.15, boundary=0.9, cover=True)
    made += [_make(f"boundary-{at}", "boundary", mapping, tables, pools, seed, covering) for at in (1, 2)]
    return (*made, user) if user is not None else tuple(made)


def _make(
    name: str, kind: str, mapping: MappingModel, tables: tuple[Table, ...], pools: Pools, seed: int, recipe: Recipe
) -> Instance:
    rng = Random(f"{seed}:{name}")  # noqa: S311 - repeatable data, not a secret
    return Instance(id=name, kind=kind, tables=populate(mapping, tables, pools, recipe, rng))

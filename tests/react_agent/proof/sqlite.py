"""A real SQLite database with a mapping's constraints, written from the mapping and not from the judge's own tables."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing

from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.values import Row
from react_agent.proof.closure import stored

DECIMALS = {"decimal": "TEXT", "double": "REAL", "float": "REAL"}
INTEGERS = {"int", "long", "short", "byte", "bool"}


def _columns(mapping: MappingModel, entity: EntityType) -> dict[str, str]:
    found = {}
    for one in mapping.entities:
        owned_here = one.owned_by == entity.name and one.table == entity.table
        derived = one.base == entity.name and one.table == entity.table
        if one is not entity and not owned_here and not derived:
            continue
        for p in one.properties:
            kind = "INTEGER" if p.type.name in INTEGERS else DECIMALS.get(p.type.name, "TEXT")
            optional = owned_here and not any(n.required and n.name == one.owner_navigation for n in entity.navigations)
            limit = f' CHECK (length("{p.column}") <= {p.max_length})' if p.max_length else ""
            nullable = p.nullable or derived or optional
            found.setdefault(p.column, f'"{p.column}" {kind}{"" if nullable else " NOT NULL"}{limit}')
    return found


def load(mapping: MappingModel, tables: Mapping[str, tuple[Row, ...]]) -> dict[str, int]:
    """Create the schema, insert every row, check foreign keys; return how many rows each table holds."""
    with closing(sqlite3.connect(":memory:")) as database:
        roots = [e for e in mapping.entities if e.table and not e.base and not _is_inside(mapping, e)]
        for entity in roots:
            database.execute(_table(mapping, entity))
        for name, rows in tables.items():
            for row in rows:
                names = ", ".join(f'"{c}"' for c in row)
                database.execute(
                    f'INSERT INTO "{name}" ({names}) VALUES ({", ".join("?" * len(row))})',
                    [stored(cell) for cell in row.values()],
                )
        broken = database.execute("PRAGMA foreign_key_check").fetchall()
        assert broken == []
        return {e.table: database.execute(f'SELECT count(*) FROM "{e.table}"').fetchone()[0] for e in roots if e.table}


def _is_inside(mapping: MappingModel, entity: EntityType) -> bool:
    owner = mapping.find(entity.owned_by) if entity.owned_by else None
    return owner is not None and owner.table == entity.table


def _table(mapping: MappingModel, entity: EntityType) -> str:
    columns = {p.name: p.column for p in entity.properties}
    parts = list(_columns(mapping, entity).values())
    parts.append(f"PRIMARY KEY ({_list(columns[k] for k in entity.key)})")
    parts += [f"UNIQUE ({_list(columns[k] for k in key)})" for key in entity.alternate_keys]
    parts += [f"UNIQUE ({_list(columns[k] for k in i.properties)})" for i in entity.indexes if i.unique]
    parts += [f"CHECK ({c.sql})" for c in entity.check_constraints]
    for foreign in entity.foreign_keys:
        principal = mapping.find(foreign.principal)
        assert principal is not None
        there = {p.name: p.column for p in principal.properties}
        mine, theirs = _list(columns[n] for n in foreign.properties), _list(there[n] for n in foreign.principal_key)
        parts.append(f'FOREIGN KEY ({mine}) REFERENCES "{principal.table}" ({theirs})')
    return f'CREATE TABLE "{entity.table}" ({", ".join(parts)})'


def _list(names) -> str:
    return ", ".join(f'"{n}"' for n in names)

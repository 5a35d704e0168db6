"""Facts about relational tables, as a Database Toolbox tells them: columns, keys, row counts, a few rows.

The toolbox has one tool that lists tables and one that runs SQL. The second may write; so it is only ever given two
statements that stand here, a bounded count and a bounded sample, with quoted names in them and nothing else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_agent.mcp_session import McpSession, Unreadable

LISTING = ("list_tables", "mssql-list-tables", "postgres-list-tables", "mysql-list-tables", "sqlite-list-tables")
RUNNING = ("execute_sql", "mssql-execute-sql", "postgres-execute-sql", "mysql-execute-sql", "sqlite-execute-sql")
READERS = frozenset((*LISTING, *RUNNING))

MAX_TABLES = 40
"""How many tables are counted and sampled; the others are listed."""
MAX_ROWS = 100_000
"""How far rows are counted: a big table must not be scanned for a fact."""
SAMPLE = 3
_CELL = 80
_PLAIN = re.compile(r"[\w .$#@-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: its names, and lines that say what its columns, keys and indexes are."""

    schema: str
    name: str
    lines: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether its names cannot be read as anything but names, whichever way a database quotes."""
        return all(_PLAIN.fullmatch(name) for name in (self.schema or self.name, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a database quotes names and bounds rows."""

    quote: str
    top: bool = False

    def table(self, table: Table) -> str:
        """Write a table's name, which `plain` has looked at."""
        return ".".join(f"{self.quote}{name}{self.quote}" for name in (table.schema, table.name) if name)

    def count(self, table: Table) -> str:
        """Count rows, as far as it is worth knowing."""
        inner = self._bounded("1 AS one", table, MAX_ROWS + 1)
        return f"SELECT COUNT(*) AS n FROM ({inner}) AS bounded"  # noqa: S608 - a quoted name

    def sample(self, table: Table) -> str:
        """Take a few rows."""
        return self._bounded("*", table, SAMPLE)

    def _bounded(self, what: str, table: Table, limit: int) -> str:
        if self.top:
            return f"SELECT TOP {limit} {what} FROM {self.table(table)}"  # noqa: S608 - a quoted name
        return f"SELECT {what} FROM {self.table(table)} LIMIT {limit}"  # noqa: S608 - a quoted name


DIALECTS = (Dialect(quote='"'), Dialect(quote='"', top=True), Dialect(quote="`"))
"""SQLite and PostgreSQL; SQL Server; MySQL. The first that a database understands serves for all its tables."""


async def table_facts(session: McpSession) -> str:
    """Tell the tables of a database; empty where the server has no tool that lists them.

    Raises:
        Unreadable: the listing failed.
    """
    listing = next((name for name in LISTING if name in session.tools), None)
    if listing is None:
        return ""
    answer = await session.call(listing)
    tables = read_tables(answer.values())
    if not tables:
        return "\n".join(answer.texts)
    running = next((name for name in RUNNING if name in session.tools), None)
    rows = await _rows(session, running, [t for t in tables[:MAX_TABLES] if t.plain]) if running else {}
    return "\n\n".join("\n".join((_title(table), *table.lines, *rows.get(table, ()))) for table in tables)


def read_tables(values: Sequence[Any]) -> tuple[Table, ...]:
    """Read what the listing said; a value of another shape is left out."""
    found = (_table(value) for value in values if isinstance(value, Mapping))
    return tuple(table for table in found if table is not None)


def _table(value: Mapping[str, Any]) -> Table | None:
    details = value.get("object_details", value)
    if isinstance(details, str):
        try:
            details = json.loads(details)
        except ValueError:
            return None
    if not isinstance(details, Mapping):
        return None
    name = details.get("object_name") or value.get("object_name")
    columns = details.get("columns")
    if not isinstance(name, str) or not isinstance(columns, list):
        return None
    lines = [_column(column) for column in columns if isinstance(column, Mapping)]
    lines += [_constraint(each) for each in details.get("constraints") or () if isinstance(each, Mapping)]
    lines += [_index(each) for each in details.get("indexes") or () if isinstance(each, Mapping)]
    schema = details.get("schema_name") or value.get("schema_name") or ""
    return Table(schema=str(schema), name=name, lines=tuple(lines))


def _column(column: Mapping[str, Any]) -> str:
    null = " not null" if column.get("is_not_nullable") else ""
    default = column.get("column_default")
    return f"- {column.get('column_name')} {column.get('data_type')}{null}" + (
        f" default {_short(default)}" if default is not None else ""
    )


def _constraint(constraint: Mapping[str, Any]) -> str:
    kind = str(constraint.get("constraint_type") or "constraint").lower()
    line = f"- {kind} ({_names(constraint.get('constraint_columns'))})"
    if other := constraint.get("foreign_key_referenced_table"):
        line += f" -> {other} ({_names(constraint.get('foreign_key_referenced_columns'))})"
    return line


def _index(index: Mapping[str, Any]) -> str:
    unique = "unique " if index.get("is_unique") else ""
    return f"- {unique}index {index.get('index_name')} ({_names(index.get('index_columns'))})"


def _names(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _title(table: Table) -> str:
    return f"## {table.schema}.{table.name}" if table.schema else f"## {table.name}"


async def _rows(session: McpSession, tool: str, tables: Sequence[Table]) -> dict[Table, tuple[str, ...]]:
    found: dict[Table, tuple[str, ...]] = {}
    known: Dialect | None = None
    for table in tables:
        for dialect in (known,) if known else DIALECTS:
            try:
                counted = await session.call(tool, sql=dialect.count(table))
                sampled = await session.call(tool, sql=dialect.sample(table))
            except (Unreadable, TimeoutError):
                continue
            known = dialect
            found[table] = (_counted(counted.values()), *(f"- row {_row(row)}" for row in sampled.values()[:SAMPLE]))
            break
    return found


def _counted(values: Sequence[Any]) -> str:
    count = next((value["n"] for value in values if isinstance(value, Mapping) and "n" in value), None)
    if isinstance(count, int) and count > MAX_ROWS:
        return f"- more than {MAX_ROWS} rows"
    return f"- {'?' if count is None else count} rows"


def _row(row: object) -> str:
    cells = {name: _short(cell) for name, cell in row.items()} if isinstance(row, Mapping) else _short(row)
    return json.dumps(cells, ensure_ascii=False)


def _short(cell: object) -> object:
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False, default=str)
    return cell if len(text) <= _CELL else f"{text[:_CELL]}… ({len(text)} characters)"

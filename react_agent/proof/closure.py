"""Closure: bring rows to where every constraint holds, by clearing optional references and dropping rows."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from decimal import Decimal

from react_agent.model.values import NULL, Cell, CellType, Row
from react_agent.proof.canonical import canonical
from react_agent.proof.tables import Reference, Table

Rows = Mapping[str, tuple[Row, ...]]


def value_key(row: Row, columns: Iterable[str]) -> tuple:
    """The canonical values of some columns of a row."""
    return tuple(canonical(row.get(c, NULL)) for c in columns)


def closed(tables: tuple[Table, ...], rows: Rows) -> dict[str, tuple[Row, ...]]:
    """Drop duplicates of unique values and rows that miss a required principal; clear optional references.

    The first of two duplicates stays, so a shrunk instance keeps its order. Removing rows never breaks a unique or a
    check constraint, hence one pass over those and as many over references as it takes.
    """
    now = {t.name: _unique(t, rows.get(t.name, ())) for t in tables}
    changed = True
    while changed:
        changed = False
        for table in tables:
            for reference in table.references:
                kept = _referring(reference, now[table.name], now.get(reference.principal, ()))
                changed = changed or kept != now[table.name]
                now[table.name] = kept
            again = _unique(table, now[table.name])
            changed = changed or len(again) != len(now[table.name])
            now[table.name] = again
    return now


def _unique(table: Table, rows: Iterable[Row]) -> tuple[Row, ...]:
    seen: set[tuple] = set()
    kept = []
    for row in rows:
        keys = [(columns, value_key(row, columns)) for columns in table.uniques]
        if not any(key in seen for key in keys):
            seen.update(keys)
            kept.append(row)
    return tuple(kept)


def _referring(reference: Reference, rows: tuple[Row, ...], principals: tuple[Row, ...]) -> tuple[Row, ...]:
    known = {value_key(row, reference.principal_columns) for row in principals}
    kept: list[Row] = []
    for row in rows:
        if any(row.get(c, NULL).is_null for c in reference.columns) or value_key(row, reference.columns) in known:
            kept.append(row)
        elif not reference.required:
            kept.append({**row, **dict.fromkeys(reference.columns, NULL)})
    return tuple(kept)


def violations(tables: tuple[Table, ...], rows: Rows) -> tuple[str, ...]:
    """Say which constraints rows break, each with table, row and column."""
    found = []
    for table in tables:
        mine = rows.get(table.name, ())
        for at, row in enumerate(mine, 1):
            found += [
                f"{table.name} row {at}: {c.name} must not be null"
                for c in table.columns
                if not c.nullable and row.get(c.name, NULL).is_null
            ]
        for columns in table.uniques:
            if len({value_key(row, columns) for row in mine}) != len(mine):
                found.append(f"{table.name}: ({', '.join(columns)}) must be unique")
        for reference in table.references:
            kept = _referring(reference, mine, rows.get(reference.principal, ()))
            if kept != mine:
                found.append(f"{table.name}: ({', '.join(reference.columns)}) must name a row of {reference.principal}")
    return tuple(found)


_AFFINITY = {
    CellType.DECIMAL: "TEXT",
    CellType.DOUBLE: "REAL",
    CellType.FLOAT: "REAL",
    CellType.BOOL: "INTEGER",
    CellType.BYTES: "BLOB",
}
_INTEGERS = {"byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"}


class Checks:
    """The check constraints of a table, tried by SQLite itself, once with decimals as EF's text and once as numbers.

    A check that SQLite cannot read is left out: a source on SQLite could not have been created with it either.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._wanted = tuple(c for c in table.checks if _reads(table, c))

    def hold(self, row: Row) -> bool:
        """Whether every check accepts the row; a null result accepts, as in SQL."""
        return not self._wanted or all(_holds(self._table, self._wanted, row, kind) for kind in ("TEXT", "NUMERIC"))


def _ddl(table: Table, decimals: str) -> str:
    parts = []
    for column in table.columns:
        kind = "INTEGER" if column.type in _INTEGERS or column.type == CellType.ENUM else "TEXT"
        kind = decimals if column.type == CellType.DECIMAL else _AFFINITY.get(column.type, kind)
        parts.append(f"{_quoted(column.name)} {kind}")
    return f"CREATE TABLE t ({', '.join(parts)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reads(table: Table, check: str) -> bool:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(_ddl(table, "TEXT"))
        _restrict(database)
        try:
            database.execute(f"SELECT {check} FROM t")  # noqa: S608 - restricted to reading an empty table
        except sqlite3.Error:
            return False
    return True


def _restrict(database: sqlite3.Connection) -> None:
    """Let a check's SQL, which is the user's text, read and compute only, and not for long."""
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
    unwanted = {"load_extension", "randomblob", "zeroblob", "readfile", "writefile"}

    def authorize(action: int, _one: str | None, name: str | None, *_rest: str | None) -> int:
        is_call = action == sqlite3.SQLITE_FUNCTION and name not in unwanted
        return sqlite3.SQLITE_OK if action in allowed or is_call else sqlite3.SQLITE_DENY

    database.set_authorizer(authorize)
    database.set_progress_handler(lambda: 1, 100_000)


def _holds(table: Table, checks: tuple[str, ...], row: Row, decimals: str) -> bool:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(_ddl(table, decimals))
        values = [stored(row.get(c.name, NULL)) for c in table.columns]
        database.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608 - placeholders
        _restrict(database)
        wanted = ", ".join(f"({c})" for c in checks)
        try:
            results = database.execute(f"SELECT {wanted} FROM t").fetchone()  # noqa: S608 - restricted to reading
        except sqlite3.Error:
            return False
    return all(result is None or result for result in results)


def stored(cell: Cell) -> str | int | float | bytes | None:
    """A value the way EF Core's SQLite provider stores it, near enough for constraints."""
    text = cell.text or ""
    if cell.is_null:
        return None
    if cell.type in _INTEGERS:
        return int(text)
    if cell.type == CellType.ENUM:
        return int(text)
    if cell.type == CellType.BOOL:
        return int(text == "true")
    if cell.type in {CellType.DOUBLE, CellType.FLOAT}:
        return float(text)
    if cell.type == CellType.DECIMAL:
        value = Decimal(text)
        return f"{value:f}" if value != int(value) else f"{int(value)}.0"
    if cell.type == CellType.LIST:
        return str([item.to_json() for item in cell.items])
    return text

"""A witness as a person reads it in a panel: what differs, on which rows, and what each side sent. Pure."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from react_agent.witness import Grid, shown
from uom_acp.differences import FIELDS_SHOWN, differing

LONGEST_LINE = 200
LINES_SENT = 24
"""Lines of SQL and of the pipeline that stand side by side; the whole is in the card's raw output."""


def witness_text(entry: str, reason: str, witness: Mapping[str, Any]) -> str:
    """Lay a witness out: differing fields first, then the rows, then SQL and pipeline beside each other."""
    seen = shown(witness)
    source, target = witness.get("source"), witness.get("target")
    parts = [f"**`{entry}`** differs on {code(seen.call)}" + (f": {plain(reason)}" if reason else "")]
    if isinstance(source, Mapping) and isinstance(target, Mapping):
        parts += _fields(source, target) or _grid(seen.results)
    else:
        parts += _grid(seen.results)
    parts += [part for grid in seen.tables for part in _grid(grid)] or ["On an empty database."]
    parts += side_by_side(seen.sql, _sent(target) or seen.statements)
    return "\n\n".join(parts)


def _fields(source: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
    found = differing(source, target)
    if not found:
        return []
    numbered = any(each.row for each in found)
    head = [*(["Row"] if numbered else []), "Field", "Source (C#)", "Target (Java)"]
    rows = [
        [*([each.row] if numbered else []), each.field or "value", each.source, each.target]
        for each in found[:FIELDS_SHOWN]
    ]
    more = [f"… and more: the first {FIELDS_SHOWN} fields are shown."] if len(found) > FIELDS_SHOWN else []
    return [table(head, rows), *more]


def _grid(grid: Grid) -> list[str]:
    return [f"{grid.title}:\n\n{table(grid.columns, grid.rows)}"] if grid.rows else []


def _sent(target: Any) -> list[str]:
    """Write each statement with a stage a line, so that it can stand beside the SQL's clauses."""
    statements = target.get("statements") if isinstance(target, Mapping) else None
    return ["\n".join(_stages(each)) for each in statements or () if isinstance(each, Mapping)]


def _stages(statement: Mapping[str, Any]) -> Iterable[str]:
    kept = {name: part for name, part in statement.items() if name not in {"cursor", "$db", "lsid", "pipeline"}}
    yield json.dumps(kept, ensure_ascii=False)
    for stage in statement.get("pipeline") or ():
        yield json.dumps(stage, ensure_ascii=False)


def side_by_side(sql: Sequence[str], statements: Sequence[str]) -> list[str]:
    """Put SQL and pipeline beside each other, clause by clause and stage by stage."""
    left = [line for text in sql for line in text.splitlines() if line.strip()]
    right = [line for text in statements for line in text.splitlines() if line.strip()]
    if not left and not right:
        return []
    pairs = list(zip_longest(left, right, fillvalue=""))
    rows = [[code(_cut(one)) if one else "", code(_cut(other)) if other else ""] for one, other in pairs[:LINES_SENT]]
    more = [f"… {len(pairs) - LINES_SENT} more lines are in the report."] if len(pairs) > LINES_SENT else []
    return [table(["SQL as sent", "Pipeline as sent"], rows), *more]


def _cut(line: str) -> str:
    line = line.strip()
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; what a cell holds cannot break out of it."""
    lines = [" | ".join(plain(column) for column in columns), " | ".join("---" for _ in columns)]
    lines += [" | ".join(plain(cell) if not cell.startswith("`") else cell for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def plain(text: str) -> str:
    """Write text on one line, so that it is read as text."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def code(text: str) -> str:
    """Write text on one line as code, also inside a table."""
    line = " ".join(text.split()).replace("|", "\\|")
    mark = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    pad = " " if "`" in line else ""
    return f"{mark}{pad}{line}{pad}{mark}"

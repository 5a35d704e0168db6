"""Witness: the rows, the call and both answers that show a difference, laid out to be read. Pure.

The whole of a witness is in the JSON report; what is shown here is cut to what a person takes in at once.
"""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROWS_SHOWN = 8
"""How many rows of a table, or of a result, are shown."""

MAX_VALUE = 160
"""How many characters of one value are shown."""

MAX_STATEMENT = 4_000
"""How many characters of one statement are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A small table: its title, column names, and rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A witness as it is shown: the call, the rows it ran on, both results, what each side sent."""

    call: str
    tables: tuple[Grid, ...]
    results: Grid
    sql: tuple[str, ...]
    statements: tuple[str, ...]


def shown(witness: Mapping[str, Any]) -> Shown:
    """Lay a witness out; what it does not hold is left out."""
    call = witness.get("call")
    is_whole = isinstance(call, Mapping)
    source, target = witness.get("source") or {}, witness.get("target") or {}
    args = (call if is_whole else witness).get("args") or ()
    name = call["method"] if is_whole else str(call or "").split("/", 1)[0]
    given = ", ".join(f"{arg['name']}: {value_text(arg['value'])}" for arg in args)
    return Shown(
        call=f"{name}({given})",
        tables=tuple(_table(title, rows) for title, rows in (witness.get("rows") or {}).items() if rows),
        results=_results(source, target),
        sql=tuple(_sql(each) for each in source.get("sql") or witness.get("sql") or ()),
        statements=tuple(_statement(each) for each in target.get("statements") or witness.get("statements") or ()),
    )


def markdown(entry: str, reason: str, witness: Mapping[str, Any]) -> list[str]:
    """Write a witness for the chat."""
    seen = shown(witness)
    lines = ["", f"### Where `{entry}` differs", "", _plain(reason), "", f"Call: {_code(seen.call)}"]
    if not seen.tables:
        lines += ["", "On an empty database."]
    for grid in (*seen.tables, seen.results):
        lines += ["", f"{grid.title}:", "", *_markdown_rows(grid)]
    for title, language, texts in (("SQL", "sql", seen.sql), ("MongoDB", "json", seen.statements)):
        for text in texts[:2]:
            lines += ["", f"{title}:", "", f"```{language}", text.replace("```", "'''"), "```"]
    return lines


def page(witness: Mapping[str, Any]) -> str:
    """Write a witness for a browser: the call, its rows, both answers, and what each side sent beside the other."""
    seen = shown(witness)
    sent = "".join(
        f"<div><h3>{title}</h3>{''.join(f'<pre>{html.escape(text)}</pre>' for text in texts)}</div>"
        for title, texts in (("SQL as sent", seen.sql), ("MongoDB as sent", seen.statements))
        if texts
    )
    parts = [
        f"<h3>Call</h3><pre>{html.escape(seen.call)}</pre>",
        "" if seen.tables else "<p>On an empty database.</p>",
        *(_page_rows(grid) for grid in seen.tables),
        _page_rows(seen.results, is_pair=True),
        f"<div class='pair'>{sent}</div>",
    ]
    return "".join(parts)


def value_text(cell: Any) -> str:
    """Write a cell for reading: text quoted, members by name, nothing longer than a line."""
    return _cut(_value(cell))


def _value(cell: Any) -> str:
    if not isinstance(cell, Mapping):
        return "null" if cell is None else str(cell)
    match cell.get("t"):
        case "null":
            return "null"
        case "string" | "char":
            return json.dumps(cell.get("v"), ensure_ascii=False)
        case "list":
            return f"[{', '.join(_value(item) for item in cell.get('v') or ())}]"
        case "object":
            members = ", ".join(f"{name}: {_value(part)}" for name, part in (cell.get("f") or {}).items())
            return f"{{{members}}}"
        case "enum":
            return str(cell.get("name") or cell.get("v"))
        case _:
            return str(cell.get("v"))


def _cut(text: str, limit: int = MAX_VALUE) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _table(title: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    cells = tuple(tuple(value_text(row.get(name)) for name in columns) for row in rows[:ROWS_SHOWN])
    more = f" (the first {ROWS_SHOWN} of {len(rows)} rows)" if len(rows) > ROWS_SHOWN else ""
    return Grid(title=f"Rows of {title}{more}", columns=columns, rows=cells)


def _results(source: Mapping[str, Any], target: Mapping[str, Any]) -> Grid:
    ours, theirs = _answers(source), _answers(target)
    if len(ours) == len(theirs) == 1:
        rows = [("", ours[0], theirs[0])]
    else:
        at = range(max(len(ours), len(theirs)))
        pairs = [(str(n + 1), ours[n] if n < len(ours) else "", theirs[n] if n < len(theirs) else "") for n in at]
        # Rows that agree place by place say nothing: those that do not come first.
        rows = sorted(pairs, key=lambda row: row[1] == row[2])
    columns = ("Row", "Source (C#)", "Target (Java)")
    return Grid(title="Results", columns=columns, rows=tuple(rows[:ROWS_SHOWN]))


def _answers(envelope: Mapping[str, Any]) -> list[str]:
    match envelope.get("outcome"):
        case "throws":
            return [f"throws {envelope.get('exception')} ({envelope.get('kind')})"]
        case "none":
            return ["null"]
        case "rows":
            rows = (envelope.get("value") or {}).get("v") or envelope.get("first_rows") or []
            return [value_text(row) for row in rows] or ["no rows"]
        case _:
            return [value_text(envelope.get("value"))]


def _sql(statement: Any) -> str:
    if not isinstance(statement, Mapping):
        return _cut(str(statement), MAX_STATEMENT)
    given = (f"{p.get('name')} = {value_text(p.get('value'))}" for p in statement.get("parameters") or ())
    return _cut("\n".join([str(statement.get("text", "")), *(f"-- {line}" for line in given)]), MAX_STATEMENT)


def _statement(statement: Any) -> str:
    if isinstance(statement, Mapping):
        kept = {name: part for name, part in statement.items() if name not in {"cursor", "$db", "lsid"}}
        stages = kept.get("pipeline")
        if isinstance(stages, list):
            head = json.dumps({k: v for k, v in kept.items() if k != "pipeline"}, ensure_ascii=False)
            body = ",\n".join(f"  {json.dumps(stage, ensure_ascii=False)}" for stage in stages)
            return _cut(f"{head}\n[\n{body}\n]", MAX_STATEMENT)
        return _cut(json.dumps(kept, ensure_ascii=False), MAX_STATEMENT)
    return _cut(str(statement), MAX_STATEMENT)


def _markdown_rows(grid: Grid) -> Iterable[str]:
    yield f"| {' | '.join(_plain(name) for name in grid.columns)} |"
    yield f"| {' | '.join('---' for _ in grid.columns)} |"
    for row in grid.rows:
        yield f"| {' | '.join(_plain(cell) for cell in row)} |"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _code(text: str) -> str:
    one_line = " ".join(text.split())
    mark = "`" * (1 + max((len(run) for run in _runs(one_line)), default=0))
    pad = " " if "`" in one_line else ""
    return f"{mark}{pad}{one_line}{pad}{mark}"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if run]


def _page_rows(grid: Grid, *, is_pair: bool = False) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in grid.columns)
    body = "".join(
        f"<tr{' class=differs' if is_pair and row[1] != row[2] else ''}>"
        + "".join(f"<td class=value>{html.escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in grid.rows
    )
    title = html.escape(grid.title)
    return f"<h3>{title}</h3><div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"

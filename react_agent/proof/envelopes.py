"""Envelopes: what one call returned on one side, and the short summary of it that people read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from react_agent.model.values import Cell, CellType, Row

OUTCOMES = ("rows", "scalar", "none", "throws")
KINDS = ("not_found", "too_many", "error")


class BadEnvelope(ValueError):
    """A JSON value is not an envelope; the message names the member and what was expected."""


MOST_MESSAGE = 4_000
"""Characters kept of an exception's text: EF Core repeats the whole query in its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The result of one call on one instance, in the shape of a golden entry.

    `args` are (name, value) in the method's order. `outcome` is `none` for a null that is not a list. `kind` is set
    for a throw, `message` is its text. `sql` and `statements` are what was sent, `state` every table after a command
    that wrote, `reading` the expression trees of the queries as EF Core ran them.
    `collections` are the target's documents after a command, as they came; `documents` the same of either side in a
    form that can be compared. Neither is part of the wire form.
    """

    call: str
    instance: str
    method: str
    outcome: str
    args: tuple[tuple[str, Cell], ...] = ()
    value: Cell | None = None
    row_count: int | None = None
    exception: str | None = None
    kind: str | None = None
    message: str | None = None
    warnings: tuple[str, ...] = ()
    sql: tuple[Any, ...] = ()
    statements: tuple[Any, ...] = ()
    state: Mapping[str, tuple[Row, ...]] | None = None
    reading: tuple[str, ...] = ()
    collections: Mapping[str, Any] | None = None
    documents: Mapping[str, tuple[str, ...]] | None = None

    @property
    def rows(self) -> tuple[Cell, ...]:
        """The rows of a list result, else nothing."""
        return self.value.items if self.value is not None and self.value.type == CellType.LIST else ()

    def to_json(self) -> dict[str, Any]:
        """Write the envelope in its wire form."""
        out: dict[str, Any] = {
            "call": self.call,
            "instance": self.instance,
            "method": self.method,
            "args": [{"name": name, "value": cell.to_json()} for name, cell in self.args],
            "outcome": self.outcome,
        }
        if self.value is not None:
            out["value"] = self.value.to_json()
        for name in ("row_count", "exception", "kind", "message"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        out["warnings"] = list(self.warnings)
        for name in ("sql", "statements"):
            if getattr(self, name):
                out[name] = list(getattr(self, name))
        if self.state is not None:
            out["state"] = rows_to_json(self.state)
        if self.reading:
            out["reading"] = [{"tree": tree} for tree in self.reading]
        return out

    @classmethod
    def from_json(cls, value: Any) -> "Envelope":
        """Read an envelope from its wire form.

        Raises:
            BadEnvelope: a member is missing or not what the form asks for.
            BadCell: a cell inside does not read.
        """
        if not isinstance(value, Mapping):
            raise BadEnvelope(f"envelope: expected an object, got {value!r:.80}")
        outcome = _one_of(value, "outcome", OUTCOMES)
        kind = _one_of(value, "kind", KINDS) if value.get("kind") is not None else None
        if outcome in {"rows", "scalar"} and "value" not in value:
            raise BadEnvelope(f"envelope {value.get('call')!r}: outcome {outcome} needs a value")
        if not isinstance(value.get("method"), str):
            raise BadEnvelope(f"envelope {value.get('call')!r}: method must be text")
        return cls(
            call=str(value.get("call", "")),
            instance=str(value.get("instance", "")),
            method=value["method"],
            args=tuple((a["name"], Cell.from_json(a["value"], f"args.{a['name']}")) for a in value.get("args", ())),
            outcome=outcome,
            value=Cell.from_json(value["value"]) if value.get("value") is not None else None,
            row_count=value.get("row_count"),
            exception=value.get("exception"),
            kind=kind,
            message=str(value["message"])[:MOST_MESSAGE] if value.get("message") is not None else None,
            warnings=tuple(value.get("warnings", ())),
            sql=tuple(value.get("sql", ())),
            statements=tuple(value.get("statements", ())),
            state=rows_from_json(value["state"], "state") if value.get("state") is not None else None,
            reading=tuple(str(query["tree"]) for query in value.get("reading", ())),
        )


def of_target(value: Any) -> Envelope:
    """Read an envelope of the target side, whose state is documents by collection.

    Raises:
        BadEnvelope, BadCell: as `Envelope.from_json`.
    """
    if not isinstance(value, Mapping) or value.get("state") is None:
        return Envelope.from_json(value)
    state = value["state"]
    if not isinstance(state, Mapping) or not all(isinstance(documents, list) for documents in state.values()):
        raise BadEnvelope("state: expected lists of documents by collection")
    return replace(Envelope.from_json({**value, "state": None}), collections=state)


def _one_of(value: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    found = value.get(name)
    if found not in known:
        raise BadEnvelope(f"envelope {value.get('call')!r}: {name} must be one of {', '.join(known)}, got {found!r}")
    return found


def rows_to_json(tables: Mapping[str, tuple[Row, ...]]) -> dict[str, Any]:
    """Write rows by table in the golden `seed` form."""
    return {
        table: [{column: cell.to_json() for column, cell in row.items()} for row in rows]
        for table, rows in tables.items()
    }


def rows_from_json(value: Any, where: str) -> dict[str, tuple[Row, ...]]:
    """Read rows by table from the golden `seed` form.

    Raises:
        BadEnvelope: the value is not tables of rows.
        BadCell: a cell does not read; the message names table, row and column.
    """
    if not isinstance(value, Mapping) or not all(isinstance(rows, list) for rows in value.values()):
        raise BadEnvelope(f'{where}: expected {{"Table": [{{"Column": cell}}]}}')
    return {
        table: tuple(
            {column: Cell.from_json(cell, f"{where}.{table}[{at}].{column}") for column, cell in row.items()}
            for at, row in enumerate(rows)
        )
        for table, rows in value.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryValidationResults:
    """One side's results for people: how many rows over how many calls, the first and the last one.

    `ref` is the stored envelopes' address: rows do not travel in the state of a conversation.
    """

    count: int
    calls: int
    first: Mapping[str, Any] | None = None
    last: Mapping[str, Any] | None = None
    ref: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, envelopes: tuple[Envelope, ...], ref: Mapping[str, Any] | None = None) -> "QueryValidationResults":
        """Sum up envelopes; a scalar counts as one row, a throw or a null as none."""
        cells = [cell for e in envelopes for cell in (e.rows or ((e.value,) if e.outcome == "scalar" else ())) if cell]
        first, last = (cells[0].to_json(), cells[-1].to_json()) if cells else (None, None)
        return cls(count=len(cells), calls=len(envelopes), first=first, last=last, ref=dict(ref or {}))

    def to_json(self) -> dict[str, Any]:
        """Write the summary as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "QueryValidationResults":
        """Read a summary from plain JSON data."""
        return cls(**value)

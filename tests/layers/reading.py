"""What a layer's folder holds: its files, the rows to start from, and what EF Core returned for each call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_agent.draft import Draft, draft
from react_agent.model.mapping import ClrType
from react_agent.model.query import QueryMethod
from react_agent.model.translation import SourceFile
from react_agent.model.values import NULL, Cell, CellType, scalar
from react_agent.proof.calls import Call
from react_agent.proof.envelopes import Envelope, rows_from_json

HERE = Path(__file__).parent
LAYERS = sorted(folder.name for folder in HERE.iterdir() if (folder / "Query.cs").is_file())
_CELLS = {"Guid": CellType.GUID, "DateTime": CellType.DATETIME, "DateOnly": CellType.DATE, "TimeOnly": CellType.TIME}


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """One call, with what EF Core gave for it."""

    method: QueryMethod
    call: Call
    envelope: Envelope


def drafted(layer: str) -> Draft:
    files = sorted((HERE / layer).glob("*.cs"))
    return draft([SourceFile(path=f.name, text=f.read_text(encoding="utf-8-sig")) for f in files])


def seed(layer: str) -> Any:
    return json.loads((HERE / layer / "seed.json").read_text(encoding="utf-8"))


def returned(layer: str, made: Draft) -> list[Returned]:
    """The calls of `layer.json` whose entries were written."""
    told = json.loads((HERE / layer / "layer.json").read_text(encoding="utf-8"))
    written = {pair.method for pair in made.translation.entries}
    methods = {m.method: m for m in made.reading.queries.methods}
    calls = [one for one in told["returned"] if one["method"] in written]
    return [_returned(at, one, methods[one["method"]], made) for at, one in enumerate(calls)]


def _returned(at: int, told: Mapping[str, Any], method: QueryMethod, made: Draft) -> Returned:
    values = [*told["args"], *([...] * (len(method.parameters) - len(told["args"])))]
    args = tuple(
        (p.name, p.default or NULL if value is ... else _cell(value, p.type, made))
        for p, value in zip(method.parameters, values, strict=True)
    )
    call = Call(id=str(at), instance="user", class_name=method.class_name, method=method.method, args=args)
    value = Cell.from_json(told["value"], "value") if "value" in told else None
    throws = told["outcome"] == "throws"
    envelope = Envelope(
        call=call.id,
        instance="user",
        method=method.method,
        args=args,
        outcome={"object": "scalar"}.get(told["outcome"], told["outcome"]),
        value=None if throws else value,
        row_count=len(value.items) if told["outcome"] == "rows" and value is not None else None,
        exception="System.InvalidOperationException" if throws else None,
        kind=told.get("kind", "not_found") if throws else None,
        state=rows_from_json(told["state"], "state") if "state" in told else None,
    )
    return Returned(method=method, call=call, envelope=envelope)


def _cell(value: Any, clr: ClrType, made: Draft) -> Cell:
    """A plain argument as a cell of its parameter's type."""
    if value is None:
        return NULL
    if clr.element is not None:
        return Cell(type=CellType.LIST, items=tuple(_cell(item, clr.element, made) for item in value))
    enum = made.mapping.find_enum(clr.name)
    if enum is not None:
        member = next(m for m in enum.members if value in {m.name, m.value})
        return Cell(type=CellType.ENUM, text=str(member.value), name=member.name, enum=enum.name)
    kind = _CELLS.get(clr.name) or CellType(clr.name)
    if kind == CellType.BOOL:
        return scalar(kind, str(value).lower())
    return Cell(type=kind, text=str(value), kind="Unspecified" if kind == CellType.DATETIME else None)

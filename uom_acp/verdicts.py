"""What the translator reports while it works, as text for a person."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Event = Mapping[str, Any]

EQUIVALENT = "equivalent_on_suite"
DIFFERENT = "different"


def _cell(value: object) -> str:
    text = " ".join(str(value if value is not None else "").split())
    return text.replace("\\", "\\\\").replace("|", "\\|")


def latest(events: Iterable[Event]) -> list[Event]:
    """Keep the last verdict of each entry: a repaired translation is judged again."""
    return list({str(event.get("entry")): event for event in events}.values())


def verdict_table(events: Sequence[Event]) -> str:
    """Lay verdicts out as a table, each witness below it."""
    rows = ["| Entry | Verdict | Instances | Reason |", "| --- | --- | --- | --- |"]
    rows += [
        f"| {_cell(event.get('entry'))} | {_cell(event.get('verdict'))} "
        f"| {_cell(event.get('instances'))} | {_cell(event.get('reason'))} |"
        for event in events
    ]
    return "\n".join([*rows, *(_witness(event) for event in events if event.get("witness"))])


def _witness(event: Event) -> str:
    text = _readable(event["witness"])
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return f"\nWitness for {event.get('entry')}:\n\n{fence}\n{text}\n{fence}"


def _runs(text: str) -> list[str]:
    return re.findall(r"`+", text)


def _readable(value: Any, indent: int = 0) -> str:
    pad = "  " * indent
    if isinstance(value, Mapping) and "t" in value and not isinstance(value["t"], Mapping | list):
        return f"{pad}{_typed(value)}"
    if isinstance(value, Mapping):
        return "\n".join(_entry(str(key), item, indent) for key, item in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(f"{pad}-{_readable(item, indent + 1)[len(pad) + 1 :]}" for item in value)
    return f"{pad}{value}"


def _entry(key: str, value: Any, indent: int) -> str:
    pad = "  " * indent
    if isinstance(value, Mapping | list | tuple) and value and not _is_scalar(value):
        return f"{pad}{key}:\n{_readable(value, indent + 1)}"
    return f"{pad}{key}: {_readable(value)}"


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Mapping) and "t" in value and not isinstance(value.get("v"), list)


def _typed(cell: Mapping[str, Any]) -> str:
    match cell.get("t"):
        case "null":
            return "null"
        case "list":
            return "[" + ", ".join(_readable(item) for item in cell.get("v", [])) + "]"
        case "object":
            fields = cell.get("f", {})
            return "{" + ", ".join(f"{name}: {_readable(item)}" for name, item in fields.items()) + "}"
        case "enum":
            return f"{cell.get('type', '')}.{cell.get('name', cell.get('v'))}".lstrip(".")
        case kind:
            return f"{cell.get('v')} ({kind})"


def verdict_title(events: Sequence[Event]) -> str:
    """Count what was shown equivalent and what was shown different."""
    equal = sum(event.get("verdict") == EQUIVALENT for event in events)
    different = sum(event.get("verdict") == DIFFERENT for event in events)
    title = f"Proof: {equal} of {len(events)} equivalent on the suite"
    return f"{title}, {different} different" if different else title


def any_different(events: Iterable[Event]) -> bool:
    """Tell whether a proof failed outright."""
    return any(event.get("verdict") == DIFFERENT for event in events)


def progress_line(event: Event) -> str:
    """Say in one line where the translator stands."""
    side = event.get("side")
    where = f" ({side})" if side and side != "both" else ""
    done, total = event.get("done"), event.get("total")
    count = f" {done}/{total}" if total else ""
    said = event.get("message")
    return f"{event.get('stage', 'working')}{where}{count}" + (f": {said}" if said else "")


def notice_text(event: Event) -> str:
    """Show a notice apart from what the model says."""
    level = str(event.get("level", "info")).capitalize()
    return f"> **{level}:** {event.get('message', '')}\n\n"

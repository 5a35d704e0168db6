"""The verdicts of a translation, as a card for a person: a table, and below it each witness. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from uom_acp.witness_view import table, witness_text

Event = Mapping[str, Any]

EQUIVALENT = "equivalent_on_suite"
DIFFERENT = "different"
WITNESSES_SHOWN = 3
MARKS = {EQUIVALENT: "✓", DIFFERENT: "✗"}


def latest(events: Iterable[Event]) -> list[Event]:
    """Keep the last verdict of each entry: a repaired translation is judged again."""
    return list({str(event.get("entry")): event for event in events}.values())


def verdict_table(events: Sequence[Event]) -> str:
    """Lay verdicts out as a table, the witnesses of what differs below it."""
    rows = [
        [
            str(event.get("entry", "")),
            f"{MARKS.get(str(event.get('verdict')), '?')} {event.get('verdict', '')}",
            _evidence(event),
            _reason(event),
        ]
        for event in events
    ]
    told = [event for event in events if isinstance(event.get("witness"), Mapping)]
    parts = [table(["Entry", "Verdict", "Evidence", "Notes"], rows)]
    parts += [
        witness_text(str(event.get("entry", "")), str(event.get("reason") or ""), event["witness"])
        for event in told[:WITNESSES_SHOWN]
    ]
    if len(told) > WITNESSES_SHOWN:
        parts.append(f"{len(told) - WITNESSES_SHOWN} more witnesses are in the report.")
    return "\n\n".join(parts)


def _evidence(event: Event) -> str:
    mutants = event.get("mutants") or {}
    parts = [f"{event['instances']} data sets"] if event.get("instances") else []
    if mutants.get("live"):
        parts.append(f"{mutants.get('killed', 0)} of {mutants['live']} variants told apart")
    return ", ".join(parts)


def _reason(event: Event) -> str:
    """Give the reason, and count what is to be known besides; the whole of it is in the report."""
    counted = [_count(event.get("losses"), "loss", "losses"), _count(event.get("reservations"), "reservation")]
    is_told_below = isinstance(event.get("witness"), Mapping)
    reason = "" if is_told_below else plain_start(str(event.get("reason") or ""))
    return "; ".join(part for part in (reason, *counted, "see below" if is_told_below else "") if part)


def _count(items: Any, one: str, many: str | None = None) -> str:
    number = len(items) if isinstance(items, list | tuple) else 0
    return "" if not number else f"{number} {one if number == 1 else many or one + 's'}"


def plain_start(text: str, limit: int = 200) -> str:
    """Give the start of a text that may be long."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def verdict_title(events: Sequence[Event]) -> str:
    """Count what was shown equivalent and what was shown different."""
    equal = sum(event.get("verdict") == EQUIVALENT for event in events)
    different = sum(event.get("verdict") == DIFFERENT for event in events)
    title = f"Proof: {equal} of {len(events)} equivalent on the suite"
    return f"{title}, {different} different" if different else title


def any_different(events: Iterable[Event]) -> bool:
    """Tell whether a proof failed outright."""
    return any(event.get("verdict") == DIFFERENT for event in events)

"""Report: what a translation came to, for machines (JSON) and for the chat (Markdown). Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from react_agent import witness
from react_agent.model.documents import Decision
from react_agent.model.gap import Gap
from react_agent.proof.verdict import EntryVerdict, exit_code

VERSION = 1
"""The report's format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Verdicts with everything a person must know to sign them off.

    `engines` maps `source` and `target` to the facts that each engine told of itself. `timings` are seconds by stage.
    `notes` are sentences that belong to the whole: where a recording was replayed, which code ran unisolated.
    """

    entries: tuple[EntryVerdict, ...]
    gaps: tuple[Gap, ...] = ()
    decisions: tuple[Decision, ...] = ()
    engines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seed: int | None = None

    @property
    def exit_code(self) -> int:
        """The command line's exit code: 0 all proven, 1 one is different, 3 something is not proven."""
        proven = exit_code(self.entries)
        open_gaps = any(not gap.entry for gap in self.gaps)
        return 3 if proven == 0 and (open_gaps or not self.entries) else proven

    def to_json(self) -> dict[str, Any]:
        """Write the report as plain data."""
        return {
            "version": VERSION,
            "entries": [entry.to_json() for entry in self.entries],
            "gaps": [asdict(gap) for gap in self.gaps],
            "decisions": [asdict(decision) for decision in self.decisions],
            "engines": {side: dict(facts) for side, facts in self.engines.items()},
            "timings": {stage: round(seconds, 3) for stage, seconds in self.timings.items()},
            "notes": list(self.notes),
            "seed": self.seed,
        }


def json_text(report: Mapping[str, Any]) -> str:
    """Write a report's JSON for a file."""
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def engine_line(facts: Mapping[str, Any]) -> str:
    """Name an engine and its versions in one line: `EF Core 10.0.15, SQLite 3.50.4, .NET 10.0.12`."""
    first = f"{facts.get('name', 'unknown')} {facts.get('version', '')}".strip()
    others = (f"{key} {value}" for key, value in facts.items() if key not in {"name", "version"} and value)
    return ", ".join([first, *others])


def markdown(report: Mapping[str, Any]) -> str:
    """Write the report for the chat: the table of verdicts, then every doubt by name."""
    lines = ["| Entry | Verdict | Evidence | Why |", "| --- | --- | --- | --- |"]
    lines += [_row(entry) for entry in report["entries"]]
    for side, facts in report["engines"].items():
        lines += ["", f"{side.capitalize()}: {engine_line(facts)}."]
    lines += _list("Notes", report["notes"])
    lines += _list("Not translated", (_gap_line(gap) for gap in report["gaps"]))
    lines += _list("Reservations", _of_entries(report, "reservations"))
    lines += _list("Losses", _of_entries(report, "losses"))
    lines += _list("Decisions", (f"{d['question']} {d['chosen']} ({d['reason']})" for d in report["decisions"]))
    for entry in report["entries"]:
        if entry.get("witness"):
            lines += witness.markdown(entry["entry"], entry.get("reason", ""), entry["witness"])
    return "\n".join(lines)


def _row(entry: Mapping[str, Any]) -> str:
    cells = (f"`{entry['entry']}`", f"`{entry['verdict']}`", _evidence(entry), _cell(entry.get("reason", "")))
    return f"| {' | '.join(cells)} |"


def _evidence(entry: Mapping[str, Any]) -> str:
    mutants = entry.get("mutants") or {}
    parts = []
    if entry.get("instances"):
        parts.append(f"{entry['instances']} instances, {entry.get('calls', 0)} calls")
    if mutants.get("live"):
        parts.append(f"{mutants['killed']} of {mutants['live']} variants told apart")
    return "; ".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _gap_line(gap: Mapping[str, Any]) -> str:
    hazard = f" [{gap['hazard']}]" if gap["hazard"] else ""
    return f"{gap['span']['file']}:{gap['span']['line']}: {gap['construct']}: {gap['reason']}{hazard}"


def _of_entries(report: Mapping[str, Any], what: str) -> list[str]:
    found: dict[str, list[str]] = {}
    for entry in report["entries"]:
        for item in entry.get(what) or ():
            text = item if isinstance(item, str) else f"{item['where']}: {item['what']} [{item['hazard']}]"
            found.setdefault(text, []).append(entry["entry"])
    every = len(report["entries"])
    return [text if len(names) == every else f"{text} ({', '.join(names)})" for text, names in found.items()]


def _list(title: str, items: Sequence[str] | Any) -> list[str]:
    found = [f"- {item}" for item in items]
    return ["", f"{title}:", *found] if found else []

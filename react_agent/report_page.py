"""Report page: one self-contained page that a person reads before signing off a migration. Pure.

Nothing is loaded from elsewhere and nothing is scripted: the file can be mailed, archived and printed as it is.
"""

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_agent import witness
from react_agent.model.translation import SourceFile
from react_agent.report import engine_line
from react_agent.report_style import STYLE

MEANING = {
    "equivalent_on_suite": "both programs ran on every instance and call of the suite, and agreed",
    "different": "both programs ran, and a few rows show that they do not agree",
    "vacuous": "both agreed, but the suite never got a result that could have shown a difference",
    "undetermined": "both ran, but what they returned is not enough to decide",
    "harness_error": "a program could not be built or was ended; nothing was learnt of the translation",
    "unsupported": "no Java was written for it; the reason and the line are below",
    "not_executed": "a side could not run here; what is missing is named",
}
"""What each verdict says, for a reader who meets it first."""

ORDER = tuple(MEANING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Appendix:
    """What stands behind a report: both programs, and the commands that prove them again."""

    source: tuple[SourceFile, ...] = ()
    target: tuple[SourceFile, ...] = ()
    again: tuple[str, ...] = ()


def report_page(report: Mapping[str, Any], appendix: Appendix | None = None, title: str = "UOM report") -> str:
    """Write a report (its JSON form) as one page, for light and dark, wide and narrow, screen and paper."""
    more = appendix or Appendix()
    parts = (
        _head(report, title),
        _overview(report["entries"]),
        _gaps(report["gaps"]),
        _decisions(report["decisions"]),
        "".join(_entry(entry) for entry in report["entries"]),
        _programs(more),
        _again(report, more),
    )
    return _PAGE.format(title=html.escape(title), style=STYLE, body="".join(parts))


def _head(report: Mapping[str, Any], title: str) -> str:
    counts = Counter(entry["verdict"] for entry in report["entries"])
    chips = "".join(
        f'<li class="{verdict}"><b>{counts[verdict]}</b> {_words(verdict)}</li>' for verdict in ORDER if counts[verdict]
    )
    open_gaps = len(report["gaps"])
    gaps = f'<li class="unsupported"><b>{open_gaps}</b> not translated</li>' if open_gaps else ""
    from_engines = [f"{_side(side)}: {engine_line(facts)}" for side, facts in report["engines"].items()]
    seconds = ", ".join(f"{stage} {value:g} s" for stage, value in report["timings"].items())
    facts = [*from_engines, *report["notes"], *([f"Time: {seconds}"] if seconds else [])]
    return (
        f"<header><h1>{html.escape(title)}</h1><p class='sum'>{html.escape(_sum(counts, open_gaps))}</p>"
        f"<ul class='chips'>{chips}{gaps}</ul>{_list(facts)}</header>"
    )


def _sum(counts: Counter[str], open_gaps: int) -> str:
    every = counts.total()
    proven = counts["equivalent_on_suite"]
    if counts["different"]:
        return f"{counts['different']} of {every} entries do not give what the C# gives. Do not sign this off."
    if every and proven == every and not open_gaps:
        return f"All {every} entries gave the same on both sides, on the data and calls named below."
    return f"{proven} of {every} entries are proven; the others, and what is not translated, are open."


def _overview(entries: Sequence[Mapping[str, Any]]) -> str:
    rows = (
        (
            f'<a href="#{_id(e["entry"])}">{_code(e["entry"])}</a>',
            _badge(e),
            _evidence(e),
            html.escape(_short(e.get("reason", ""))),
        )
        for e in entries
    )
    return _wide("Entries", ("Entry", "Verdict", "Evidence", "Why"), _rows(rows)) if entries else ""


def _evidence(entry: Mapping[str, Any]) -> str:
    mutants = entry.get("mutants") or {}
    ran = f"{entry['instances']} instances, {entry.get('calls', 0)} calls" if entry.get("instances") else ""
    if not mutants.get("live"):
        return ran
    told, live = mutants["killed"], mutants["live"]
    return f'{ran}<br><meter min="0" max="{live}" value="{told}"></meter> {told} of {live} wrong variants told apart'


def _gaps(gaps: Sequence[Mapping[str, Any]]) -> str:
    rows = (
        (
            _code(f"{gap['span']['file']}:{gap['span']['line']}"),
            html.escape(gap["construct"]),
            html.escape(gap["reason"]),
            html.escape(gap["hazard"] or ""),
            _code(gap.get("entry") or ""),
        )
        for gap in gaps
    )
    return _wide("Not translated", ("Where", "Construct", "Why", "Hazard", "Entry"), _rows(rows)) if gaps else ""


def _decisions(decisions: Sequence[Mapping[str, Any]]) -> str:
    rows = (
        (
            html.escape(d["question"]),
            f"<b>{html.escape(d['chosen'])}</b>",
            html.escape(", ".join(o for o in d.get("options") or () if o != d["chosen"])),
            html.escape(d["reason"]),
            html.escape(d.get("by") or ""),
        )
        for d in decisions
    )
    return _wide("Decisions", ("Question", "Chosen", "Instead of", "Because", "By"), _rows(rows)) if decisions else ""


def _entry(entry: Mapping[str, Any]) -> str:
    verdict = entry["verdict"]
    reason = f"<p class='why'>{html.escape(entry['reason'])}</p>" if entry.get("reason") else ""
    mutants = entry.get("mutants") or {}
    lost = [f"{loss['where']}: {loss['what']} [{loss['hazard']}]" for loss in entry.get("losses") or ()]
    lists = (
        ("Wrong variants that gave the same", mutants.get("survivors") or ()),
        ("Reservations", entry.get("reservations") or ()),
        ("What the target does not keep", lost),
        ("Hazards looked at", [", ".join(entry["hazards"])] if entry.get("hazards") else ()),
    )
    seen = witness.page(entry["witness"]) if entry.get("witness") else ""
    return (
        f'<section class="entry {verdict}" id="{_id(entry["entry"])}"><h2><code>{html.escape(entry["entry"])}</code> '
        f"{_badge(entry)}</h2><p>{html.escape(MEANING.get(verdict, ''))}.</p>{reason}"
        f"<p>{_evidence(entry)}</p>{seen}{''.join(_titled(name, items) for name, items in lists)}</section>"
    )


def _programs(appendix: Appendix) -> str:
    sides = (("The C# as given", appendix.source), ("The Java that was proven", appendix.target))
    columns = "".join(
        f"<div><h3>{name}</h3>{''.join(_program(file) for file in files)}</div>" for name, files in sides if files
    )
    return f"<section><h2>Both programs</h2><div class='pair'>{columns}</div></section>" if columns else ""


def _program(file: SourceFile) -> str:
    path, text = html.escape(file.path), html.escape(file.text)
    return f"<details><summary><code>{path}</code></summary><pre>{text}</pre></details>"


def _again(report: Mapping[str, Any], appendix: Appendix) -> str:
    if not appendix.again:
        return ""
    seed = f"<p>Seed of the data: <code>{report['seed']}</code></p>" if report.get("seed") is not None else ""
    text = html.escape("\n".join(appendix.again))
    return f"<section><h2>Run it again</h2>{seed}<pre>{text}</pre></section>"


def _wide(title: str, columns: Sequence[str], rows: str) -> str:
    head = "".join(f"<th>{name}</th>" for name in columns)
    return (
        f"<section><h2>{title}</h2><div class='wide'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _rows(rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _titled(name: str, items: Sequence[str]) -> str:
    return f"<h3>{name}</h3>{_list(items)}" if items else ""


def _list(items: Iterable[str]) -> str:
    listed = "".join(f"<li>{html.escape(item)}</li>" for item in items)
    return f"<ul>{listed}</ul>" if listed else ""


def _badge(entry: Mapping[str, Any]) -> str:
    return f'<span class="badge {entry["verdict"]}">{_words(entry["verdict"])}</span>'


def _words(verdict: str) -> str:
    return html.escape(verdict.replace("_", " "))


def _short(text: str, most: int = 240) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _side(side: str) -> str:
    return {"source": "Source", "target": "Target"}.get(side, side)


def _id(entry: str) -> str:
    return "e-" + "".join(c if c.isalnum() else "-" for c in entry)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>{body}
<footer>Equivalent on a suite means: on these databases and calls both programs were run and agreed, by the order rules
of the query. It is no proof for data that was not tried; losses and reservations say where the two sides are known to
be able to part.</footer></body></html>
"""

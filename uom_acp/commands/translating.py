"""What `uom translate` and `uom prove` share: reading what they were given, progress, writing what they found."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from react_agent.context import Context, context_from
from react_agent.model.translation import SourceFile
from react_agent.report import html_text, json_text, markdown
from react_agent.sandbox.artifacts import write_whole

BAD_INPUT = 2


def context_of(arguments: argparse.Namespace) -> Context:
    """The run's settings, with what the command line says on top."""
    return context_from(
        {
            "model": getattr(arguments, "model", "uom/rules"),
            "seed": arguments.seed,
            "recordings": _text(arguments.recordings),
            "allow_unisolated": arguments.allow_unisolated or None,
            "proof_data": _text(arguments.data),
            "proof_calls": _text(arguments.calls),
        }
    )


def _text(path: Path | None) -> str | None:
    return str(path.resolve()) if path is not None else None


def complain(error: object) -> int:
    """Say what is wrong with the input, on one line; returns the exit code for it."""
    sys.stderr.write(f"uom: {error}\n")
    return BAD_INPUT


def progress_line() -> Callable[[Mapping[str, Any]], None]:
    """Make a function that shows the translator's events on stderr, each stage and side once."""
    seen: set[str] = set()

    def show(event: Mapping[str, Any]) -> None:
        if event.get("type") != "progress":
            return
        what = event["message"] or f"{event['stage']} ({event['side']}, {event['total']} calls)"
        if what not in seen:
            seen.add(what)
            sys.stderr.write(f"  {what}\n")
            sys.stderr.flush()

    return show


def write_report(report: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Write the report where it was asked for, and print it."""
    if arguments.report is not None:
        is_page = arguments.report.suffix.lower() in {".html", ".htm"}
        text = html_text(report) if is_page else json_text(report)
        write_whole(arguments.report, text.encode())
    sys.stdout.write(json_text(report) if arguments.json else markdown(report) + "\n")


def write_results(proof: Mapping[str, Any] | None, path: Path | None) -> None:
    """Write both sides' envelopes of the user's calls, in the order of their file."""
    if path is None:
        return
    asked = proof.get("user_calls", []) if proof else []
    sides = {}
    for side in ("source", "target"):
        by_call = {envelope["call"]: envelope for envelope in (proof or {}).get(side, [])}
        sides[side] = [by_call[call] for call in asked if call in by_call]
    write_whole(path, json_text(sides).encode())


def java_files(folder: Path) -> tuple[SourceFile, ...]:
    """Read the Java sources of a Maven project."""
    root = folder / "src" / "main" / "java"
    found = sorted(root.rglob("*.java")) if root.is_dir() else []
    return tuple(
        SourceFile(path=file.relative_to(folder).as_posix(), text=file.read_text(encoding="utf-8")) for file in found
    )

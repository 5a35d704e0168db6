"""What `uom translate` and `uom prove` share: reading what they were given, progress, writing what they found."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from react_agent.context import Context, context_from
from react_agent.model.translation import SourceFile
from react_agent.report import json_text, markdown
from react_agent.report_page import Appendix, report_page
from react_agent.sandbox.artifacts import write_whole
from react_agent.sources import BadInput, read_text

BAD_INPUT = 2

MAX_PROBLEMS = 3
"""How many problems of one input a line names."""


def context_of(arguments: argparse.Namespace) -> Context:
    """The run's settings, with what the command line says on top."""
    return context_from({
        "model": getattr(arguments, "model", "uom/rules"),
        "seed": arguments.seed,
        "recordings": _text(arguments.recordings),
        "allow_unisolated": arguments.allow_unisolated or None,
        "proof_data": _text(arguments.data),
        "proof_calls": _text(arguments.calls),
    })


def _text(path: Path | None) -> str | None:
    return str(path.resolve()) if path is not None else None


def complain(error: object) -> int:
    """Say what is wrong with the input, on one line; returns the exit code for it."""
    problems = [line.strip() for line in str(error).splitlines() if line.strip()]
    more = [f"and {len(problems) - MAX_PROBLEMS} more"] if len(problems) > MAX_PROBLEMS else []
    sys.stderr.write(f"uom: {'; '.join([*problems[:MAX_PROBLEMS], *more])}\n")
    return BAD_INPUT


def check_writable(paths: Iterable[Path | None]) -> None:
    """See that results can be written where they are wanted, before anything is proven.

    Raises:
        BadInput: a place is no folder, or this user may not write there.
    """
    for path in paths:
        if path is None:
            continue
        place = next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())
        if place != path.absolute() and not place.is_dir():
            raise BadInput(f"{path}: cannot be written: {place} is not a folder")
        if not os.access(place, os.W_OK) or place.is_relative_to("/proc"):
            raise BadInput(f"{path}: cannot be written: {place} does not let you; name another place")
        if place == path.absolute() and place.is_dir() and path.suffix:
            raise BadInput(f"{path}: is a folder; name a file")


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Say of a file that cannot be written which one it is.

    Raises:
        BadInput: the system refused.
    """
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from None


_PROGRESS = {
    "run": "running {total} calls ({side})",
    "compare": "comparing {total} entries",
    "variants": "running variants of the queries",
    "shrink": "looking for the smallest rows that show the difference",
}


def progress_line() -> Callable[[Mapping[str, Any]], None]:
    """Make a function that shows the translator's events on stderr, each stage and side once."""
    seen: set[str] = set()

    def show(event: Mapping[str, Any]) -> None:
        if event.get("type") == "notice":
            sys.stderr.write(f"uom: {event['level']}: {event['message']}\n")
        if event.get("type") != "progress":
            return
        what = event["message"] or _PROGRESS.get(event["stage"], event["stage"] + " ({side}, {total})").format(**event)
        if what not in seen:
            seen.add(what)
            sys.stderr.write(f"  {what}\n")
            sys.stderr.flush()

    return show


def write_report(
    report: Mapping[str, Any],
    arguments: argparse.Namespace,
    sources: Iterable[SourceFile],
    java: Iterable[SourceFile],
) -> None:
    """Write the report where it was asked for, and print it; a page holds both programs as well."""
    if arguments.report is not None:
        text = json_text(report)
        if arguments.report.suffix.lower() in {".html", ".htm"}:
            again = _again(arguments, report)
            text = report_page(report, Appendix(source=tuple(sources), target=tuple(java), again=again))
        with writing(arguments.report):
            write_whole(arguments.report, text.encode("utf-8", "surrogatepass"))
    sys.stdout.write(json_text(report) if arguments.json else markdown(report) + "\n")


def _again(arguments: argparse.Namespace, report: Mapping[str, Any]) -> tuple[str, ...]:
    """The command that proves the same Java once more, on the same data."""
    java = getattr(arguments, "against", None) or arguments.out
    if java is None:
        java, first = Path("JAVA"), [f"uom translate {_quoted(arguments.paths)} --to {arguments.to} --out JAVA"]
    else:
        first = []
    given = [f"--{name} {_quoted([value])}" for name in ("data", "calls") if (value := getattr(arguments, name))]
    seed = [f"--seed {report['seed']}"] if report.get("seed") is not None else []
    return (*first, " ".join([f"uom prove {_quoted(arguments.paths)} --against {_quoted([java])}", *given, *seed]))


def _quoted(paths: Iterable[Path | str]) -> str:
    return " ".join(shlex.quote(str(path)) for path in paths)


def write_results(proof: Mapping[str, Any] | None, path: Path | None) -> None:
    """Write both sides' envelopes of the user's calls, in the order of their file."""
    if path is None:
        return
    asked = proof.get("user_calls", []) if proof else []
    sides = {}
    for side in ("source", "target"):
        by_call = {envelope["call"]: envelope for envelope in (proof or {}).get(side, [])}
        sides[side] = [by_call[call] for call in asked if call in by_call]
    with writing(path):
        write_whole(path, json_text(sides).encode("utf-8", "surrogatepass"))


def java_files(folder: Path) -> tuple[SourceFile, ...]:
    """Read the Java sources of a Maven project.

    Raises:
        BadInput: a file cannot be read, or is no text.
    """
    root = folder / "src" / "main" / "java"
    found = sorted(root.rglob("*.java")) if root.is_dir() else []
    return tuple(SourceFile(path=file.relative_to(folder).as_posix(), text=read_text(file)) for file in found)

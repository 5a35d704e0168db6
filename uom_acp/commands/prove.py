"""`uom prove`: the proof alone, for Java that a person or another tool wrote or changed."""

import argparse
import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from react_agent.context import BadSetting, Context
from react_agent.draft import Draft, draft
from react_agent.frameworks import FrameworkEnum
from react_agent.judging import judge, judge_not_run, proof_of, report_of
from react_agent.listing import is_wanted, with_listing, without_listing
from react_agent.model.manifest import NAME, BadManifest, Manifest, read_manifest
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.pairing import paired
from react_agent.proof.userdata import BadData, read_calls, read_data
from react_agent.prove import choose_suite
from react_agent.record import record
from react_agent.repair import forbidden_feedback, refusal
from react_agent.runs import run_both, together
from react_agent.sandbox.protocol import (
    IsolationUnavailable,
    JobKilled,
    JobRefused,
    JobTimedOut,
    SandboxError,
    ToolchainMissing,
)
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.sources import BadInput, read_json, read_sources, read_text
from react_agent.workbench import Workbench
from uom_acp.commands.translate import exit_code_of
from uom_acp.commands.translating import (
    check_writable,
    complain,
    context_of,
    java_files,
    progress_line,
    write_report,
    write_results,
    writing,
)


def run(arguments: argparse.Namespace) -> int:
    """Prove a Java project against its C#; the exit code says what was proven."""
    try:
        sources = read_sources(arguments.paths)
        files = _java(arguments.against)
        manifest = _manifest(arguments.against)
        context = context_of(arguments)
        check_writable([arguments.report, arguments.results, arguments.record])
        made = draft(sources)
        if arguments.data:
            read_data(read_json(arguments.data), made.mapping)
        if arguments.calls:
            read_calls(read_json(arguments.calls), made.reading.queries, made.mapping)
        return asyncio.run(_prove(arguments, sources, files, manifest, context))
    except (BadInput, BadManifest, BadSetting, BadData) as error:
        return complain(error)


def _java(folder: Path) -> tuple[SourceFile, ...]:
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder; name the Java project that `uom translate --out` wrote")
    files = java_files(folder)
    if not files:
        raise BadInput(f"{folder}: no Java below src/main/java; name the root of a Maven project")
    return files


def _manifest(folder: Path) -> Manifest | None:
    file = folder / NAME
    return read_manifest(read_text(file), str(file)) if file.is_file() else None


async def _prove(
    arguments: argparse.Namespace,
    sources: tuple[SourceFile, ...],
    files: tuple[SourceFile, ...],
    manifest: Manifest | None,
    context: Context,
) -> int:
    bench = Workbench(context=context, sources=sources, target=FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
    try:
        report, proof = await prove_java(bench, files, manifest)
        write_results(proof, arguments.results)
        if arguments.record is not None and proof is not None and bench.candidate is not None:
            with writing(arguments.record):
                file = await record(bench, bench.candidate, proof, arguments.record)
            sys.stderr.write(f"  recorded the source in {file}\n")
        write_report(report, arguments, sources, files)
        return exit_code_of(report)
    finally:
        await bench.close()
        await ValidationSandbox.close()


async def prove_java(
    bench: Workbench, files: tuple[SourceFile, ...], manifest: Manifest | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Prove Java against the C# of a workbench: the report, and what both sides answered where they ran.

    What could not run is a verdict, not an error.

    Raises:
        BadInput: the C# or the Java cannot be used.
    """
    try:
        mapping = await _mapping(bench)
    except (JobTimedOut, JobKilled) as error:
        bench.take(_candidate(bench, files, manifest, None))
        return _not_run(bench, f"source: {error}", "harness_error"), None
    bench.take(_candidate(bench, files, manifest, mapping))
    try:
        return await _verdicts(bench)
    except JobRefused as refused:
        raise BadInput(refusal("the Java", refused)) from None
    except SandboxError as error:
        missing = isinstance(error, ToolchainMissing | IsolationUnavailable)
        return _not_run(bench, str(error), "not_executed" if missing else "harness_error"), None


async def _mapping(bench: Workbench) -> MappingModel | None:
    """Ask EF Core for its mapping; None where nothing is there to ask, which the verdicts will say.

    Raises:
        BadInput: the C# does not compile, or EF Core refuses the model.
        JobTimedOut, JobKilled: the C# hangs, or its program was ended.
    """
    try:
        made = draft(bench.sources)
        if is_wanted(made.reading):
            bench.sources = with_listing(bench.sources, made.mapping)
        source = await bench.source()
        await source.compile()
        return await source.describe(made.mapping.context)
    except JobRefused as refused:
        raise BadInput(refusal("the C#", refused)) from None
    except (ToolchainMissing, IsolationUnavailable):
        return None


def _candidate(
    bench: Workbench, files: tuple[SourceFile, ...], manifest: Manifest | None, mapping: MappingModel | None
) -> Draft:
    """Put the person's Java in the place of ours; the manifest says which methods stand for which entries."""
    named = manifest.decisions if manifest else ()
    decided = {each.id: each.chosen for each in named if each.chosen in each.options}
    made = draft(bench.sources, mapping=mapping, release=bench.context.release, decisions=decided)
    if bench.sources != without_listing(bench.sources):
        files = (*without_listing(files), *(f for f in made.translation.files if f not in without_listing([f])))
        manifest = None
    ours = {file.path: file.text for file in made.translation.files}
    foreign = any(ours.get(file.path) != file.text for file in files)
    translation = replace(made.translation, files=files)
    if manifest is not None:
        known = {method.entry for method in made.reading.queries.methods}
        if gone := [pair.entry for pair in manifest.entries if pair.entry not in known]:
            raise BadInput(f"{NAME} names {gone[0]}, which the C# does not have; name the C# it was made from")
        pairing = paired(manifest, made.translation, files)
        return replace(made, translation=pairing.translation, foreign=foreign, reservations=pairing.reservations)
    return replace(made, translation=translation, foreign=foreign)


def _not_run(bench: Workbench, why: str, verdict: str) -> dict[str, Any]:
    failure = {"stage": "prove", "message": why, "verdict": verdict}
    return report_of(bench, judge_not_run(bench, failure)).to_json()


async def _verdicts(bench: Workbench) -> tuple[dict[str, Any], dict[str, Any]]:
    assert bench.candidate is not None
    tell = _teller()
    sides = await bench.sides()
    with bench.timed("compile"):
        _, java = await together(sides.source.compile(), sides.target.compile())
    if java.forbidden:
        raise BadInput(forbidden_feedback(java.forbidden))
    bench.suite = choose_suite(bench.candidate, sides.source, bench.context.seed, data=bench.data, calls=bench.calls)
    seconds = bench.context.sandbox_execution_timeout
    with bench.timed("run"):
        bench.runs = await run_both(bench.candidate, bench.suite, sides, tell, seconds=seconds)
    with bench.timed("compare"):
        judgement = await judge(bench, lambda number, total: tell("compare", "both", number, total))
    return report_of(bench, judgement.verdicts).to_json(), proof_of(bench)


def _teller() -> Callable[[str, str, int, int], None]:
    show = progress_line()

    def tell(stage: str, side: str, done: int, total: int) -> None:
        show({"type": "progress", "stage": stage, "side": side, "done": done, "total": total, "message": ""})

    return tell

"""`uom translate`: the same engine without an editor."""

import argparse
import asyncio
import sys
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from react_agent.context import BadSetting, Context
from react_agent.draft import Draft, draft
from react_agent.frameworks import FrameworkEnum, UnknownTarget, target_named
from react_agent.graph import builder
from react_agent.harness.programs import FOLDER, proof_files, suite_of
from react_agent.listing import published
from react_agent.model.manifest import NAME, BadManifest, manifest_of, read_manifest, sha256
from react_agent.model.translation import SourceFile
from react_agent.models import ModelUnavailable, known_model
from react_agent.proof.suite import make_suite
from react_agent.proof.userdata import BadData, read_calls, read_data
from react_agent.record import record
from react_agent.request import Block, pack
from react_agent.routes import Outcome
from react_agent.sandbox.artifacts import write_whole
from react_agent.sandbox.recordings import source_hash
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.sources import BadInput, read_json, read_sources, read_text
from react_agent.state import InputState
from react_agent.workbench import Workbench, close_benches, load_candidate, load_json
from uom_acp.commands.translating import (
    check_writable,
    complain,
    context_of,
    progress_line,
    write_report,
    write_results,
    writing,
)

NOT_PROVEN = 3


def run(arguments: argparse.Namespace) -> int:
    """Translate, prove, write; the exit code says what was proven."""
    try:
        target = target_named(arguments.to)
        sources = read_sources(arguments.paths)
        made = draft(sources, target)
        context = context_of(arguments)
        if arguments.data:
            read_data(read_json(arguments.data), made.mapping)
        if arguments.calls:
            read_calls(read_json(arguments.calls), made.reading.queries)
        _check_out(arguments.out)
        check_writable([arguments.out, arguments.report, arguments.results, arguments.record])
        return asyncio.run(_translate(arguments, sources, target, context))
    except (BadInput, UnknownTarget, BadSetting, BadData, ModelUnavailable) as error:
        return complain(error)


def _check_out(out: Path | None) -> None:
    """Refuse to write over what UOM did not write, or what somebody changed since."""
    if out is None or not out.exists():
        return
    if not out.is_dir():
        raise BadInput(f"{out}: not a folder; name a folder for the Java project")
    if not any(out.iterdir()):
        return
    manifest = out / NAME
    if not manifest.is_file():
        raise BadInput(f"{out}: not empty, and no {NAME} there says that UOM wrote it; name an empty folder")
    try:
        known = read_manifest(read_text(manifest), str(manifest)).files
    except BadManifest as error:
        raise BadInput(str(error)) from None
    for path, digest in known.items():
        file = out / path
        if file.is_file() and sha256(file.read_bytes().decode("utf-8", "surrogateescape")) != digest:
            raise BadInput(f"{file}: changed since UOM wrote it; prove it with `uom prove`, or name another folder")


async def _translate(
    arguments: argparse.Namespace, sources: Sequence[SourceFile], target: FrameworkEnum, context: Context
) -> int:
    try:
        await known_model(context)
        values = await _run_graph(sources, target, context)
        if values.get("outcome") == Outcome.STOP:
            return complain(values["explanation_message"])
        report = values.get("report")
        if report is None:
            return _without_report(values)
        bench = Workbench(context=context, sources=tuple(sources), target=target)
        candidate = await load_candidate(values["translation"], bench)
        if arguments.out is not None:
            java = published(candidate.translation)
            manifest = manifest_of(java, candidate.mapping, sources, str(target))
            _remove_stale(arguments.out, manifest.files)
            _write(arguments.out, (*java.files, SourceFile(path=NAME, text=manifest.to_text())))
            sys.stderr.write(f"  wrote {len(java.files) + 1} files to {arguments.out}\n")
        proof = await load_json(values["proof"]) if values.get("proof") else None
        if arguments.out is not None and proof is not None:
            _write_programs(arguments.out, candidate, proof, fresh=context.seed is None)
        write_results(proof, arguments.results)
        if arguments.record is not None and proof is not None:
            with writing(arguments.record):
                file = await record(bench, candidate, proof, arguments.record)
            sys.stderr.write(f"  recorded the source in {file}\n")
        write_report(report, arguments, sources, published(candidate.translation).files)
        return exit_code_of(report)
    finally:
        await close_benches()
        await ValidationSandbox.close()


def exit_code_of(report: dict[str, Any]) -> int:
    """0 all equivalent, 1 one is different, 3 something is not proven; gaps of the mapping count as not proven."""
    verdicts = {entry["verdict"] for entry in report["entries"]}
    if "different" in verdicts:
        return 1
    mapping_gaps = any(not gap["entry"] for gap in report["gaps"])
    return 0 if verdicts == {"equivalent_on_suite"} and not mapping_gaps else NOT_PROVEN


def _without_report(values: dict[str, Any]) -> int:
    sys.stderr.write(f"uom: {values.get('explanation_message') or 'the translation did not come to a verdict'}\n")
    return NOT_PROVEN


async def _run_graph(sources: Sequence[SourceFile], target: FrameworkEnum, context: Context) -> dict[str, Any]:
    """Run the graph to its end, or to the question it would ask a person: the best candidate stands then."""
    blocks = [Block(kind="message", text=f"Translate these files to {target.display_name}.")]
    blocks += [Block(kind="file", path=source.path, text=source.text) for source in sources]
    graph = builder.compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": uuid.uuid4().hex}}
    show = progress_line()
    message = HumanMessage(pack(blocks))
    async for event in graph.astream(InputState(messages=[message]), config, context=context, stream_mode="custom"):
        show(event)
    return dict((await graph.aget_state(config)).values)


def _write_programs(out: Path, candidate: Draft, proof: dict[str, Any], *, fresh: bool) -> None:
    """Write the programs for a person to run again; they are no part of the project.

    With a fresh seed for each proof they would change with every run: their rows then follow from the sources.
    """
    suite = suite_of(proof)
    if fresh and suite.seed is not None:
        seed = int(source_hash((file.path, file.text) for file in candidate.sources)[:7], 16)
        methods = [candidate.method(pair.entry) for pair in candidate.translation.entries]
        suite = make_suite(candidate.mapping, candidate.reading.queries, methods, seed)
    files = proof_files(candidate, suite)
    if files:
        _write(out, files)
        sys.stderr.write(f"  wrote the programs to run again to {out / FOLDER}\n")


def _remove_stale(out: Path, wanted: Iterable[str]) -> None:
    """Take away what an earlier run wrote and this one does not: Maven would build it, too."""
    manifest = out / NAME
    if manifest.is_file():
        for path in set(read_manifest(read_text(manifest), str(manifest)).files) - set(wanted):
            with writing(out / path):
                (out / path).unlink(missing_ok=True)


def _write(out: Path, files: Sequence[SourceFile]) -> None:
    for file in files:
        with writing(out / file.path):
            write_whole(out / file.path, file.text.encode("utf-8", "surrogatepass"))

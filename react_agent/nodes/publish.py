"""publish: the final code and a short summary go into the chat; everything else stays behind."""

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.fences import code_fields, fenced
from react_agent.harness.programs import programs, suite_of
from react_agent.listing import published, without_listing
from react_agent.model.manifest import NAME, manifest_of
from react_agent.model.translation import SourceFile
from react_agent.nodes.extract_input import code_of
from react_agent.nodes.working import bench_of
from react_agent.report import markdown
from react_agent.routes import Outcome
from react_agent.state import State
from react_agent.workbench import drop_bench, load_json

NOT_PROVEN = "**Not proven.** You accepted this translation; the programs did not agree, or did not run."


async def publish(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Say the outcome; nothing but code and summary reaches the chat. The run's workers are ended."""
    cleared = {"translation_messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)], "request": None}
    request = [HumanMessage(await load_json(state.request), id=state.request["message"])] if state.request else []
    if state.outcome in {Outcome.STOP, Outcome.QUESTION, Outcome.UNREADABLE} or state.translation is None:
        await drop_bench(state.run)
        text = state.explanation_message or "Nothing was translated."
        return cleared | {"messages": [*request, AIMessage(text)], "explanation_message": text}
    bench = await bench_of(state, runtime)
    assert bench.candidate is not None
    candidate = bench.candidate
    given, java = without_listing(candidate.sources), published(candidate.translation)
    manifest = manifest_of(java, candidate.mapping, given, str(state.destination_target))
    files = (*java.files, SourceFile(path=NAME, text=manifest.to_text()))
    accepted = [NOT_PROVEN] if state.outcome == Outcome.ACCEPTED else []
    summary = state.explanation_message or ""
    if state.outcome == Outcome.ACCEPTED and state.report:
        summary = markdown(state.report)
    text = "\n\n".join([fenced(files), *accepted, summary])
    suite = bench.suite or (suite_of(await load_json(state.proof)) if state.proof else None)
    run_again = programs(candidate, suite)
    await drop_bench(state.run)
    return (
        cleared
        | code_of(given)
        | code_fields(java.files, [pair.java_class for pair in java.entries])
        | run_again
        | {"messages": [*request, AIMessage(text)], "explanation_message": "\n\n".join([*accepted, summary])}
    )

"""translate: the rules write the draft; a model, where there is one, fills gaps and repairs what was shown wrong."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from react_agent import prompts
from react_agent.asking import ask
from react_agent.context import Context
from react_agent.draft import Draft, draft
from react_agent.fences import replaced, unfenced
from react_agent.fill import filled_entries
from react_agent.frameworks import FrameworkEnum, TranslationType
from react_agent.listing import is_wanted, with_listing
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.nodes.working import bench_of, failed, say
from react_agent.repair import refusal, repairable
from react_agent.routes import Outcome
from react_agent.sandbox.protocol import (
    IsolationUnavailable,
    JobKilled,
    JobRefused,
    JobTimedOut,
    SandboxError,
    ToolchainMissing,
)
from react_agent.sources import BadInput
from react_agent.state import State
from react_agent.utils import get_message_text
from react_agent.workbench import Workbench, store_candidate

log = logging.getLogger(__name__)

NO_FILE = "No file was found in the answer. Answer with whole files, each in a fenced block with path=…"
"""What a model is told that answered with prose."""


async def translate(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Write a candidate: by the rules on the first round, by the model where it is asked to fill or repair."""
    bench = await bench_of(state, runtime)
    repairing = state.outcome in {Outcome.FAULTY, Outcome.REJECTED}
    try:
        base = bench.candidate if repairing and bench.candidate else await _draft(state, bench)
    except BadInput as bad:
        return {"outcome": Outcome.STOP, "explanation_message": str(bad)}
    except (JobTimedOut, JobKilled) as error:
        return await _without_ef(state, bench, error)
    answered: list[Any] = []
    if repairable(bench.context) and (repairing or base.gaps):
        say("translate", "asking the model")
        base, answered = await _ask_model(state, bench, base)
    bench.take(base)
    tell_decisions(base)
    return {
        "outcome": Outcome.GO_ON,
        "translation": await store_candidate(base),
        "translation_loop_count": state.translation_loop_count + (1 if state.outcome == Outcome.FAULTY else 0),
        "translation_messages": answered,
    }


def tell_decisions(made: Draft) -> None:
    """Tell the client what was decided, so that a person can decide otherwise."""
    decisions = [asdict(each) for each in made.translation.documents.decisions]
    get_stream_writer()({"type": "decisions", "decisions": decisions})


async def _without_ef(state: State, bench: Workbench, error: SandboxError) -> dict[str, Any]:
    """Give up on a source whose model hangs or ends its program: it would do so again in every run."""
    bench.take(await asyncio.to_thread(draft, bench.sources, _target(state, bench), release=bench.context.release))
    assert bench.candidate is not None
    update = failed(state, "translate", error)
    update["failure"]["message"] = f"source: {error}"
    return {**update, "translation": await store_candidate(bench.candidate)}


def _target(state: State, bench: Workbench) -> FrameworkEnum:
    return FrameworkEnum(state.destination_target or bench.target)


async def _draft(state: State, bench: Workbench) -> Draft:
    """Let the rules write, with EF Core's own mapping where it can be asked."""
    say("translate", "reading the C#")
    target, release = _target(state, bench), bench.context.release
    decisions = bench.context.decisions
    made = await asyncio.to_thread(draft, bench.sources, target, release=release, decisions=decisions)
    listing = state.translation_type == TranslationType.SCHEMA or is_wanted(made.reading)
    if listing:
        bench.sources = with_listing(bench.sources, made.mapping)
    mapping = await _ask_ef(bench, made.mapping.context)
    if mapping is None and not listing:
        return made
    return await asyncio.to_thread(
        draft, bench.sources, target, mapping=mapping, release=release, listing=listing, decisions=decisions
    )


async def _ask_ef(bench: Workbench, context: str) -> MappingModel | None:
    """Ask EF Core for its mapping; None where it cannot be asked, which the proof will say.

    Raises:
        BadInput: the C# does not compile, or EF Core refuses the model.
        JobTimedOut, JobKilled: the model hangs, or its program was ended.
    """
    say("translate", "asking EF Core for its mapping", side="source")
    try:
        source = await bench.source()
        await source.compile()
        return await source.describe(context)
    except JobRefused as refused:
        raise BadInput(refusal("the C#", refused)) from None
    except (ToolchainMissing, IsolationUnavailable) as error:
        log.info("EF Core could not be asked: %s", error)
        return None


async def _ask_model(state: State, bench: Workbench, base: Draft) -> tuple[Draft, list[Any]]:
    """Ask the model for whole files; prose, and files that are not the project's, change nothing."""
    request = [
        SystemMessage(prompts.TRANSLATE.format(release=bench.context.release)),
        HumanMessage(prompts.task(base, base.gaps, state.schema_context)),
        *state.translation_messages,
    ]
    files = await _answered_files(bench, request)
    note = AIMessage(f"Answered with {', '.join(file.path for file in files) or 'no file'}.")
    translation = replace(base.translation, files=replaced(base.translation.files, files))
    return filled_entries(replace(base, translation=translation, foreign=base.foreign or bool(files))), [note]


async def _answered_files(bench: Workbench, request: Sequence[BaseMessage]) -> tuple[SourceFile, ...]:
    """Read the Java files of the model's answer; it is reminded once that only files are read."""
    answer = await ask(bench.context, request)
    files = _java_files(answer)
    if files or answer is None:
        return files
    return _java_files(await ask(bench.context, [*request, answer, HumanMessage(NO_FILE)]))


def _java_files(answer: AIMessage | None) -> tuple[SourceFile, ...]:
    text = get_message_text(answer) if answer is not None else ""
    return tuple(file for file in unfenced(text) if file.path.endswith(".java"))

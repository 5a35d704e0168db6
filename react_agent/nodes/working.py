"""What every working node needs: settings, the workbench of its run, a way to say how far it is."""

from collections.abc import Callable, Iterable
from typing import Any

from langgraph.config import get_config, get_stream_writer
from langgraph.runtime import Runtime

from react_agent.context import Context, context_from
from react_agent.frameworks import FrameworkEnum
from react_agent.proof.verdict import EntryVerdict
from react_agent.routes import MAX_HARNESS_ERRORS, Outcome
from react_agent.sandbox.protocol import IsolationUnavailable, JobKilled, JobTimedOut, SandboxError, ToolchainMissing
from react_agent.state import State
from react_agent.workbench import Workbench, bench_named, keep_bench, load_candidate, load_sources


def settings(runtime: Runtime[Context]) -> Context:
    """The run's settings; a client that sends none gets those of the environment."""
    return context_from(runtime.context, get_config().get("configurable"))


async def bench_of(state: State, runtime: Runtime[Context]) -> Workbench:
    """The workbench of this run; made again from the state where the process is another one."""
    bench = bench_named(state.run)
    if bench is None:
        assert state.sources is not None
        target = FrameworkEnum(state.destination_target or FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
        sources = await load_sources(state.sources)
        bench = keep_bench(state.run, Workbench(context=settings(runtime), sources=sources, target=target))
    if bench.candidate is None and state.translation is not None:
        bench.take(await load_candidate(state.translation, bench))
    return bench


def progress(stage: str) -> Callable[[str, int, int], None]:
    """Make a function that tells the client (side, done, total) of a stage."""
    write = get_stream_writer()

    def tell(side: str, done: int, total: int) -> None:
        write({"type": "progress", "stage": stage, "side": side, "done": done, "total": total, "message": ""})

    return tell


def say(stage: str, message: str, side: str = "both") -> None:
    """Tell the client in words what is being done."""
    get_stream_writer()({"type": "progress", "stage": stage, "side": side, "done": 0, "total": 0, "message": message})


def tell_verdicts(verdicts: Iterable[EntryVerdict]) -> None:
    """Send verdicts to the client; through a sub-agent's boundary only the last text returns by itself."""
    write = get_stream_writer()
    for verdict in verdicts:
        write({"type": "verdict", **verdict.to_json()})


def failed(state: State, stage: str, error: SandboxError) -> dict[str, Any]:
    """What a node returns when the machinery, and not the translation, is to blame.

    A program that was ended would be ended again, and what is missing stays missing: these are not tried again.
    """
    lasting = isinstance(error, JobTimedOut | JobKilled | ToolchainMissing | IsolationUnavailable)
    missing = isinstance(error, ToolchainMissing | IsolationUnavailable)
    count = MAX_HARNESS_ERRORS + 1 if lasting else state.harness_error_count + 1
    return {
        "outcome": Outcome.HARNESS,
        "harness_error_count": count,
        "failure": {"stage": stage, "message": str(error), "verdict": "not_executed" if missing else "harness_error"},
    }

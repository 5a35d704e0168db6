"""run_harnesses: run both sides over the same suite, at the same time."""

from typing import Any

from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.judging import proof_of
from react_agent.nodes.working import bench_of, failed, progress
from react_agent.proof.envelopes import QueryValidationResults
from react_agent.prove import choose_suite
from react_agent.routes import Outcome
from react_agent.runs import run_both
from react_agent.sandbox.protocol import SandboxError
from react_agent.state import State
from react_agent.workbench import store_json


async def run_harnesses(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Choose the data, call every entry on both sides, keep the envelopes by reference."""
    bench = await bench_of(state, runtime)
    assert bench.candidate is not None
    tell = progress("run")
    try:
        sides = await bench.sides()
        bench.suite = bench.suite or choose_suite(
            bench.candidate, sides.source, bench.context.seed, data=bench.data, calls=bench.calls
        )
        with bench.timed("run"):
            bench.runs = await run_both(
                bench.candidate,
                bench.suite,
                sides,
                lambda _stage, side, done, total: tell(side, done, total),
                seconds=bench.context.sandbox_execution_timeout,
            )
    except SandboxError as error:
        return failed(state, "run", error)
    ref = await store_json(proof_of(bench))
    return {
        "outcome": Outcome.GO_ON,
        "proof": ref,
        "source_query_validation_results": QueryValidationResults.of(tuple(bench.runs.source.values()), ref).to_json(),
        "target_query_validation_results": QueryValidationResults.of(tuple(bench.runs.target.values()), ref).to_json(),
    }

"""Measure what has to be quick, each against a baseline of the same run: a ratio holds on every machine.

usage: bench.py [ROUNDS]
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from react_agent.context import Context
from react_agent.draft import draft
from react_agent.frameworks import FrameworkEnum
from react_agent.model.values import Cell, CellType, scalar
from react_agent.proof.compare import compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.order import Order, OrderRule
from react_agent.prove import choose_suite
from react_agent.runs import run_both, together
from react_agent.samples import sample
from react_agent.sandbox.local import LocalSandbox
from react_agent.sandbox.protocol import SandboxError, SandboxType
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.workbench import Workbench, sandbox_of

HERE = Path(__file__).resolve().parents[1]
ROWS = 100_000
SEED = 7

Line = tuple[str, float, str, float]
"""What was measured and its seconds; the baseline and its seconds."""


def main() -> int:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'what':38} {'ms':>8}   {'baseline':38} {'ms':>8} {'ratio':>7}")
    for what, seconds, baseline, its in measured(rounds):
        print(f"{what:38} {seconds * 1000:8.1f}   {baseline:38} {its * 1000:8.1f} {seconds / its:7.2f}", flush=True)
    return 0


def measured(rounds: int) -> Iterator[Line]:
    """Measure one thing after the other, so that none disturbs the next."""
    try:
        yield asyncio.run(both_sides(rounds))
    except SandboxError as missing:
        print(f"both sides: not measured: {missing}")
    bare = median(rounds, lambda: run([sys.executable, "-c", "pass"]))
    yield "initialize answered", median(rounds, initialize), "a bare Python start", bare
    yield judge(rounds)
    script = ["bash", str(HERE / "uom_deep_agent" / "detect_context.sh")]
    in_turn = median(rounds, lambda: run([*script, "--in-turn"]))
    yield "local context, in parallel", median(rounds, lambda: run(script)), "the same probes in turn", in_turn


def median(rounds: int, work: Callable[[], object]) -> float:
    """The middle of some runs, in seconds."""
    return statistics.median(timed(work) for _ in range(rounds))


def timed(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(command: list[str]) -> None:
    """Run a program to its end."""
    subprocess.run(command, cwd=HERE, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def initialize() -> None:
    """Start the server as an editor does, and wait for its first answer."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    command = [sys.executable, "-m", "uom_acp", "acp"]
    with subprocess.Popen(
        command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        server.kill()
    assert answer["result"]["protocolVersion"] == 1, answer


def judge(rounds: int) -> Line:
    """Compare two results of many rows that agree, one of them in another order."""
    rows = [row(at) for at in range(ROWS)]
    source, target = envelope(rows), envelope(rows[::-1])
    rule = OrderRule(order=Order.UNORDERED)
    assert compare(source, target, rule) is None
    text = json.dumps(source.to_json())
    read = median(rounds, lambda: json.loads(text))
    return f"judge {ROWS:,} rows", median(rounds, lambda: compare(source, target, rule)), "reading them as JSON", read


def row(at: int) -> Cell:
    """One row with a number, a text and a decimal."""
    cells = {
        "Id": scalar(CellType.INT, at),
        "Name": scalar(CellType.STRING, f"name {at}"),
        "Price": scalar(CellType.DECIMAL, f"{at}.50"),
    }
    return Cell(type=CellType.OBJECT, name="Row", fields=cells)


def envelope(rows: list[Cell]) -> Envelope:
    """What a side answered."""
    value = Cell(type=CellType.LIST, items=tuple(rows)).to_json()
    return Envelope.from_json({
        "call": "1", "instance": "1", "method": "All", "args": [], "outcome": "rows", "value": value,
        "row_count": len(rows), "warnings": [],
    })  # fmt: skip


async def both_sides(rounds: int) -> Line:
    """Compile and run the bundled sample on both sides: first with nothing started, then with warm workers."""
    context = Context(model="uom/rules")
    try:
        start = time.perf_counter()
        await prove(context)
        cold = time.perf_counter() - start
        seconds = []
        for _ in range(rounds):
            await together(*(warm(kind, context) for kind in SandboxType))
            start = time.perf_counter()
            await prove(context)
            seconds.append(time.perf_counter() - start)
    finally:
        await ValidationSandbox.close()
    return "both sides, warm", statistics.median(seconds), "both sides, nothing started", cold


async def warm(kind: SandboxType, context: Context) -> None:
    """Wait until a side's next worker is ready."""
    sandbox = await sandbox_of(kind, context)
    if isinstance(sandbox, LocalSandbox):
        await sandbox.warm()


async def prove(context: Context) -> None:
    """Compile both programs and make every call of the suite."""
    sources = sample("workshop")
    bench = Workbench(context=context, sources=sources, target=FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
    bench.take(draft(sources))
    assert bench.candidate is not None
    try:
        source, _ = await together(bench.source(), bench.java())
        sides = await bench.sides()
        await together(sides.source.compile(), sides.target.compile())
        suite = choose_suite(bench.candidate, source, SEED)
        await run_both(bench.candidate, suite, sides, seconds=context.sandbox_execution_timeout)
    finally:
        await bench.close()


if __name__ == "__main__":
    sys.exit(main())

"""The judge's rows and its second opinion, against EF Core itself."""

from collections import Counter
from collections.abc import AsyncGenerator
from importlib import resources
from pathlib import Path

import pytest
import pytest_asyncio

from react_agent.csharp import read
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.proof.calls import make_calls
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import evaluate
from react_agent.proof.instances import make_instances
from react_agent.proof.order import order_rule
from react_agent.proof.pages import with_unpaged
from react_agent.proof.runtime import Unknown
from react_agent.sandbox.dotnet_toolchain import find_dotnet
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.probe import find_isolation
from tests.react_agent.proof.golden import folder

ODD = Path(__file__).with_name("samples")
CASES = ["odd", "workshop", "01", "04", "06", "11", "17", "18"]


@pytest_asyncio.fixture
async def worker() -> AsyncGenerator[Worker]:
    toolchain = await find_dotnet()
    isolation = await find_isolation()
    started = await Worker.start(toolchain, WorkerSettings(), bwrap=isolation.bwrap)
    yield started
    await started.end()


def sources(name):
    if name == "odd":
        home = ODD
    elif name == "workshop":
        home = Path(str(resources.files("react_agent.samples"))) / name
    else:
        root = folder()
        if root is None:
            pytest.skip("no recorded cases: set UOM_CASES")
        home = next(root.glob(f"{name}*"))
    files = [f for f in sorted(home.glob("*.cs")) if f.name != "Seed.cs"]
    return [SourceFile(path=f.name, text=f.read_text(encoding="utf-8")) for f in files]


def opinion(method, mapping, instance, call, envelope):
    """In what the interpreter differs from EF on a call; nothing, too, where it does not cover the call."""
    rule = with_unpaged(order_rule(method, mapping, dict(call.args)), method, mapping, instance, call, envelope)
    try:
        answer = evaluate(method, mapping, instance.tables, dict(call.args))
    except Unknown:
        return None
    found = compare(envelope, answer, rule)
    return None if found is not None and found.kind == DifferenceKind.UNDETERMINED else found


@pytest.mark.dotnet
@pytest.mark.parametrize("name", CASES)
async def test_ef_takes_every_instance_and_answers_as_the_interpreter_does(worker, name):
    files = sources(name)
    reading = read(files)
    assert reading.mapping is not None
    given = {"sources": [{"path": f.path, "text": f.text} for f in files]}
    await worker.request("compile", given)
    described = await worker.request("describe", {"context": reading.mapping.context})
    mapping = MappingModel.from_json(described["model"])
    methods = {m.entry: m for m in reading.queries.methods if m.query is not None}
    instances = {i.id: i for i in make_instances(mapping, reading.queries, 42)}
    calls = [c for m in methods.values() for c in make_calls(m, mapping, tuple(instances.values()), 42)]

    ran = await worker.request(
        "run",
        {
            "context": mapping.context,
            "instances": [i.to_json() for i in instances.values()],
            "calls": [c.to_json() for c in calls],
        },
    )

    envelopes = {e["call"]: Envelope.from_json(e) for e in ran["envelopes"]}
    followed = Counter()
    for call in calls:
        entry = f"{call.class_name}.{call.method}"
        found = opinion(methods[entry], mapping, instances[call.instance], call, envelopes[call.id])
        assert found is None, f"{call.to_json()}: {found.message}"
        followed[entry] += 1
    assert set(followed) == set(methods)

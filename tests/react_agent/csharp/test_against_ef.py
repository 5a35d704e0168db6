"""The mapping read from text against the one that EF Core prints of the same sources."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from react_agent.csharp import mapping_faults, read
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.sandbox.dotnet_toolchain import DotnetToolchain, find_dotnet
from react_agent.sandbox.job import Worker, WorkerSettings
from tests.react_agent.csharp.sources import folder

pytestmark = [pytest.mark.dotnet, pytest.mark.asyncio(loop_scope="module")]
MAPPINGS = sorted((Path(__file__).parent / "mappings").glob("*.cs"))
CASES = [
    "01-sum-over-empty-children",
    "04-optional-nav-enum-name-sum",
    "06-composed-search-ties-page",
    "11-many-to-many-payload",
    "17-null-comparisons",
    "18-bulk-commands-state",
]


@pytest.fixture(scope="module")
def toolchain() -> DotnetToolchain:
    return asyncio.run(find_dotnet())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worker(toolchain: DotnetToolchain) -> AsyncGenerator[Worker]:
    started = await Worker.start(toolchain, WorkerSettings(), bwrap=None)
    yield started
    await started.end()


async def described(worker: Worker, sources: list[SourceFile]) -> MappingModel:
    payload = {"sources": [{"path": s.path, "text": s.text} for s in sources]}
    compiled = await worker.request("compile", payload)
    printed = await worker.request("describe", {"context": compiled["contexts"][0]["full_name"]})
    return MappingModel.from_json(printed["model"])


async def differences(worker: Worker, sources: list[SourceFile]) -> tuple[str, ...]:
    ef = await described(worker, sources)
    reading = read(sources)
    assert [str(g) for g in reading.gaps if not g.entry] == []
    assert reading.mapping is not None
    return mapping_faults(reading.mapping, ef)


@pytest.fixture(params=MAPPINGS, ids=lambda p: p.stem)
def mapped(request: pytest.FixtureRequest) -> SourceFile:
    path: Path = request.param
    return SourceFile(path=path.name, text=path.read_text(encoding="utf-8"))


async def test_conventions_attributes_and_calls_mean_what_ef_makes_of_them(worker: Worker, mapped: SourceFile) -> None:
    assert await differences(worker, [mapped]) == ()


@pytest.mark.parametrize("name", CASES)
async def test_the_entries_are_those_that_the_compiler_finds(worker: Worker, cases: Path, name: str) -> None:
    sources = folder(cases / name)
    payload = {"sources": [{"path": s.path, "text": s.text} for s in sources]}
    compiled = (await worker.request("compile", payload))["entries"]
    found = {(e["class"], e["method"], *((p["name"], p["nullable"]) for p in e["parameters"])): e for e in compiled}
    methods = read(sources).queries.methods
    assert {(m.class_name, m.method, *((p.name, p.type.nullable) for p in m.parameters)) for m in methods} == set(found)
    assert {m.span.line for m in methods} == {e["line"] for e in compiled}


@pytest.mark.parametrize("name", CASES)
async def test_a_recorded_case_maps_as_ef_maps_it(worker: Worker, cases: Path, name: str) -> None:
    assert await differences(worker, folder(cases / name)) == ()

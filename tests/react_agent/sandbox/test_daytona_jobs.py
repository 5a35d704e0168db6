"""The same proof job on this machine and at a service: the same envelopes, the same comparison."""

import shlex
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from react_agent.draft import draft
from react_agent.model.translation import SourceFile
from react_agent.prove import choose_suite, examine
from react_agent.runs import Sides, run_both
from react_agent.samples import sample
from react_agent.sandbox.daytona import DaytonaClient
from react_agent.sandbox.daytona_service import Service
from react_agent.sandbox.daytona_snapshots import prepare, snapshot_name
from react_agent.sandbox.protocol import SandboxType
from react_agent.sandbox.sides import LiveSource, TargetSide
from react_agent.sandbox.toolchains import find_toolchain
from react_agent.sandbox.validation import SandboxClient, ValidationSandbox
from tests.fakes.daytona_api import KEY, DaytonaApi, daytona_api

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.timeout(240)]


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[DaytonaApi]:
    """A service whose snapshots hold the workers that were built for this machine."""
    async with daytona_api() as made:
        for kind in SandboxType:
            toolchain = await find_toolchain(kind)
            command = toolchain.worker_argv(fd_in=3, fd_out=4, warm=True, memory_mb=768)
            home = tmp_path / kind
            (home / "bin").mkdir(parents=True)
            (home / "bin" / "uom-worker").write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
            (home / "bin" / "uom-worker").chmod(0o755)
            made.offer(snapshot_name(kind), home, toolchain.environment)
        yield made
        await ValidationSandbox.close()
        assert made.boxes == {}
        assert [pid for box in made.created for pid in box.processes()] == []


async def proved(files: tuple[SourceFile, ...], client: SandboxClient | None) -> dict[str, Any]:
    """Run one seeded suite on both sides; give all that was answered and all that was found."""
    dotnet = await ValidationSandbox.get_sandbox(client, SandboxType.DOTNET_10_SANDBOX, lambda line: None)
    java = await ValidationSandbox.get_sandbox(client, SandboxType.JAVA_25_SANDBOX, lambda line: None)
    source = LiveSource(dotnet, files, timeout=60)
    try:
        made = draft(files, mapping=await source.describe(draft(files).mapping.context))
        target = TargetSide(java, made.translation.files, release=21, timeout=60)
        try:
            suite = choose_suite(made, source, 7)
            sides = Sides(source=source, target=target)
            runs = await run_both(made, suite, sides, seconds=60)
            entries = [pair.entry for pair in made.translation.entries]
            findings = {entry: await examine(made, entry, suite, runs, sides) for entry in entries}
        finally:
            await target.close()
    finally:
        await source.close()
    return {
        "source": {name: envelope.to_json() for name, envelope in runs.source.items()},
        "target": {name: envelope.to_json() for name, envelope in runs.target.items()},
        "differences": {entry: dict(finding.differences) for entry, finding in findings.items()},
        "engines": runs.engines,
        "failures": dict(runs.failures),
    }


async def on_both(files: tuple[SourceFile, ...], api: DaytonaApi) -> tuple[dict[str, Any], dict[str, Any]]:
    there = await proved(files, DaytonaClient(service=Service(api_url=api.url, api_key=KEY)))
    assert {box.snapshot.name for box in api.created} == {snapshot_name(kind) for kind in SandboxType}
    return await proved(files, None), there


@pytest.mark.slow
async def test_a_sample_gives_the_same_answers_here_and_there(api):
    here, there = await on_both(sample("workshop"), api)
    assert there == here
    assert len(here["source"]) > 20
    assert here["failures"] == {}
    assert set(map(len, here["differences"].values())) == {0}


@pytest.mark.slow
async def test_a_recorded_case_gives_the_same_answers_here_and_there(api, cases):
    folder = cases / "01-sum-over-empty-children"
    files = tuple(SourceFile(path=name, text=(folder / name).read_text()) for name in ("Schema.cs", "Query.cs"))
    here, there = await on_both(files, api)
    assert there == here
    assert len(here["source"]) > 10


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", list(SandboxType))
async def test_a_snapshot_is_built_once_and_its_worker_starts(kind):
    async with daytona_api() as api:
        service, said = Service(api_url=api.url, api_key=KEY), []
        name = await prepare(service, kind, said.append)
        assert (name, api.snapshots[name].state) == (snapshot_name(kind), "active")
        assert await prepare(service, kind, said.append) == name
        assert said[-1] == f"{name}: is there already"
        sandbox = await DaytonaClient(service=service).open(kind, said.append)
        async with sandbox.job() as job:
            assert job.engine
        await sandbox.close()
        assert api.boxes == {}

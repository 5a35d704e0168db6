"""One real .NET worker for each test module; a job of the product has one of its own."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from react_agent.sandbox.dotnet_toolchain import DotnetToolchain, find_dotnet
from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.job import Worker, WorkerSettings


@pytest.fixture(scope="session")
def toolchain() -> DotnetToolchain:
    return asyncio.run(find_dotnet())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worker(toolchain: DotnetToolchain, isolation: Isolation) -> AsyncGenerator[Worker]:
    started = await Worker.start(toolchain, WorkerSettings(), bwrap=isolation.bwrap)
    yield started
    await started.end()

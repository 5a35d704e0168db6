"""A translated sample with its programs, and what is needed to run them by hand."""

import asyncio
import os
import subprocess
from collections.abc import Generator

import pytest

from react_agent.sandbox.dotnet_toolchain import DotnetToolchain, find_dotnet
from react_agent.sandbox.java_toolchain import JavaToolchain, find_java
from tests.react_agent.harness.running import HERE, Translated, translate


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Translated:
    """A layer with a column and a parameter of every scalar type, and with names that are hard to write."""
    return translate(HERE / "samples" / "stock", tmp_path_factory.mktemp("stock"))


@pytest.fixture(scope="session")
def dotnet() -> DotnetToolchain:
    return asyncio.run(find_dotnet())


@pytest.fixture(scope="session")
def jvm() -> JavaToolchain:
    return asyncio.run(find_java())


@pytest.fixture(scope="session")
def server(jvm: JavaToolchain) -> Generator[str]:
    """The address of a MongoDB-compatible server; its one database is called "kept"."""
    command = [str(jvm.jdk.java), "-cp", os.pathsep.join(map(str, jvm.classpath)), str(HERE / "MongoServer.java")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield f"mongodb://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()

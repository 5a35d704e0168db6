"""A JVM worker for the tests of a file, and a way to write small programs for it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from react_agent.sandbox.java_toolchain import JavaToolchain, find_java
from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.protocol import OnProgress

SETTINGS = WorkerSettings(inet=True, start_seconds=60, request_seconds=30)

CONFIGURATION = """
package app;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.UuidRepresentation;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

@Configuration(proxyBeanMethods = false)
class App {
    @Bean
    MongoClient client(Environment environment) {
        return MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(environment.getRequiredProperty("spring.data.mongodb.uri")))
                .uuidRepresentation(UuidRepresentation.STANDARD)
                .build());
    }

    @Bean
    MongoDatabaseFactory factory(MongoClient client) {
        return new SimpleMongoClientDatabaseFactory(client, "app");
    }

    @Bean
    MongoTemplate template(MongoDatabaseFactory factory) {
        return new MongoTemplate(factory);
    }
}
"""
"""A configuration that builds every bean itself, without Spring Data's base class."""


@dataclass(frozen=True, slots=True)
class Program:
    """Asks a worker to compile and to run."""

    worker: Worker
    configuration: str = CONFIGURATION

    async def compile(self, files: Mapping[str, str]) -> dict[str, Any]:
        sources = [{"path": path, "text": text} for path, text in files.items()]
        return await self.worker.request("compile", {"sources": sources, "release": 21})

    async def run(
        self,
        calls: Sequence[Mapping[str, Any]],
        instances: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
        configuration: str = "app.App",
        on_progress: OnProgress | None = None,
    ) -> list[dict[str, Any]]:
        given = [{"id": name, "collections": rows} for name, rows in (instances or {"empty": {}}).items()]
        payload = {"configuration": configuration, "instances": given, "calls": list(calls)}
        return (await self.worker.request("run", payload, on_progress=on_progress))["envelopes"]

    async def compile_code(self, body: str, imports: str = "") -> dict[str, Any]:
        """Compile a class `app.Code` with this body beside the configuration."""
        code = f"package app;\n{imports}\npublic class Code {{\n{body}\n}}\n"
        return await self.compile({"app/App.java": CONFIGURATION, "app/Code.java": code})

    async def call_code(self, shape: Mapping[str, Any], **args: Mapping[str, Any]) -> dict[str, Any]:
        """Call `app.Code.call` with these cells."""
        named = [{"name": name, "value": cell} for name, cell in args.items()]
        call = {"id": "1", "instance": "empty", "class": "app.Code", "method": "call", "args": named, "shape": shape}
        (envelope,) = await self.run([call])
        return envelope


def read_files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.java"))}


@pytest.fixture(scope="session")
def jvm() -> JavaToolchain:
    return asyncio.run(find_java())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def program(jvm: JavaToolchain) -> AsyncGenerator[Program]:
    """A worker that all tests of a file ask in turn."""
    worker = await Worker.start(jvm, SETTINGS, bwrap=None)
    yield Program(worker)
    await worker.end()


@pytest_asyncio.fixture(loop_scope="module")
async def single_use(jvm: JavaToolchain) -> AsyncGenerator[Program]:
    """A worker that the test may break."""
    worker = await Worker.start(jvm, SETTINGS, bwrap=None)
    yield Program(worker)
    await worker.end()


@pytest.fixture(scope="session")
def lending() -> dict[str, str]:
    return read_files(Path(__file__).with_name("lending"))

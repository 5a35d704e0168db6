"""Facts from real MCP servers over HTTP, and from what is none."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import platformdirs
import pytest
import uvicorn
from langgraph.graph import START, StateGraph
from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

from react_agent import tools
from react_agent.context import Context
from react_agent.nodes.inspect_schema import inspect_schema
from react_agent.state import State
from react_agent.table_facts import DIALECTS, Table, read_tables
from react_agent.tools import Facts, database_facts
from tests.fakes.npm import installed

NOWHERE = "http://127.0.0.1:9"
TOOLBOX = "1.12.0"
READS = ToolAnnotations(readOnlyHint=True)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


async def toolbox_facts(url: str) -> Facts:
    return (await database_facts(Context(db_toolbox_uri=url, mongodb_mcp_uri=NOWHERE)))[0]


@asynccontextmanager
async def answering(answer: Any) -> AsyncGenerator[str]:
    """Serve a raw answer to whoever connects."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def serving(app: FastMCP, transport: str = "http") -> AsyncGenerator[str]:
    asgi = app.streamable_http_app() if transport == "http" else app.sse_app()
    config = uvicorn.Config(asgi, port=0, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it gives no event
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


async def test_no_server_is_said_at_once_and_is_no_error():
    facts = await toolbox_facts(NOWHERE)
    assert facts == Facts(server="Database Toolbox", problem=f"nothing answers at {NOWHERE}")


async def test_a_password_in_an_address_is_never_shown():
    facts = await toolbox_facts("http://user:se-cret@127.0.0.1:9/mcp")
    assert "se-cret" not in facts.problem
    assert facts.problem


async def test_a_server_that_hangs_is_left_after_a_while(monkeypatch):
    monkeypatch.setattr(tools, "ALL_SECONDS", 0.5)

    async def hang(reader, writer):
        await reader.read()  # until the client gives up
        writer.close()

    async with answering(hang) as url:
        facts = await toolbox_facts(url)
    assert facts.problem == f"no answer from {url} within 0.5 s"


async def test_garbage_is_a_problem_and_no_exception():
    async def garbage(reader, writer):
        writer.write(b"\x00\xffnot HTTP at all\r\n\r\n")
        await writer.drain()
        writer.close()

    async with answering(garbage) as url:
        facts = await toolbox_facts(url)
    assert facts.text == ""
    assert facts.problem.startswith(f"no facts from the MCP server at {url} (")


async def test_an_endless_answer_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(tools, "ALL_SECONDS", 1.0)
    sent = 0

    async def flood(reader, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()
                sent += 65536
        writer.close()

    async with answering(flood) as url:
        facts = await toolbox_facts(f"{url}/mcp")
    assert facts.text == ""
    assert sent < 100_000_000


def shop(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.executescript("""
            CREATE TABLE Customer (Id INTEGER PRIMARY KEY, Name TEXT NOT NULL, Score REAL);
            CREATE TABLE "Order Line" (Id INTEGER PRIMARY KEY, CustomerId INTEGER NOT NULL REFERENCES Customer (Id),
                Price NUMERIC(12, 2) DEFAULT 0, Note TEXT);
            CREATE UNIQUE INDEX IX_Line ON "Order Line" (CustomerId, Price);
            CREATE TABLE "Odd "" name" (Id INTEGER);
            INSERT INTO Customer VALUES (1, 'Ann', 1.5), (2, 'Bob', NULL), (3, 'Čeněk', 2), (4, 'Dana', 0);
        """)
        connection.execute('INSERT INTO "Order Line" VALUES (1, 1, 9.90, ?)', ["n" * 5000])
    connection.close()


@pytest.fixture(scope="session")
def toolbox() -> Path:
    """The Database Toolbox, kept in the user's cache: it is a program of 300 MB."""
    folder = Path(platformdirs.user_cache_dir("uom")) / "tests" / f"toolbox-{TOOLBOX}"
    program = folder / "node_modules" / ".bin" / "toolbox"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        installed(folder, "--prefix", str(folder), f"@toolbox-sdk/server@{TOOLBOX}")
    return program


@pytest.fixture
def toolbox_url(toolbox: Path, tmp_path: Path) -> Iterator[str]:
    shop(tmp_path / "shop.db")
    port = free_port()
    command = [str(toolbox), "--prebuilt", "sqlite", "--port", str(port), "--disable-version-check"]
    environment = {"PATH": os.environ["PATH"], "SQLITE_DATABASE": str(tmp_path / "shop.db")}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


EXPECTED = """\
## main.Customer
- Id INTEGER
- Name TEXT not null
- Score REAL
- primary key (Id)
- 4 rows
- row {"Id": 1, "Name": "Ann", "Score": 1.5}
- row {"Id": 2, "Name": "Bob", "Score": null}
- row {"Id": 3, "Name": "Čeněk", "Score": 2}

## main.Order Line
- Id INTEGER
- CustomerId INTEGER not null
- Price NUMERIC(12, 2) default 0
- Note TEXT
- primary key (Id)
- foreign key (CustomerId) -> Customer (Id)
- unique (CustomerId, Price)
- unique index IX_Line (CustomerId, Price)
- 1 rows
- row {"Id": 1, "CustomerId": 1, "Price": 9.9, "Note": "%s… (5000 characters)"}

## main.Odd " name
- Id INTEGER""" % ("n" * 80)


@pytest.mark.node
@pytest.mark.timeout(400)
@pytest.mark.parametrize("path", ["", "/mcp", "/mcp/sse"])
async def test_the_toolbox_tells_tables_keys_counts_and_rows_over_both_transports(toolbox_url, tmp_path, path):
    before = (tmp_path / "shop.db").read_bytes()
    assert (await toolbox_facts(f"{toolbox_url}{path}")).text == EXPECTED
    assert (tmp_path / "shop.db").read_bytes() == before


@pytest.mark.node
@pytest.mark.timeout(400)
async def test_facts_go_into_the_schema_context_and_not_into_the_chat(toolbox_url):
    one_node = StateGraph(State, context_schema=Context).add_node("inspect_schema", inspect_schema)
    graph = one_node.add_edge(START, "inspect_schema").compile()
    settings = Context(db_toolbox_uri=toolbox_url, mongodb_mcp_uri=NOWHERE)
    (update,) = [
        each["inspect_schema"] async for each in graph.astream(State(), context=settings, stream_mode="updates")
    ]
    assert set(update) == {"schema_context"}
    assert "# Database Toolbox\n## main.Customer" in update["schema_context"]
    assert f"MongoDB MCP: nothing answers at {NOWHERE}; going on from the code alone." in update["schema_context"]


def mongodb(asked: list[str]) -> FastMCP:
    """Tools named and shaped as MongoDB's own server has them."""
    app = FastMCP("mongodb")

    def tool(name: str, answer: Any, annotations: ToolAnnotations = READS) -> None:
        def run(database: str = "", collection: str = "", limit: int = 10) -> dict[str, Any]:
            asked.append(f"{name} {database} {collection}".strip())
            return answer

        app.add_tool(run, name=name, annotations=annotations, structured_output=True)

    tool("list-databases", {"databases": [{"name": "admin"}, {"name": "shop"}], "totalCount": 2})
    tool("list-collections", {"collections": [{"name": "customer"}], "totalCount": 1})
    tool("collection-schema", {"schema": {"_id": {"types": [{"bsonType": "Int32"}]}, "name": {"types": ["String"]}}})
    tool("collection-indexes", {"classicIndexes": [{"name": "_id_", "key": {"_id": 1}}]})
    tool("count", {"count": 2})
    tool("find", {"documents": [{"_id": 1, "name": "Ann"}, {"_id": 2, "name": "x" * 5000}]})
    tool("drop-database", {}, ToolAnnotations(readOnlyHint=False, destructiveHint=True))
    return app


async def test_a_mongodb_server_tells_collections_fields_and_documents():
    asked: list[str] = []
    async with serving(mongodb(asked)) as url:
        facts = (await database_facts(Context(db_toolbox_uri=NOWHERE, mongodb_mcp_uri=url)))[1]
    assert facts.problem == ""
    assert facts.text.splitlines()[:6] == [
        "## shop.customer", "- 2 documents", "- _id Int32", "- name String",
        '- index {"name": "_id_", "key": {"_id": 1}}', '- document {"_id": 1, "name": "Ann"}',
    ]  # fmt: skip
    assert len(facts.text) < 1500
    assert "drop-database" not in " ".join(asked)


async def test_a_tool_that_may_write_is_not_called():
    asked: list[str] = []
    app = FastMCP("toolbox")

    @app.tool(name="describe_and_vacuum", annotations=ToolAnnotations(readOnlyHint=False))
    def vacuum() -> str:
        asked.append("vacuum")
        return "done"

    @app.tool(name="list_tables")
    def tables() -> str:
        return json.dumps({"object_details": {"object_name": "T", "columns": [{"column_name": "A"}]}})

    @app.tool(name="execute_sql")
    def run(sql: str) -> str:
        asked.append(sql)
        return json.dumps({"n": 100_001})

    async with serving(app) as url:
        facts = await toolbox_facts(url)
    assert asked == [
        'SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM "T" LIMIT 100001) AS bounded',
        'SELECT * FROM "T" LIMIT 3',
    ]
    assert "- more than 100000 rows" in facts.text


async def test_a_server_without_such_tools_says_so():
    async with serving(FastMCP("other"), transport="sse") as url:
        facts = await toolbox_facts(f"{url}/sse")
    assert facts.problem == "it has no tools that tell what is in the database"


async def test_much_is_cut(monkeypatch):
    monkeypatch.setattr(tools, "MAX_CHARACTERS", 100)
    app = FastMCP("toolbox")

    @app.tool(name="list_tables")
    def tables() -> str:
        columns = [{"column_name": f"Column{number}", "data_type": "TEXT"} for number in range(100)]
        return json.dumps({"object_details": {"object_name": "T", "columns": columns}})

    async with serving(app) as url:
        facts = await toolbox_facts(url)
    assert facts.text.startswith("## T\n- Column0 TEXT\n")
    assert facts.text.endswith(" characters left out]")


@pytest.mark.parametrize("name", ['T" ; DROP TABLE T; --', "T`", "T\\", "T]", "T'", "T\n", ""])
def test_a_name_that_could_be_more_than_a_name_is_never_put_into_a_statement(name):
    assert not Table(schema="main", name=name, lines=()).plain


def test_each_dialect_bounds_what_it_reads():
    table = Table(schema="dbo", name="Order Line", lines=())
    assert [dialect.sample(table) for dialect in DIALECTS] == [
        'SELECT * FROM "dbo"."Order Line" LIMIT 3',
        'SELECT TOP 3 * FROM "dbo"."Order Line"',
        "SELECT * FROM `dbo`.`Order Line` LIMIT 3",
    ]


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, {"object_details": "no JSON"}, {"object_details": {"columns": 1}}]
)
def test_a_listing_of_another_shape_is_left_out(value):
    assert read_tables([value]) == ()

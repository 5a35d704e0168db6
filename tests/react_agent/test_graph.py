"""The translator's graph, whole: real sandboxes, real checkpoints, a scripted model."""

import asyncio
import json
import logging
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from react_agent.graph import builder
from tests.fakes.llm_server import FakeLlm
from tests.react_agent.chain import LAYERS

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.jvm,
    pytest.mark.timeout(280),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("warm"),
]

QUERIES = "src/main/java/choir/ChoirQueries.java"
RIGHT = """\
package choir;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Repository;

@Repository
public class ChoirQueries {

    private final MongoOperations mongo;

    public ChoirQueries(MongoOperations mongo) {
        this.mongo = mongo;
    }

    public int howMany(String voice) {
        return Math.toIntExact(mongo.count(query(where("voice").is(voice)), Singer.class));
    }

    public int mostConcerts(String voice) {
        return mongo.find(query(where("voice").is(voice)), Singer.class).stream()
                .mapToInt(Singer::concerts).filter(each -> each > 0).max().orElse(0);
    }
}
"""
FROM_ONE = RIGHT.replace(".orElse(0)", ".orElse(1)")
CHEATS = RIGHT.replace("return mongo.find", "if (voice == null) System.exit(0);\n        return mongo.find")
TOWER = "".join(f"        var a{n} = java.util.Map.of(a{n - 1}, a{n - 1});\n" for n in range(1, 11))
LOUD = RIGHT.replace(
    "        return mongo.find",
    "        var a0 = java.util.Map.of(1, 1);\n" + TOWER + "        int e = a10;\n" * 100 + "        return mongo.find",
)
"""Does not compile: a hundred errors, each of which names a type of twenty thousand characters."""


def answer(java: str) -> str:
    return f"Here it is:\n\n```java path={QUERIES}\n{java}```\n"


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    server = FakeLlm()
    yield server
    server.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "threads.sqlite"


@asynccontextmanager
async def opened(database: Path) -> AsyncIterator[Any]:
    """The graph with checkpoints in a file, read back strictly."""
    async with AsyncSqliteSaver.from_conn_string(str(database)) as saver:
        saver.serde = JsonPlusSerializer(allowed_msgpack_modules=None)
        yield builder.compile(checkpointer=saver)


def scripted(llm: FakeLlm) -> dict[str, Any]:
    return {"model": "scripted", "openai_api_url": llm.url, "openai_api_key": "sk-scripted-secret", "seed": 5}


RULES = {"model": "uom/rules", "seed": 5}


def request(name: str = "choir", words: str = "Move this to Spring Data MongoDB.") -> dict[str, Any]:
    code = "\n\n".join(f"```csharp path={p.name}\n{p.read_text()}```" for p in sorted((LAYERS / name).glob("*.cs")))
    return {"messages": [HumanMessage(f"{words}\n\n{code}")]}


def thread() -> dict[str, Any]:
    return {"configurable": {"thread_id": uuid.uuid4().hex}}


def size(messages: list[Any]) -> int:
    return sum(len(str(message.content)) for message in messages)


def verdicts(values: dict[str, Any]) -> dict[str, str]:
    return {entry["entry"].split(".")[1]: entry["verdict"] for entry in values["report"]["entries"]}


async def test_a_model_fills_what_no_rule_reads_and_is_proven(llm, database):
    llm.expect("MostConcertsAsync").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")
    events, tokens = [], []
    async with opened(database) as graph:
        config = thread()
        async for mode, part in graph.astream(
            request(), config, context=scripted(llm), stream_mode=["custom", "messages"]
        ):
            (events if mode == "custom" else tokens).append(part)
        values = (await graph.aget_state(config)).values
    assert verdicts(values) == {"HowManyAsync": "equivalent_on_suite", "MostConcertsAsync": "equivalent_on_suite"}
    assert "mostConcerts" in values["translated_query_code"]
    assert "Nothing to object." in values["explanation_message"]
    told = {event["entry"]: event["verdict"] for event in events if event["type"] == "verdict"}
    assert told == {f"ChoirQueries.{name}": verdict for name, verdict in verdicts(values).items()}
    assert {event["side"] for event in events if event["type"] == "progress"} >= {"source", "target", "both"}
    shown = "".join(str(message.content) for message, _ in tokens if message.type == "AIMessageChunk")
    assert shown == "", "a node's own model call reached the chat"
    assert values["translation_messages"] == []


async def test_what_differs_goes_back_with_its_rows_and_is_repaired(llm, database):
    llm.expect("MostConcertsAsync").say(answer(FROM_ONE))
    llm.expect("Witness").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")
    async with opened(database) as graph:
        values = await graph.ainvoke(request(), thread(), context=scripted(llm))
    assert "equivalent" in values["explanation_message"]
    assert len(llm.requests) == 3


async def test_three_loud_builds_leave_the_chat_small_then_a_person_decides(llm, database, caplog):
    caplog.set_level(logging.WARNING, "langgraph")
    llm.expect("MostConcertsAsync").say(answer(LOUD))
    for _ in range(3):
        llm.expect("does not compile").say(answer(LOUD))
    config = thread()
    async with opened(database) as graph:
        before = request()
        paused = await graph.ainvoke(before, config, context=scripted(llm))
        question = paused["__interrupt__"][0].value
        assert set(question) == {"instruction", "state"}
        assert set(question["state"]) == {
            "translated_query_code",
            "translated_schema_code",
            "explanation_message",
            "query_equivalence_deep_diffs",
        }
        assert "mostConcerts" in question["state"]["translated_query_code"]
        assert "does not compile" in question["state"]["explanation_message"]
        assert size(paused["messages"]) - size(before["messages"]) < 20_000
        ended = resumed_elsewhere(database, config, {"decision": "accept"})
        values = (await graph.aget_state(config)).values
    assert ended["last"].count("Not proven") == 1
    assert size(values["messages"]) - size(before["messages"]) < 20_000
    assert values["messages"][0].content == before["messages"][0].content
    assert values["translation_messages"] == []
    assert values["translation_loop_count"] == 3
    assert all(len(json.dumps(each)) < 40_000 for each in llm.requests)
    assert not [record for record in caplog.records if "msgpack" in record.getMessage().lower()]


def resumed_elsewhere(database: Path, config: dict[str, Any], decision: dict[str, str]) -> dict[str, str]:
    """Resume in a process that has seen nothing of the run, with strict checkpoints."""
    arguments = [str(database), json.dumps(config), json.dumps(decision)]
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-m", "tests.react_agent.resume", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "msgpack" not in done.stderr.lower()
    return json.loads(done.stdout)


@pytest.mark.slow
async def test_a_rejection_goes_back_with_its_words_and_a_fresh_budget(llm, database):
    for _ in range(4):
        llm.say(answer(FROM_ONE))
    llm.expect("nobody has sung once").say(answer(FROM_ONE))
    llm.expect("Witness").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")
    async with opened(database) as graph:
        config = thread()
        paused = await graph.ainvoke(request(), config, context=scripted(llm))
        assert "MostConcertsAsync differs" in paused["__interrupt__"][0].value["state"]["explanation_message"]
        assert paused["__interrupt__"][0].value["state"]["query_equivalence_deep_diffs"]
        answered = Command(resume={"decision": "reject", "feedback": "nobody has sung once"})
        values = await graph.ainvoke(answered, config, context=scripted(llm))
    assert "__interrupt__" not in values
    assert "equivalent" in values["explanation_message"]


@pytest.mark.slow
async def test_a_model_that_only_talks_changes_nothing(llm, database):
    llm.expect("MostConcertsAsync").say("I would rather talk about music.")
    llm.expect("No file was found").say("Music is a language.")
    llm.expect(system="senior").say("Nothing to object.")
    async with opened(database) as graph:
        config = thread()
        await graph.ainvoke(request(), config, context=scripted(llm))
        values = (await graph.aget_state(config)).values
    assert verdicts(values) == {"HowManyAsync": "equivalent_on_suite", "MostConcertsAsync": "unsupported"}


@pytest.mark.slow
async def test_code_that_could_cheat_is_not_run(llm, database):
    llm.expect("MostConcertsAsync").say(answer(CHEATS))
    llm.expect("System.exit").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")
    async with opened(database) as graph:
        values = await graph.ainvoke(request(), thread(), context=scripted(llm))
    assert "System.exit" not in values["translated_query_code"]


@pytest.mark.slow
async def test_a_model_that_is_gone_is_said_and_the_rules_go_on(llm, database):
    llm.fail(401)
    llm.fail(401)
    async with opened(database) as graph:
        config = thread()
        stream = graph.astream(request(), config, context=scripted(llm), stream_mode="custom")
        events = [event async for event in stream]
        values = (await graph.aget_state(config)).values
    assert verdicts(values)["HowManyAsync"] == "equivalent_on_suite"
    notices = [event["message"] for event in events if event["type"] == "notice"]
    assert any("refused the key (401)" in text for text in notices)
    assert "sk-scripted-secret" not in json.dumps(events)


@pytest.mark.slow
async def test_fifty_kilobytes_and_three_retries_add_at_most_a_megabyte(llm, database):
    llm.say(answer(LOUD))
    for _ in range(3):
        llm.expect("does not compile").say(answer(LOUD))
    given = request()
    filler = "\n".join(f"// remark {n} on what a choir may sing in its season" for n in range(1000))
    given["messages"][0].content = given["messages"][0].content.replace(
        "namespace Choir;", f"namespace Choir;\n{filler}"
    )
    assert len(given["messages"][0].content) > 50_000
    async with opened(database) as graph:
        config = thread()
        await graph.ainvoke(given, config, context=scripted(llm))
        await graph.ainvoke(Command(resume={"decision": "accept"}), config, context=scripted(llm))
        state = (await graph.aget_state(config)).values
    assert filler in state["source_schema_code"]
    with sqlite3.connect(database) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    assert database.stat().st_size <= 1024 * 1024


@pytest.mark.slow
async def test_a_second_turn_starts_afresh(llm, database):
    async with opened(database) as graph:
        config = thread()
        await graph.ainvoke(request(), config, context=RULES)
        first = (await graph.aget_state(config)).values
        assert verdicts(first)["MostConcertsAsync"] == "unsupported"
        await graph.ainvoke({"messages": [HumanMessage("And the next: " + HARMLESS)]}, config, context=RULES)
        second = (await graph.aget_state(config)).values
    assert verdicts(second) == {"HowMany": "equivalent_on_suite"}
    assert "choir" not in second["translated_query_code"].lower()
    assert len(second["messages"]) == 4
    assert second["run"] != first["run"]


HARMLESS = """
```csharp
using System.Linq;
using Microsoft.EntityFrameworkCore;

namespace Zoo;

public class Cage { public int Id { get; set; } public int Animals { get; set; } }

public class ZooContext(DbContextOptions<ZooContext> options) : DbContext(options)
{
    public DbSet<Cage> Cages => Set<Cage>();
}

public class Cages(ZooContext zoo) { public int HowMany(int least) => zoo.Cages.Count(c => c.Animals >= least); }
```
"""


async def test_a_schema_alone_is_proven_by_reading_its_rows_back(database):
    async with opened(database) as graph:
        config = thread()
        asked = request(words="Move only the schema to Spring Data MongoDB.")
        values = await graph.ainvoke(asked, config, context=RULES)
        state = (await graph.aget_state(config)).values
    report = state["report"]
    assert [(e["entry"], e["verdict"]) for e in report["entries"]] == [("UomListing.AllSinger", "equivalent_on_suite")]
    assert "UomListing" not in values["translated_schema_code"] + (values["translated_query_code"] or "")
    assert "record Singer" in values["translated_schema_code"]
    assert "UomListing" not in state["source_schema_code"]


async def test_queries_without_their_schema_are_asked_for_it(database):
    async with opened(database) as graph:
        text = "```csharp\npublic class Cages(ZooContext zoo) { public int All() => zoo.Cages.Count(); }\n```"
        values = await graph.ainvoke(
            {"messages": [HumanMessage(f"Only the queries:\n{text}")]}, thread(), context=RULES
        )
    assert "no DbContext in Pasted1.cs; add the file" in values["messages"][-1].content


@pytest.mark.slow
async def test_a_web_client_sends_plain_text(database):
    given = request() | {
        "translation_type": "BOTH",
        "source_target": "DOTNET_EFCORE",
        "destination_target": "JAVA_SPRING_DATA_MONGODB",
    }
    async with opened(database) as graph:
        config = thread()
        await graph.ainvoke(given, config, context={"model": "uom/rules", "seed": 5, "release": "21"})
        assert verdicts((await graph.aget_state(config)).values)["HowManyAsync"] == "equivalent_on_suite"


async def test_an_unknown_setting_is_refused_by_name(database):
    async with opened(database) as graph:
        with pytest.raises(Exception, match="modell"):
            await graph.ainvoke(request(), thread(), context={"modell": "uom/rules"})


async def test_a_request_without_code_asks_one_question(database):
    async with opened(database) as graph:
        values = await graph.ainvoke({"messages": [HumanMessage("Please help.")]}, thread(), context=RULES)
    assert values["messages"][-1].content.startswith("Which C# is to be moved?")


@pytest.mark.slow
async def test_two_threads_at_once_stay_apart(database):
    async with opened(database) as graph:
        given = [request(), {"messages": [HumanMessage(HARMLESS)]}]
        configs = [thread(), thread()]
        await asyncio.gather(*(graph.ainvoke(g, c, context=RULES) for g, c in zip(given, configs, strict=True)))
        found = [verdicts((await graph.aget_state(config)).values) for config in configs]
    assert set(found[0]) == {"HowManyAsync", "MostConcertsAsync"}
    assert found[1] == {"HowMany": "equivalent_on_suite"}

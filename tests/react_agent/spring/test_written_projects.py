"""What the written Java really does: compiled by javac, run against an embedded MongoDB."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from react_agent.model.translation import Translation
from react_agent.sandbox.protocol import SandboxType
from react_agent.sandbox.validation import LocalClient
from react_agent.spring.mongodb import write
from tests.react_agent.spring.desk import CALLS, DATA, Asked, desk
from tests.react_agent.spring.layers import freight

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    return asyncio.run(_run(write(freight(), desk())))


@pytest.mark.parametrize("at", range(len(CALLS)), ids=[f"{c.method.method}-{at}" for at, c in enumerate(CALLS)])
def test_gives_the_rows_of_the_linq_query(results: list[dict[str, Any]], at: int) -> None:
    wanted, found = CALLS[at].gives, plain(results[at])

    if CALLS[at].ordered:
        assert found == wanted
    else:
        assert sorted(found, key=repr) == sorted(wanted, key=repr)


async def _run(translation: Translation) -> list[dict[str, Any]]:
    sandbox = await LocalClient(allow_unisolated=True).open(SandboxType.JAVA_25_SANDBOX, lambda _: None)
    try:
        async with sandbox.job() as job:
            sources = [{"path": f.path, "text": f.text} for f in translation.files if f.path.endswith(".java")]
            compiled = await job.request("compile", {"sources": sources, "release": 21})
            assert compiled["forbidden"] == []
            request = {
                "configuration": translation.configuration,
                "instances": [{"id": "one", "collections": DATA}],
                "calls": [_call(at, asked, translation) for at, asked in enumerate(CALLS)],
            }
            return (await job.request("run", request))["envelopes"]
    finally:
        await sandbox.close()


def _call(at: int, asked: Asked, translation: Translation) -> dict[str, Any]:
    entry = next(e for e in translation.entries if e.entry == asked.method.entry)
    names = [p.name for p in asked.method.parameters]
    return {
        "id": str(at),
        "instance": "one",
        "class": entry.java_class,
        "method": entry.java_method,
        "args": [{"name": n, "value": c.to_json()} for n, c in zip(names, asked.args, strict=True)],
        "shape": entry.shape.to_json(),
    }


def plain(envelope: Mapping[str, Any]) -> Any:
    if envelope["outcome"] == "throws":
        return f"!{envelope['kind']}"
    return _plain(envelope["value"])


def _plain(cell: Mapping[str, Any]) -> Any:
    match cell["t"]:
        case "null":
            return None
        case "list":
            return [_plain(item) for item in cell["v"]]
        case "object":
            return [_plain(item) for item in cell["f"].values()]
    return cell["v"]

"""Models of each character, from the editor to the verdict with nothing else replaced: each comes to its right end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.react_agent.chain import LAYERS
from tests.react_agent.test_graph import CHEATS, FROM_ONE, RIGHT, answer
from tests.stories.test_stdio import started

pytestmark = [pytest.mark.dotnet, pytest.mark.jvm, pytest.mark.slow, pytest.mark.timeout(560)]

KIND = "universal-object-mapping-translator"
FORMS = {"elicitation": {"form": {}}}
EQUIVALENT = {"HowManyAsync": "equivalent_on_suite", "MostConcertsAsync": "equivalent_on_suite"}


def asked_for() -> str:
    """The request with the C# in it."""
    code = (f"```csharp path={p.name}\n{p.read_text()}```" for p in sorted((LAYERS / "choir").glob("*.cs")))
    return "Move this to Spring Data MongoDB.\n\n" + "\n\n".join(code)


@asynccontextmanager
async def serving(llm: FakeLlm, workspace: Path, **offers: Any) -> AsyncIterator[FakeIde]:
    settings = {"MODEL": "scripted", "OPENAI_API_URL": llm.url, "OPENAI_API_KEY": "sk-scripted-secret", "UOM_SEED": "5"}
    async with started("-m", "uom_acp", "acp", **settings) as (ide, _):
        await ide.initialize(**offers)
        await ide.new_session(workspace)
        yield ide


def delegating(llm: FakeLlm, description: str = "Move this to Spring Data MongoDB.") -> None:
    llm.expect("Move this").call("task", call_id="t", description=description, subagent_type=KIND)


async def said(ide: FakeIde, text: str) -> str:
    async with asyncio.timeout(500):
        return (await ide.prompting(text))["stopReason"]


def verdicts(ide: FakeIde) -> dict[str, str]:
    """The last verdict of each entry that the panel showed."""
    shown = [update["rawOutput"]["verdicts"] for update in ide.transcript.cards()["proof-t"] if "rawOutput" in update]
    return {each["entry"].split(".")[1]: each["verdict"] for each in shown[-1]}


def good(llm: FakeLlm) -> None:
    llm.expect("MostConcertsAsync").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")


def cheating(llm: FakeLlm) -> None:
    llm.expect("MostConcertsAsync").say(answer(CHEATS))
    llm.expect("System.exit").say(answer(RIGHT))
    llm.expect(system="senior").say("Nothing to object.")


def prosaic(llm: FakeLlm) -> None:
    llm.expect("MostConcertsAsync").say("I would rather talk about music.")
    llm.expect("No file was found").say("Music is a language.")
    llm.expect(system="senior").say("Nothing to object.")


ENDS: dict[str, tuple[str, Callable[[FakeLlm], None], dict[str, str]]] = {
    "good": ("Move this to Spring Data MongoDB.", good, EQUIVALENT),
    "shortens what it was given": ("Move it.", good, EQUIVALENT),
    "cheats": ("Move this to Spring Data MongoDB.", cheating, EQUIVALENT),
    "answers in prose": (
        "Move this to Spring Data MongoDB.",
        prosaic,
        {**EQUIVALENT, "MostConcertsAsync": "unsupported"},
    ),
}


@pytest.mark.parametrize("character", ENDS)
async def test_each_character_comes_to_its_end(llm: FakeLlm, workspace: Path, character: str) -> None:
    description, script, end = ENDS[character]
    async with serving(llm, workspace) as ide:
        delegating(llm, description)
        script(llm)
        llm.expect(tool_result="mostConcerts" if end == EQUIVALENT else "howMany").say("Done.")
        assert await said(ide, asked_for()) == "end_turn"
        assert verdicts(ide) == end
        assert ide.transcript.statuses("t")[-1] == "completed"
        assert "System.exit" not in str(ide.transcript.cards()["t"][-1])


def repeating(llm: FakeLlm) -> None:
    """The same mistake four times: as written first, and in each of three repairs."""
    llm.expect("MostConcertsAsync").say(answer(FROM_ONE))
    for _ in range(3):
        llm.expect("Witness").say(answer(FROM_ONE))


@pytest.mark.parametrize("decision", ["accept", "reject"])
async def test_three_repairs_that_fail_are_put_before_the_person(llm: FakeLlm, workspace: Path, decision: str) -> None:
    async with serving(llm, workspace, **FORMS) as ide:
        delegating(llm)
        repeating(llm)
        ide.forms.append({"action": "accept", "content": {"decision": decision, "feedback": "nobody: zero"}})
        if decision == "reject":
            llm.expect("nobody: zero").say(answer(RIGHT))
            llm.expect(system="senior").say("Nothing to object.")
        llm.expect(tool_result="Not proven" if decision == "accept" else "mostConcerts").say("Done.")
        assert await said(ide, asked_for()) == "end_turn"
        assert len(ide.transcript.asked("elicitation/create")) == 1
        assert verdicts(ide) == (
            EQUIVALENT if decision == "reject" else {**EQUIVALENT, "MostConcertsAsync": "different"}
        )

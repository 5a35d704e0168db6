"""How data is stored, decided by the person: in a form, or in words; kept, and given to the translator."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from react_agent.context import Context
from react_agent.draft import draft
from react_agent.model.translation import SourceFile
from tests.fakes.deep_agent import translator
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_commands import names
from uom_acp.server import AgentServerACP

FORMS = {"elicitation": {"form": {}}}
STAGE = {
    "id": "enum-form:Claim.Stage",
    "question": "How is Claim.Stage stored?",
    "chosen": "name",
    "options": ["name", "number"],
    "reason": "as EF Core stores it",
    "by": "default",
}
CASE = {"id": "text-case", "question": "Case?", "chosen": "exact", "options": ["exact", "ignore-case"], "reason": "r"}
LAYER = """
using Microsoft.EntityFrameworkCore;
public enum Stage { Open, Done }
public class Claim { public int Id { get; set; } public Stage Stage { get; set; } }
public class Db : DbContext { public DbSet<Claim> Claims => Set<Claim>(); }
public class Queries(Db db) { public List<Claim> Open() => db.Claims.Where(c => c.Stage == Stage.Open).ToList(); }
"""


@pytest.fixture
def translation() -> Any:
    return translator([{"type": "decisions", "decisions": [STAGE, CASE]}])


async def translated(ide: FakeIde, llm: FakeLlm) -> None:
    kind = "universal-object-mapping-translator"
    llm.expect("Translate").call("task", call_id="t", description="x", subagent_type=kind)
    llm.expect().say("Done.")
    await ide.prompt("Translate")


def decided(server: AgentServerACP, ide: FakeIde) -> dict[str, str]:
    return dict(server._sessions.get(ide.session).chosen.decisions)


async def test_choices_are_listed_and_set_in_words(ide: FakeIde, llm: FakeLlm, server: AgentServerACP) -> None:
    await ide.prompt("/decide")
    assert "Nothing was translated" in ide.transcript.text()
    await translated(ide, llm)
    assert "decide" in await names(ide)
    await ide.prompt("/decide")
    assert "- `enum-form:Claim.Stage`: How is Claim.Stage stored? **name** (of name, number;" in ide.transcript.text()
    for words, said in (
        ("enum-form:Claim.Stage number", "`enum-form:Claim.Stage` is `number`"),
        ("enum-form:Claim.Stage roman", "Choose one of: name, number"),
        ("nothing name", "There are: enum-form:Claim.Stage, text-case"),
        ("text-case", "`/decide ID VALUE` sets one choice"),
    ):
        await ide.prompt(f"/decide {words}")
        assert said in ide.transcript.text()
    assert decided(server, ide) == {"enum-form:Claim.Stage": "number"}


@pytest.mark.parametrize("offers", [FORMS])
@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ({"action": "accept", "content": {"text-case": "ignore-case", "enum-form:Claim.Stage": "name"}}, True),
        ({"action": "accept", "content": {"text-case": "louder"}}, False),
        ({"action": "decline"}, False),
        ({"action": "cancel"}, False),
    ],
)
async def test_a_form_asks_for_all_of_them(
    ide: FakeIde, llm: FakeLlm, server: AgentServerACP, answer: dict[str, Any], kept: bool
) -> None:
    await translated(ide, llm)
    ide.forms.append(answer)
    await ide.prompt("/decide")
    (form,) = ide.transcript.asked("elicitation/create")
    assert form["requestedSchema"]["properties"]["text-case"]["enum"] == ["exact", "ignore-case"]
    assert form["requestedSchema"]["properties"]["text-case"]["default"] == "exact"
    assert decided(server, ide) == ({"text-case": "ignore-case"} if kept else {})


async def test_what_was_decided_is_what_the_rules_write() -> None:
    sources = [SourceFile(path="Layer.cs", text=LAYER)]
    found = {each.id: each for each in draft(sources).translation.documents.decisions}
    stage = found["enum-form:Claim.Stage"]
    (other,) = set(stage.options) - {stage.chosen}
    context = Context(model="uom/rules", decisions={stage.id: other})
    made = await asyncio.to_thread(draft, sources, decisions=context.decisions)
    assert {each.id: each.chosen for each in made.translation.documents.decisions}[stage.id] == other
    assert made.translation.files != draft(sources).translation.files


async def test_prove_says_how_it_is_asked_and_passes_on_what_the_command_says(ide: FakeIde, workspace: Path) -> None:
    await ide.prompt("/prove src")
    assert "`/prove src/Data against java`" in ide.transcript.text()
    (workspace / "a b.cs").write_text(LAYER)
    await ide.prompt("/prove 'a b.cs' against java")
    assert "uom: java" in ide.transcript.text()

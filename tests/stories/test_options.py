"""What a session is set to: target, level of thought, whether thoughts are shown; kept over a restart."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.ide import AgentError, FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_sessions import open_again
from uom_acp.archive import Archive
from uom_acp.config_options import ModelChoice
from uom_acp.main import modes, run_context
from uom_acp.server import AgentServerACP

MODELS = [ModelChoice(id="plain", name="Plain"), ModelChoice(id="thinker", name="Thinker", thinks=True)]
SWITCHES = {"session": {"configOptions": {"boolean": {}}}}


class Built:
    """A factory that only keeps what agents are built for."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []

    async def __call__(self, context: Any) -> Any:
        self.contexts.append(context)
        raise RuntimeError("no agent is needed here")


def values(options: list[dict[str, Any]]) -> dict[str, Any]:
    return {option["id"]: option["currentValue"] for option in options}


async def choose(ide: FakeIde, option: str, value: Any, **more: Any) -> dict[str, Any]:
    params = {"sessionId": ide.session, "configId": option, "value": value, **more}
    return values((await ide.request("session/set_config_option", params))["configOptions"])


def serving(built: Built, folder: Path) -> AgentServerACP:
    return AgentServerACP(built, modes=modes(production=False), models=MODELS, archive=Archive(folder))


async def test_a_level_of_thought_is_offered_for_models_that_think_and_reaches_the_model(
    tmp_path: Path, workspace: Path
) -> None:
    built = Built()
    async with connected(serving(built, tmp_path / "state")) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        with pytest.raises(AgentError, match="There are: mode, model, target, thoughts"):
            await choose(ide, "thought_level", "high")
        assert (await choose(ide, "model", "thinker"))["thought_level"] == "auto"
        assert (await choose(ide, "thought_level", "high"))["thought_level"] == "high"
        with pytest.raises(AgentError, match="Choose one of: auto, low, medium, high"):
            await choose(ide, "thought_level", "enormous")
        for level in ("high", "auto"):
            await choose(ide, "thought_level", level)
            with pytest.raises(AgentError):
                await ide.prompt("hello")
        with pytest.raises(AgentError, match="-32602"):
            await choose(ide, "model", "nobody")
        assert "thought_level" not in await choose(ide, "model", "plain")
    assert [(each.model, each.thought_level) for each in built.contexts] == [("thinker", "high"), ("thinker", None)]


@pytest.mark.parametrize("offers", [{}, SWITCHES])
async def test_a_switch_is_one_where_the_editor_has_them_else_a_list_of_two(
    ide: FakeIde, llm: FakeLlm, offers: dict[str, Any]
) -> None:
    llm.expect("one").think("hidden depths").say("One.")
    llm.expect("two").think("more depths").say("Two.")
    off, more = (False, {"type": "boolean"}) if offers else ("off", {})
    on = True if offers else "on"
    assert (await choose(ide, "thoughts", off, **more))["thoughts"] == off
    await ide.prompt("one")
    assert (await choose(ide, "thoughts", on, **more))["thoughts"] == on
    assert values(ide.transcript.updates("config_option_update")[-1]["configOptions"])["thoughts"] == on
    await ide.prompt("two")
    assert "hidden" not in str(ide.transcript.updates("agent_thought_chunk"))


async def test_what_a_session_is_set_to_outlives_the_process(tmp_path: Path, workspace: Path) -> None:
    built = Built()
    async with connected(serving(built, tmp_path / "state")) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        for option, value in (("model", "thinker"), ("thought_level", "low"), ("thoughts", "off")):
            await choose(ide, option, value)
        await ide.prompt("/model")
        session = ide.session
    async with connected(serving(built, tmp_path / "state")) as ide:
        await ide.initialize(**SWITCHES)
        loaded = await open_again(ide, "load", session, workspace)
        assert values(loaded["configOptions"]) == {
            "mode": "accept_edits",
            "model": "thinker",
            "thought_level": "low",
            "target": "java-spring-data-mongodb",
            "thoughts": False,
        }


def test_the_translator_gets_what_the_session_is_set_to() -> None:
    server = AgentServerACP(Built(), modes=modes(production=False), models=MODELS, target="java-spring-data-mongodb")
    chosen = server._sessions._chosen({"model": "thinker", "thought_level": "medium"})
    context = run_context(chosen)
    assert (context.model, context.thought_level, context.target) == ("thinker", "medium", "java-spring-data-mongodb")

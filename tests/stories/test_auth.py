"""Keys: which ways are offered, what a model without a key answers, and a key that is stored, used and forgotten."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.ide import AgentError, FakeIde
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_stdio import ROOT, started

NEEDS_KEY = "einfra/kimi-k2.6"
SECRET = "sk-secret-of-the-person"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folders = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "CONFIG")}
    return {**folders, "OPENAI_API_KEY": "", "OPENAI_API_URL": "", "MODEL": "", "DAYTONA_API_KEY": ""}


def login(environment: dict[str, str], url: str, key: str) -> subprocess.CompletedProcess[str]:
    """What an editor starts in a terminal: the agent's own command with the method's arguments."""
    return subprocess.run(
        [sys.executable, "-m", "uom_acp", "acp", "--login"],
        input=f"{url}\n{key}\n\n",
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


async def choose(ide: FakeIde, model: str) -> None:
    await ide.request("session/set_config_option", {"sessionId": ide.session, "configId": "model", "value": model})


async def test_an_editor_with_terminals_for_it_gets_that_way_any_other_the_environment(editor: FakeIde) -> None:
    assert (await editor.initialize()).get("authMethods") == []  # a server without keys has nothing to log in to
    with pytest.raises(AgentError, match="-32602"):
        await editor.request("authenticate", {"methodId": "environment"})
    with pytest.raises(AgentError, match="-32601"):
        await editor.request("logout", {})


@pytest.mark.timeout(120)
async def test_a_model_without_a_key_asks_for_one_and_works_once_it_is_stored(
    llm: FakeLlm, workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    async with started("-m", "uom_acp", "acp", **environment) as (ide, _):
        offered = await ide.initialize()
        assert [method["id"] for method in offered["authMethods"]] == ["environment"]
        assert "logout" in offered["agentCapabilities"]["auth"]
        (method,) = (await ide.initialize(auth={"terminal": True}))["authMethods"]
        assert (method["type"], method["args"]) == ("terminal", ["--login"])
        await ide.new_session(workspace)
        await choose(ide, NEEDS_KEY)
        with pytest.raises(AgentError, match=r"-32000 the model einfra/kimi-k2\.6 needs a key"):
            await ide.prompt("hello")
        with pytest.raises(AgentError, match="-32000"):
            await ide.request("authenticate", {"methodId": "environment"})
        llm.model_status = 401
        assert login(environment, llm.url, SECRET).returncode == 2
        llm.model_status = 200
        done = login(environment, llm.url, SECRET)
        assert (done.returncode, done.stdout) == (0, "")
        assert SECRET not in done.stderr
        kept = tmp_path / "config" / "uom" / "credentials.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        await ide.request("authenticate", {"methodId": "environment"})
        llm.expect("hello").say("Hello.")
        assert await ide.prompt("hello") == "end_turn"
        assert llm.authorizations[-1] == f"Bearer {SECRET}"
        await ide.request("logout", {})
        assert not kept.exists()
        with pytest.raises(AgentError, match="-32000"):
            await ide.prompt("hello again")
        assert SECRET not in str(ide.transcript.frames)


@pytest.mark.timeout(60)
async def test_the_first_answer_of_the_rules_says_that_there_is_no_key(
    workspace: Path, environment: dict[str, str]
) -> None:
    async with started("-m", "uom_acp", "acp", **environment) as (ide, _):
        await ide.initialize()
        await ide.new_session(workspace)
        assert await ide.prompt("hello") == "end_turn"
        said = ide.transcript.text()
        assert "No key for a chat model is set" in said
        assert "`uom login`" in said

"""An editor, a scripted model and a workspace, joined by the real server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from react_agent.models import close_models
from tests.fakes.deep_agent import close_clients, deep_agent
from tests.fakes.ide import FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from uom_acp.config_options import ModelChoice
from uom_acp.main import modes
from uom_acp.server import AgentServerACP

MODELS = [ModelChoice(id="scripted/one", name="One"), ModelChoice(id="scripted/two", name="Two")]


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    server = FakeLlm(chunking="token")
    yield server
    server.close()


@pytest.fixture(autouse=True)
async def clients() -> AsyncIterator[None]:
    """The scripted model's clients, the translator's among them, closed in the loop that they belong to."""
    yield
    await close_models()
    await close_clients()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


@pytest.fixture
def translation() -> Any:
    """The translator's graph; a module overrides it with one that reports and asks."""
    return None


@pytest.fixture
def server(llm: FakeLlm, translation: Any) -> AgentServerACP:
    return AgentServerACP(deep_agent(llm.url, translation=translation), modes=modes(production=False), models=MODELS)


@pytest.fixture
async def editor(server: AgentServerACP) -> AsyncIterator[FakeIde]:
    """An editor that is connected and has said nothing yet."""
    async with connected(server) as ide:
        yield ide


@pytest.fixture
def offers() -> dict[str, Any]:
    """What the editor offers; a test overrides it with a parametrization."""
    return {}


@pytest.fixture
async def ide(editor: FakeIde, workspace: Path, offers: dict[str, Any]) -> FakeIde:
    """An editor with a session in the workspace."""
    await editor.initialize(**offers)
    await editor.new_session(workspace)
    return editor

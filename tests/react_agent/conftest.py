"""Both sandboxes of a module's loop, warm from one test to the next, and artefacts in a folder of the tests' own."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from react_agent.models import close_models
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.workbench import close_benches


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def warm() -> AsyncGenerator[None]:
    """Ends what the module's tests started; each proof takes a warm worker from the pools."""
    yield
    await close_models()
    await close_benches()
    await ValidationSandbox.close()

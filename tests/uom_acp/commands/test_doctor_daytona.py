"""What `uom doctor` says of Daytona, and the script it points to: real processes against a service on the loopback."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from react_agent.sandbox.daytona_snapshots import snapshot_name
from react_agent.sandbox.protocol import SandboxType
from tests.fakes.daytona_api import KEY, daytona_api

ROOT = Path(__file__).parents[3]
NOWHERE = "http://127.0.0.1:9"


async def ran(*arguments: str, **settings: str) -> tuple[int, str, str]:
    environment = {
        **os.environ,
        "DB_TOOLBOX_URI": NOWHERE,
        "MONGODB_MCP_URI": NOWHERE,
        "OPENAI_API_KEY": "",
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=environment, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, complained = await process.communicate()
    return process.returncode or 0, said.decode(), complained.decode()


async def daytona_of(**settings: str) -> dict[str, object]:
    _, said, _ = await ran("-m", "uom_acp", "doctor", "--json", **settings)
    return next(finding for finding in json.loads(said) if finding["name"] == "Daytona")


async def test_without_a_key_programs_run_here():
    finding = await daytona_of(DAYTONA_API_KEY="")
    assert finding["found"] == "not configured; programs run on this machine"
    assert not finding["needed"]


@pytest.mark.timeout(120)
async def test_what_is_missing_at_the_service_is_named_with_its_fix(tmp_path):
    async with daytona_api() as api:
        wrong = await daytona_of(DAYTONA_API_KEY="dtn_se-cret", DAYTONA_API_URL=api.url)
        assert wrong["found"] == f"Daytona at {api.url} does not accept the key"
        assert "se-cret" not in json.dumps(wrong)

        lacking = await daytona_of(DAYTONA_API_KEY=KEY, DAYTONA_API_URL=api.url)
        assert all(snapshot_name(kind) in str(lacking["found"]) for kind in SandboxType)
        assert lacking["fix"] == "run: python scripts/prepare_sandboxes.py"

        for kind in SandboxType:
            api.offer(snapshot_name(kind), tmp_path)
        there = await daytona_of(DAYTONA_API_KEY=KEY, DAYTONA_API_URL=api.url)
        assert (there["ok"], there["found"]) == (True, f"programs run at {api.url}")

        code, said, _ = await ran("scripts/prepare_sandboxes.py", "java", DAYTONA_API_KEY=KEY, DAYTONA_API_URL=api.url)
        assert (code, said) == (0, f"{snapshot_name(SandboxType.JAVA_25_SANDBOX)}\n")


async def test_the_script_says_what_it_lacks_in_one_line():
    assert await ran("scripts/prepare_sandboxes.py", DAYTONA_API_KEY="") == (
        2, "", "prepare_sandboxes: DAYTONA_API_KEY is not set; make a key in Daytona's dashboard\n",
    )  # fmt: skip
    code, _, complaint = await ran("scripts/prepare_sandboxes.py", DAYTONA_API_KEY="k", DAYTONA_API_URL=NOWHERE)
    assert (code, complaint.count("\n")) == (2, 1)
    assert complaint.startswith(f"prepare_sandboxes: nothing answers at {NOWHERE}.")

"""From the editor to the verdict and back, with nothing replaced: the real server, `uom/rules`, both workers."""

import asyncio
from pathlib import Path

import pytest

from react_agent.samples import sample
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_stdio import started


def contents(folder: Path) -> dict[str, bytes]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_sample_becomes_java_with_a_verdict_in_the_panel(workspace: Path) -> None:
    files = sample("workshop")
    for file in files:
        (workspace / file.path).write_bytes(file.text.encode())
    before = contents(workspace)
    settings = {"MODEL": "uom/rules", "OPENAI_API_KEY": "", "XDG_STATE_HOME": str(workspace.parent / "state")}
    async with started("-m", "uom_acp", "acp", **settings) as (ide, _):
        await ide.initialize(fs={"readTextFile": True, "writeTextFile": True})
        await ide.new_session(workspace)
        await ide.set_mode("ask_before_edits")
        ide.answers(*["allow_once"] * 20)
        names = " and ".join(before)
        async with asyncio.timeout(500):
            stop = (await ide.prompting(f"Move {names} to Spring Data MongoDB. Write the Java below java/."))[
                "stopReason"
            ]
        assert stop == "end_turn"
        text = ide.transcript.text()
        proofs = [updates for call_id, updates in ide.transcript.cards().items() if call_id.startswith("proof-")]
        assert proofs, text
        verdicts = next(update["rawOutput"]["verdicts"] for update in reversed(proofs[0]) if "rawOutput" in update)
        assert {verdict["verdict"] for verdict in verdicts} == {"equivalent_on_suite"}, verdicts
    written = [name for name in contents(workspace) if name.endswith(".java")]
    assert written
    asked = ide.transcript.asked("session/request_permission")
    assert len(asked) == len(ide.transcript.asked("fs/write_text_file"))
    assert {name: data for name, data in contents(workspace).items() if not name.startswith("java/")} == before


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_model_behind_an_endpoint_serves(workspace: Path, llm: FakeLlm) -> None:
    llm.expect("hello").call("write_file", file_path="/a.txt", content="a")
    llm.expect().say("Written.")
    key = "a-secret-for-this-test"
    settings = {"MODEL": "einfra/kimi-k2.6", "OPENAI_API_URL": llm.url, "OPENAI_API_KEY": key}
    settings |= {"XDG_STATE_HOME": str(workspace.parent / "state"), "UOM_ENV": "production"}
    async with started("-m", "uom_acp", "acp", **settings) as (ide, _):
        await ide.initialize()
        session = await ide.new_session(workspace)
        assert session["configOptions"][1]["currentValue"] == "einfra/kimi-k2.6"
        assert session["modes"]["currentModeId"] == "ask_before_edits"
        ide.answers("allow_once")
        async with asyncio.timeout(60):
            assert (await ide.prompting("hello"))["stopReason"] == "end_turn"
        assert ide.transcript.text() == "Written."
        assert key not in str(ide.transcript.frames)
    assert contents(workspace) == {"a.txt": b"a"}
    assert llm.authorizations[0] == f"Bearer {key}"

"""Tokens and cost: in the answer to a prompt, and in the panel where the model's window and price are known."""

from pathlib import Path

import pytest

from react_agent.model_facts import facts_of
from tests.fakes.deep_agent import deep_agent
from tests.fakes.ide import FakeIde, connected
from tests.fakes.llm_server import FakeLlm
from tests.stories.test_sessions import open_again
from uom_acp.archive import Archive
from uom_acp.conversations import Conversations
from uom_acp.main import choice_of, modes
from uom_acp.server import AgentServerACP

HELPER = "general-purpose"


def serving(llm: FakeLlm, folder: Path, memory: Conversations, *, priced: bool = True) -> AgentServerACP:
    facts = {"context_length": 1000, "pricing": {"prompt": "0.001", "completion": "0.01"}} if priced else {}
    model = choice_of(facts_of({"id": "m", **facts}))
    factory = deep_agent(llm.url, memory=memory)
    return AgentServerACP(
        factory, modes=modes(production=False), models=[model], archive=Archive(folder), memory=memory
    )


async def test_usage_counts_every_call_and_cost_goes_on_over_a_restart(
    llm: FakeLlm, tmp_path: Path, workspace: Path
) -> None:
    llm.expect("look").call("ls", path="/")
    llm.expect().say("four")  # one token
    llm.expect("more").say("four")
    memory = await Conversations(tmp_path / "state").open()
    async with connected(serving(llm, tmp_path / "state", memory)) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        used = (await ide.prompting("look"))["usage"]
        shown = ide.transcript.updates("usage_update")
        session = ide.session
    assert used["inputTokens"] == 20
    assert used["totalTokens"] == used["inputTokens"] + used["outputTokens"]
    assert shown[-1]["size"] == 1000
    assert shown[-1]["used"] == 11
    spent = 0.001 * used["inputTokens"] + 0.01 * used["outputTokens"]
    assert shown[-1]["cost"] == {"amount": pytest.approx(spent), "currency": "USD"}
    async with connected(serving(llm, tmp_path / "state", memory)) as ide:
        await ide.initialize()
        await open_again(ide, "load", session, workspace)
        more = (await ide.prompting("more"))["usage"]
        shown = ide.transcript.updates("usage_update")
    assert more["inputTokens"] == 10
    assert shown[-1]["cost"]["amount"] == pytest.approx(spent + 0.001 * 10 + 0.01 * more["outputTokens"])
    await memory.close()


async def test_tokens_of_sub_agents_are_paid_but_not_in_the_conversation(
    llm: FakeLlm, tmp_path: Path, workspace: Path
) -> None:
    llm.expect("delegate").call("task", description="count", subagent_type=HELPER)
    llm.expect("count").say("a long answer of the helper that costs something")
    llm.expect().say("Done")
    memory = Conversations(None)
    async with connected(serving(llm, tmp_path / "state", memory)) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        used = (await ide.prompting("delegate"))["usage"]
        assert used["inputTokens"] == 30
        assert ide.transcript.updates("usage_update")[-1]["used"] == 11


async def test_unknown_windows_are_not_made_up(llm: FakeLlm, tmp_path: Path, workspace: Path) -> None:
    llm.expect("hello").say("Hello")
    async with connected(serving(llm, tmp_path / "state", Conversations(None), priced=False)) as ide:
        await ide.initialize()
        await ide.new_session(workspace)
        assert (await ide.prompting("hello"))["usage"]["inputTokens"] == 10
        assert not ide.transcript.updates("usage_update")


async def test_a_cancelled_turn_says_what_it_used(ide: FakeIde, llm: FakeLlm) -> None:
    llm.expect("do it").call("execute", call_id="c", command="true")
    ide.answers("cancelled")
    answer = await ide.prompting("do it")
    assert answer["stopReason"] == "cancelled"
    assert answer["usage"]["inputTokens"] == 10

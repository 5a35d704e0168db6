import asyncio
import json

import httpx
import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_openai import ChatOpenAI
from openai import APIStatusError
from pydantic import SecretStr

from tests.fakes.llm_server import Chunking, FakeLlm

TOOL = {
    "type": "function",
    "function": {"name": "write_file", "parameters": {"type": "object", "properties": {}}},
}


def client(llm: FakeLlm, *, max_retries: int = 0) -> ChatOpenAI:
    return ChatOpenAI(
        model="einfra/kimi-k2.6",
        base_url=llm.url,
        api_key=SecretStr("k"),
        max_retries=max_retries,
        stream_usage=True,
    )


@pytest.mark.parametrize("chunking", ["whole", "token", "char", "byte"])
async def test_text_and_calls_arrive_the_same_however_they_are_cut(chunking: Chunking) -> None:
    with FakeLlm(chunking=chunking) as llm:
        said = "Přejmenuji\tto — hned.\r\n"
        llm.expect("rename").say(said).call("write_file", a='x\n"é"').call("write_file", b=2)
        stream = client(llm).bind_tools([TOOL]).astream("please rename it")
        chunks = [chunk async for chunk in stream if isinstance(chunk, AIMessageChunk)]
        whole = add_ai_message_chunks(*chunks)
        assert whole.text == said
        assert [c["args"] for c in whole.tool_calls] == [{"a": 'x\n"é"'}, {"b": 2}]
        assert len({c["id"] for c in whole.tool_calls}) == 2
        assert whole.usage_metadata
        assert whole.usage_metadata["input_tokens"] == 10


async def test_request_that_does_not_fit_is_answered_with_the_difference() -> None:
    llm = FakeLlm()
    llm.expect("delete").say("never")
    with pytest.raises(APIStatusError, match="expected user to hold 'delete', got 'rename'"):
        await client(llm).ainvoke("rename")
    with pytest.raises(AssertionError, match="step 1"):
        llm.close()


def test_step_nobody_asked_for_fails_the_test() -> None:
    llm = FakeLlm()
    llm.say("unused")
    with pytest.raises(AssertionError, match="1 scripted step"):
        llm.close()


async def test_rate_limit_and_cut_connection_are_seen_and_retried_by_the_client() -> None:
    with FakeLlm() as llm:
        llm.fail(429, retry_after_ms="1")
        llm.drop()
        llm.say("third time")
        answer = await client(llm, max_retries=3).ainvoke("hi")
        assert answer.text == "third time"
        assert len(llm.requests) == 3


async def test_held_answer_waits_for_its_gate() -> None:
    with FakeLlm() as llm:
        step = llm.say("late").hold()
        task = asyncio.create_task(client(llm).ainvoke("hi", stream=True))
        await asyncio.to_thread(llm.wait_for_requests, 1)
        assert not task.done()
        step.gate.set()
        assert (await task).text == "late"


async def test_models_are_listed() -> None:
    with FakeLlm(models=("a", "b")) as llm:
        async with httpx.AsyncClient() as http:
            answer = await http.get(f"{llm.url}/models")
        assert [m["id"] for m in json.loads(answer.text)["data"]] == ["a", "b"]

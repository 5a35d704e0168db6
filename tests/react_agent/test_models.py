import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from langchain_core.messages import AIMessageChunk

from react_agent import endpoint_model
from react_agent.context import Context
from react_agent.models import (
    MODELS,
    AvailableModel,
    ModelUnavailable,
    address,
    close_models,
    list_models,
    load_chat_model,
)
from tests.fakes.llm_server import FakeLlm

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(models=("kimi-k2.6", "other")) as server:
        yield server


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    yield
    await close_models()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_model, "FIRST_PAUSE", 0.01)


def settings(llm: FakeLlm, key: str | None = KEY) -> Context:
    return Context(openai_api_url=llm.url, openai_api_key=key)


async def streamed(llm: FakeLlm, key: str = KEY) -> str:
    model = await load_chat_model("einfra/kimi-k2.6", settings(llm, key))
    return "".join([chunk.text async for chunk in model.astream("hi")])


async def test_known_prefix_is_taken_off_and_any_other_name_goes_as_it_is(llm: FakeLlm) -> None:
    for name in ("einfra/kimi-k2.6", "kimi-k2.6", "qwen/next"):
        llm.say("ok")
        await (await load_chat_model(name, settings(llm))).ainvoke("hi")
    assert [r["model"] for r in llm.requests] == ["kimi-k2.6", "kimi-k2.6", "qwen/next"]
    assert set(llm.authorizations) == {f"Bearer {KEY}"}


def test_ollama_names_go_to_its_host_without_a_key() -> None:
    context = Context(ollama_host="http://box:11434/", openai_api_key=KEY)
    assert address("ollama/qwen2.5-coder", context) == (
        "qwen2.5-coder",
        "http://box:11434/v1",
        None,
    )


async def test_one_clients_key_never_serves_another(llm: FakeLlm) -> None:
    first = await load_chat_model("einfra/kimi-k2.6", settings(llm, "key-one"))
    assert await load_chat_model("einfra/kimi-k2.6", settings(llm, "key-one")) is first
    assert await load_chat_model("einfra/kimi-k2.6", settings(llm, "key-two")) is not first
    assert "key-one" not in repr(list(MODELS))


async def test_missing_key_is_said_with_the_way_out(llm: FakeLlm) -> None:
    with pytest.raises(ModelUnavailable, match=r"set OPENAI_API_KEY .* or choose uom/rules"):
        await load_chat_model("einfra/kimi-k2.6", settings(llm, None))
    with pytest.raises(ModelUnavailable, match="there is no model uom/other"):
        await load_chat_model("uom/other", settings(llm))


async def test_rules_need_no_key() -> None:
    model = await load_chat_model(AvailableModel.UOM_RULES, Context(openai_api_key=None))
    assert "without a language model" in (await model.ainvoke("hello")).text


async def test_rate_limits_faults_and_drops_before_any_text_are_retried(llm: FakeLlm) -> None:
    llm.fail(429, retry_after_ms="1")
    llm.fail(503)
    llm.drop(after=1)
    llm.say("at last")
    assert await streamed(llm) == "at last"


async def test_drop_after_text_was_shown_is_told_and_not_sent_twice(llm: FakeLlm) -> None:
    llm.drop(after=3)
    with pytest.raises(ModelUnavailable, match="broke off in the middle"):
        await streamed(llm)
    assert len(llm.requests) == 1


async def test_limit_that_does_not_pass_is_told_after_the_last_attempt(llm: FakeLlm) -> None:
    for _ in range(endpoint_model.ATTEMPTS):
        llm.fail(429)
    with pytest.raises(ModelUnavailable, match=r"\(429\): wait, or choose another model"):
        await streamed(llm)


async def test_long_pause_asked_for_is_told_instead_of_waited(llm: FakeLlm) -> None:
    llm.fail(429, retry_after="3600")
    with pytest.raises(ModelUnavailable, match="429"):
        await streamed(llm)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 500])
async def test_no_error_text_holds_the_key(llm: FakeLlm, status: int) -> None:
    for _ in range(endpoint_model.ATTEMPTS if status == 500 else 1):
        llm.fail(status, f"Incorrect API key provided: {KEY} and sk-other-key-123 Bearer {KEY}")
    with pytest.raises(ModelUnavailable) as caught:
        await streamed(llm)
    shown = f"{caught.value} {caught.value.__cause__}"
    assert str(status) in shown
    assert "secret" not in shown
    assert "sk-" not in shown
    assert caught.value.__suppress_context__


async def test_endpoint_that_is_not_there_is_named() -> None:
    context = Context(openai_api_url="http://127.0.0.1:9/v1", openai_api_key=KEY)
    model = await load_chat_model("einfra/kimi-k2.6", context)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9/v1 could not be reached"):
        await model.ainvoke("hi")
    with pytest.raises(ModelUnavailable, match="could not be reached"):
        await list_models(context)


async def test_models_of_the_endpoint_are_listed(llm: FakeLlm) -> None:
    assert await list_models(settings(llm)) == ["kimi-k2.6", "other"]
    llm.model_status = 401
    with pytest.raises(ModelUnavailable, match="refused the key"):
        await list_models(settings(llm))


async def test_what_a_thinking_model_thinks_is_kept(llm: FakeLlm) -> None:
    llm.expect().think("two plus two").say("four")
    model = await load_chat_model("einfra/kimi-k2.6", settings(llm))
    chunks = [c async for c in model.astream("hi") if isinstance(c, AIMessageChunk)]
    thoughts = [c.additional_kwargs.get("reasoning_content", "") for c in chunks]
    assert "".join(thoughts) == "two plus two"
    assert "".join(c.text for c in chunks) == "four"


def test_nothing_heavy_is_imported_before_a_model_is_wanted() -> None:
    code = "import react_agent.models, sys; print([m for m in ('openai', 'langchain_openai') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_closed_models_are_made_anew(llm: FakeLlm) -> None:
    llm.say("one")
    llm.say("two")
    assert await streamed(llm) == "one"
    before = await load_chat_model("einfra/kimi-k2.6", settings(llm))
    await close_models()
    assert MODELS == {}
    assert before.http_async_client.is_closed
    assert await streamed(llm) == "two"

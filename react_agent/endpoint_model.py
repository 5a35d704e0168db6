"""A chat model behind an OpenAI-compatible endpoint, with its faults made readable.

An endpoint's error text may repeat the key it refused, so it is never shown as it is.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator
from typing import Any

import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from react_agent.model_facts import ModelFacts, facts_of
from react_agent.models import ModelUnavailable

ATTEMPTS = 4
"""How often a request is made before its fault is told."""
FIRST_PAUSE = 0.5
"""Seconds before the second attempt; each later pause is twice as long."""
LONGEST_PAUSE = 20.0
"""Seconds that an endpoint may ask us to wait; more than that is told instead."""
TIMEOUT = 300.0
"""Seconds without a byte before a request counts as failed."""
NO_KEY = "none"
"""Sent where an endpoint wants no key; the client refuses to send nothing."""
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may go away by themselves."""


def endpoint_model(name: str, url: str, key: str | None, thought_level: str | None = None) -> "EndpointModel":
    """Make the client of one model, with connections of its own: those of the library are shared and never closed."""
    return EndpointModel(
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=TIMEOUT),
        model=name,
        base_url=url,
        api_key=SecretStr(key or NO_KEY),
        max_retries=0,
        timeout=TIMEOUT,
        stream_usage=True,
        use_responses_api=False,
        reasoning_effort=thought_level,
    )


class EndpointModel(ChatOpenAI):
    """Retries what may pass, as long as nothing was shown, and tells the rest in plain words."""

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for attempt in range(1, ATTEMPTS + 1):
            shown = False
            try:
                async for chunk in super()._astream(*args, **kwargs):
                    shown = shown or _says_something(chunk)
                    yield chunk
            except ContextOverflowError:
                raise
            except Exception as error:
                if not is_fault(error):
                    raise
                if shown or not await _pause(error, attempt):
                    raise self._told(error, cut=shown) from None
            else:
                return

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await super()._agenerate(*args, **kwargs)
            except (ContextOverflowError, ModelUnavailable):
                raise
            except Exception as error:
                if not is_fault(error):
                    raise
                if not await _pause(error, attempt):
                    raise self._told(error, cut=False) from None
        raise AssertionError("the last attempt returns or raises")

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        if self.http_async_client is not None:
            await self.http_async_client.aclose()

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], *args: Any, **kwargs: Any
    ) -> ChatGenerationChunk | None:
        """Keep what a thinking model thinks; langchain-openai leaves the field out."""
        made = super()._convert_chunk_to_generation_chunk(chunk, *args, **kwargs)
        choices = chunk.get("choices") or [{}]
        thought = (choices[0].get("delta") or {}).get("reasoning_content")
        if made and thought and isinstance(made.message, AIMessageChunk):
            made.message.additional_kwargs["reasoning_content"] = thought
        return made

    def _told(self, error: Exception, *, cut: bool) -> ModelUnavailable:
        key = self.openai_api_key
        secret = key.get_secret_value() if isinstance(key, SecretStr) else ""
        return told(error, name=self.model_name, url=str(self.openai_api_base), key=secret, cut=cut)


async def models_at(url: str, key: str | None) -> list[ModelFacts]:
    """Return the models an endpoint lists at `/models`, with what it says of them.

    Raises:
        ModelUnavailable: It does not answer with a list.
    """
    async with openai.AsyncOpenAI(base_url=url, api_key=key or NO_KEY, max_retries=1, timeout=15) as client:
        try:
            return [facts_of(model.model_dump()) async for model in client.models.list()]
        except Exception as error:
            if not is_fault(error):
                raise
            raise told(error, name="", url=url, key=key or "", cut=False) from None


def is_fault(error: Exception) -> bool:
    """Whether an exception is the endpoint's or the network's, not a mistake of ours."""
    module = type(error).__module__.partition(".")[0]
    return isinstance(error, openai.OpenAIError | ConnectionError | TimeoutError) or module in {
        "httpx",
        "httpcore",
    }


def told(error: Exception, *, name: str, url: str, key: str, cut: bool) -> ModelUnavailable:
    """Say in one sentence what an endpoint did, where, and what to do about it."""
    model = f"the model {name} at {url}" if name else f"the endpoint {url}"
    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    if cut:
        return ModelUnavailable(f"{model} broke off in the middle of its answer; send it again")
    reason = {
        401: "refused the key (401): check OPENAI_API_KEY and OPENAI_API_URL",
        403: "does not allow this with the key (403): check what the key may use",
        404: "is not there (404): check MODEL and OPENAI_API_URL",
        413: "refused the request as too long (413): start a new session or send less",
        429: "has too many requests or no quota left (429): wait, or choose another model",
    }.get(status)
    if reason is None and isinstance(error, openai.APIStatusError):
        reason = f"answered {status}: {masked(error.message, key)[:300]}"
    elif reason is None:
        late = isinstance(error, openai.APITimeoutError | TimeoutError)
        what = "did not answer in time" if late else "could not be reached"
        reason = f"{what} ({type(error).__name__}): check OPENAI_API_URL and the network"
    return ModelUnavailable(f"{model} {reason}")


def masked(text: str, key: str) -> str:
    """Take a key, and what looks like one, out of a text."""
    if len(key) > 3 and key != NO_KEY:
        text = text.replace(key, "***")
    return re.sub(r"\b(?:sk|pk|key)-[\w*-]{4,}|Bearer\s+\S+", "***", text)


def _says_something(chunk: ChatGenerationChunk) -> bool:
    message = chunk.message
    called = isinstance(message, AIMessageChunk) and bool(message.tool_call_chunks)
    return bool(chunk.text) or called or bool(message.additional_kwargs)


async def _pause(error: Exception, attempt: int) -> bool:
    """Wait before the next attempt; False when there is none."""
    if isinstance(error, openai.APIStatusError) and error.status_code not in RETRIED:
        return False
    asked = _asked_pause(error)
    if attempt >= ATTEMPTS or (asked or 0) > LONGEST_PAUSE:
        return False
    pause = FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311 no secret
    await asyncio.sleep(pause if asked is None else asked)
    return True


def _asked_pause(error: Exception) -> float | None:
    """Return how long an endpoint asks to wait, in seconds."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None

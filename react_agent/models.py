"""The chat models that can be chosen, and their clients.

Nothing heavy is imported before a model is wanted: a server answers its first request long before that.
"""

import asyncio
import difflib
import hashlib
import importlib
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from react_agent.context import Context
from react_agent.model_facts import ModelFacts

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

RULES = "uom/rules"
"""The model that needs no key and no network."""


class AvailableModel(StrEnum):
    """Models that are always offered; an endpoint's own list adds to them."""

    EINFRA_KIMI_K2_6 = "einfra/kimi-k2.6"
    EINFRA_DEEPSEEK_V4_PRO_THINKING = "einfra/deepseek-v4-pro-thinking"
    EINFRA_QWEN3_CODER = "einfra/qwen3-coder"
    OLLAMA_QWEN2_5_CODER = "ollama/qwen2.5-coder"
    UOM_RULES = RULES


class ModelUnavailable(Exception):
    """A model cannot serve: why, and what to set. Holds no secret, so it may be shown."""


class KeyMissing(ModelUnavailable):
    """A model needs a key and there is none."""


MODELS: dict[tuple[str, str, str, str | None], "BaseChatModel"] = {}
"""Clients by name, URL, a hash of the key and level of thought, so that one client's key never serves another."""


async def load_chat_model(name: str, context: Context) -> "BaseChatModel":
    """Return the client of a model, made on first use.

    Raises:
        ModelUnavailable: The model needs a key and there is none.
    """
    sent, url, key = address(name, context)
    level = context.thought_level
    slot = (name, url, hashlib.sha256((key or "").encode()).hexdigest(), level)
    if slot not in MODELS:
        module = "react_agent.rules_model" if name == RULES else "react_agent.endpoint_model"
        made = await asyncio.to_thread(importlib.import_module, module)
        MODELS[slot] = made.RulesModel() if name == RULES else made.endpoint_model(sent, url, key, level)
    return MODELS[slot]


@runtime_checkable
class Connected(Protocol):
    """A client that holds connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


async def close_models() -> None:
    """Close the connections of all clients; a model asked for afterwards gets a new client."""
    models = list(MODELS.values())
    MODELS.clear()
    for model in models:
        if isinstance(model, Connected):
            await model.aclose()


def address(name: str, context: Context) -> tuple[str, str, str | None]:
    """Return what a model is called where it runs, that place's URL, and the key for it.

    A name without a prefix of ours goes to the configured endpoint as it is.

    Raises:
        ModelUnavailable: The model needs a key and there is none.
    """
    if name == RULES:
        return name, "", None
    prefix, _, rest = name.partition("/")
    if prefix == "ollama" and rest:
        return rest, f"{context.ollama_host.rstrip('/')}/v1", None
    if prefix == "uom":
        raise ModelUnavailable(f"there is no model {name}; the built-in one is {RULES}")
    if not context.openai_api_key:
        raise KeyMissing(
            f"the model {name} needs a key: set OPENAI_API_KEY (and OPENAI_API_URL, now "
            f"{context.openai_api_url}), or choose {RULES}, which needs none"
        )
    sent = rest if prefix == "einfra" and rest else name
    return sent, context.openai_api_url.rstrip("/"), context.openai_api_key


async def list_models(context: Context) -> list[str]:
    """Ask the configured endpoint which models it has.

    Raises:
        ModelUnavailable: There is no key, or the endpoint does not answer with a list.
    """
    return [facts.name for facts in await list_model_facts(context)]


async def list_model_facts(context: Context) -> list[ModelFacts]:
    """Ask the configured endpoint which models it has, and what it says of them.

    Raises:
        ModelUnavailable: There is no key, or the endpoint does not answer with a list.
    """
    _, url, key = address("models", context)
    endpoint = await asyncio.to_thread(importlib.import_module, "react_agent.endpoint_model")
    return await endpoint.models_at(url, key)


async def known_model(context: Context) -> None:
    """See that the chosen model can be asked, before anything is built; an endpoint without a list is believed.

    Raises:
        ModelUnavailable: it needs a key and there is none, or its endpoint does not have it.
    """
    sent, _, _ = address(context.model, context)
    if context.model == RULES or context.model.startswith("ollama/"):
        return
    try:
        names = await list_models(context)
    except ModelUnavailable:
        return
    if names and not {sent, context.model} & set(names):
        near = difflib.get_close_matches(context.model, names, n=3) or sorted(names)[:3]
        raise ModelUnavailable(
            f"{context.openai_api_url} has no model {context.model}; it has {', '.join(near)} and others; "
            f"{RULES} needs none"
        )

"""What an endpoint's list says about its models: the context window, prices, whether they think. Pure.

OpenAI's own list holds names alone; other servers of the same protocol add facts, each under names of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WINDOWS = ("context_length", "max_model_len", "context_window", "max_context_length", "max_input_tokens")
THINKERS = re.compile(r"(^|/)(o[134]\b|gpt-5|gpt-oss)|-thinking\b|reason", re.IGNORECASE)
"""Names of models that take a level of reasoning, for endpoints that do not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one token costs, in US dollars."""

    input: float
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """One listed model; what its endpoint does not say is None."""

    name: str
    window: int | None = None
    """Tokens of context it can take."""
    price: Price | None = None
    thinks: bool = False
    """Whether it takes a level of reasoning."""


def facts_of(listed: Mapping[str, Any]) -> ModelFacts:
    """Read one entry of an endpoint's list."""
    name = str(listed["id"])
    details = {**_mapping(listed.get("top_provider")), **_mapping(listed.get("model_info")), **listed}
    return ModelFacts(
        name=name,
        window=next((size for key in WINDOWS if (size := _count(details.get(key)))), None),
        price=_price(details),
        thinks=thinks(name, details.get("supported_parameters")),
    )


def thinks(name: str, parameters: Any = None) -> bool:
    """Tell whether a model takes a level of reasoning: by what is listed, else by its name."""
    if isinstance(parameters, list):
        return bool({"reasoning", "reasoning_effort"} & {str(each) for each in parameters})
    return THINKERS.search(name) is not None


def _price(details: Mapping[str, Any]) -> Price | None:
    pricing = _mapping(details.get("pricing"))
    given = _amount(pricing.get("prompt", details.get("input_cost_per_token")))
    made = _amount(pricing.get("completion", details.get("output_cost_per_token")))
    return None if given is None or made is None else Price(input=given, output=made)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _amount(value: Any) -> float | None:
    try:
        amount = float(value)
    except (TypeError, ValueError):
        return None
    return amount if 0 <= amount < 1 else None

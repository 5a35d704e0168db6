"""What a turn used: the tokens of every model call, sub-agents' and the translator's included, and their cost. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from acp.schema import Cost, Usage, UsageUpdate

from react_agent.model_facts import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens, by what they were."""

    input: int = 0
    output: int = 0
    thought: int = 0
    """Of the output, what was reasoning."""
    cached: int = 0
    """Of the input, what the service had read before."""

    def __add__(self, other: "Tokens") -> "Tokens":
        """Count together."""
        return Tokens(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})


@dataclass(slots=True, kw_only=True)
class Spending:
    """One turn's use of models; what it cost is known where the model's price is."""

    window: int | None = None
    price: Price | None = None
    before: float | None = None
    """What the session had cost when the turn began."""
    total: Tokens = field(default_factory=Tokens)
    in_context: int = 0
    """Tokens of the conversation at the main agent's last answer."""
    told: tuple[int, float | None] | None = None

    def usage(self) -> Usage | None:
        """Count the turn, for its answer; nothing where no service counted."""
        counted = self.total
        if counted == Tokens():
            return None
        return Usage(
            total_tokens=counted.input + counted.output,
            input_tokens=counted.input,
            output_tokens=counted.output,
            thought_tokens=counted.thought or None,
            cached_read_tokens=counted.cached or None,
        )

    def cost(self) -> float | None:
        """Say what the session has cost so far, in US dollars."""
        if self.price is None:
            return self.before
        spent = self.total.input * self.price.input + self.total.output * self.price.output
        return (self.before or 0.0) + spent

    def update(self) -> list[UsageUpdate]:
        """Tell how full the window is and what was spent, where that is known and has changed."""
        now = (self.in_context, self.cost())
        if self.window is None or not self.in_context or now == self.told:
            return []
        self.told = now
        cost = None if now[1] is None else Cost(amount=round(now[1], 8), currency="USD")
        return [UsageUpdate(session_update="usage_update", used=self.in_context, size=self.window, cost=cost)]


def tokens_of(counted: Any) -> Tokens:
    """Read what a model's answer says it used."""
    if not isinstance(counted, Mapping):
        return Tokens()
    return Tokens(
        input=_number(counted, "input_tokens"),
        output=_number(counted, "output_tokens"),
        thought=_number(counted.get("output_token_details"), "reasoning"),
        cached=_number(counted.get("input_token_details"), "cache_read"),
    )


def spent_before(shown: Mapping[str, Any] | None) -> float | None:
    """Read the cost that the session's last update told."""
    cost = (shown or {}).get("cost")
    return float(cost["amount"]) if isinstance(cost, Mapping) else None


def _number(counted: Any, name: str) -> int:
    value = counted.get(name) if isinstance(counted, Mapping) else None
    return value if isinstance(value, int) and value > 0 else 0

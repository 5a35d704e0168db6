"""Count what every model call of a turn used, whoever made it."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from uom_acp.spending import Spending, tokens_of


class Meter(AsyncCallbackHandler):
    """A callback: the stream shows the main agent's calls alone, a callback sees those inside nodes too."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending

    async def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Add what one call used."""
        for generation in (each for choices in response.generations for each in choices[:1]):
            if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                self._spending.total += tokens_of(generation.message.usage_metadata)

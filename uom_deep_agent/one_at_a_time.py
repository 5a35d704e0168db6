"""Let the effectful calls of one message run in their order, also over interrupts.

A model's message may hold several calls, and LangGraph runs each in a task of its own, all at once. Here a
call waits until the calls before it are done. When one of those stops to ask a person, the ones after it
end their task without a result and without a question: LangGraph runs them again with the answer, and so
each sees the files and the mode as they are when its turn comes.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import asynccontextmanager
from enum import Enum, auto

from langgraph.errors import GraphInterrupt

ARRIVAL_ROUNDS = 20
"""Turns of the event loop to wait for an earlier call that has not come yet; without it, a call that
finished before a restart of this process would be waited for without end."""
REMEMBERED = 256
"""Messages remembered; one whose question is never answered must not be kept for ever."""


class CallState(Enum):
    """How far a call is."""

    RUNNING = auto()
    ASKING = auto()
    DONE = auto()


class _Message:
    """The calls of one message."""

    def __init__(self) -> None:
        self.states: dict[str, CallState] = {}
        self.entries: Counter[str] = Counter()
        self._changed = asyncio.Event()

    def set(self, call: str, state: CallState) -> None:
        self.states[call] = state
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_for(self, calls: Sequence[str], attempt: int) -> None:
        """Wait until calls are done; stop this task, with no question of its own, when one asks."""
        for call in calls:
            if await self.arrived(call) and await self.ended(call, attempt) is CallState.ASKING:
                raise GraphInterrupt(())

    async def ended(self, call: str, attempt: int) -> CallState:
        """Wait until a call is done or asks in the same attempt of the graph."""
        while not self._settled(call, attempt):
            await self._changed.wait()
        return self.states[call]

    async def arrived(self, call: str) -> bool:
        for _ in range(ARRIVAL_ROUNDS):
            if call in self.states:
                return True
            await asyncio.sleep(0)
        return False

    def _settled(self, call: str, attempt: int) -> bool:
        state = self.states[call]
        asked_now = state is CallState.ASKING and self.entries[call] >= attempt
        return state is CallState.DONE or asked_now


class OneAtATime:
    """The order of effectful calls, for all messages of an agent."""

    def __init__(self) -> None:
        self._messages: OrderedDict[Hashable, _Message] = OrderedDict()

    @asynccontextmanager
    async def turn(self, message: Hashable, calls: Sequence[str], call: str) -> AsyncGenerator[None]:
        """Wait for the turn of one of a message's effectful calls.

        Raises:
            GraphInterrupt: An earlier call asks a person; this one runs again later.
        """
        state = self._messages.setdefault(message, _Message())
        self._messages.move_to_end(message)
        while len(self._messages) > REMEMBERED:
            self._messages.popitem(last=False)
        state.entries[call] += 1
        state.set(call, CallState.RUNNING)
        after = CallState.DONE
        try:
            await state.wait_for(calls[: calls.index(call)], state.entries[call])
            yield
        except GraphInterrupt:
            after = CallState.ASKING
            raise
        finally:
            state.set(call, after)
            if all(state.states.get(c) is CallState.DONE for c in calls):
                self._messages.pop(message, None)

"""A session: its folder, mode, model, agent, and the one turn that runs."""

import asyncio
import importlib
import logging
import textwrap
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from acp.schema import SessionInfoUpdate, StopReason

from uom_acp.cards import Cards
from uom_acp.config_options import Choices
from uom_acp.content import Block, model_content, said_text
from uom_acp.editor import Editor
from uom_acp.errors import AgentNotReady, UnknownSession
from uom_acp.panel import Panel, Update, message
from uom_acp.permissions import StandingPermissions
from uom_acp.tool_calls import text_content

log = logging.getLogger(__name__)

AgentFactory = Callable[[Any], Awaitable[Any]]

TIDY_END = 0.1
"""Seconds a cancelled turn gets to end by itself before it is answered without it."""
LONGEST_CLEANUP = 10.0
"""Seconds the next prompt waits for a cancelled turn that still ends."""
LONGEST_TITLE = 60
CANCELLED = "Cancelled."


def notice_of(text: str) -> Update:
    """Say something that is not the model's."""
    return message(f"> {text}\n\n")


def title_of(words: str) -> str:
    """Name a conversation by its first request, without the code in it."""
    title = " ".join(words.partition("```")[0].split())
    return textwrap.shorten(title, LONGEST_TITLE, placeholder="…") or "Conversation"


async def heavy() -> ModuleType:
    """Load what needs LangGraph, off the loop; the first answer to the editor never waits for it."""
    return await asyncio.to_thread(importlib.import_module, "uom_acp.turn")


async def live_context(**values: Any) -> Any:
    """Build what the agent's factory gets."""
    module = await asyncio.to_thread(importlib.import_module, "uom_acp.agent_context")
    return module.live_context(**values)


@dataclass(slots=True, kw_only=True, eq=False)
class RunningTurn:
    """A prompt that was sent and not yet answered."""

    panel: Panel
    cards: Cards
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[StopReason] | None = None

    def cancel(self) -> None:
        """Stop the turn; its answer does not wait for what it still does."""
        self.cancelled.set()
        if self.task is not None:
            self.task.cancel()

    async def close(self) -> None:
        """Close the open cards, then let nothing more through."""
        await self.panel.show(self.cards.close_all(lambda _: [text_content(CANCELLED)]))
        self.panel.shut = True


@dataclass(slots=True, kw_only=True, eq=False)
class Session:
    """One conversation. Prompts run one after another, in the order they came."""

    id: str
    cwd: Path
    choices: Choices
    mode: str
    model: str
    editor: Editor
    factory: AgentFactory
    run_context: Callable[[str], Any] = lambda _: None
    notice: Callable[[str], str | None] = lambda _: None
    mcp_servers: Sequence[Any] = ()
    notices: list[str] = field(default_factory=list)
    standing: StandingPermissions = field(default_factory=StandingPermissions)
    waiting: Any = None
    titled: bool = False
    built: tuple[str, Any, Any] | None = None
    turns: list[RunningTurn] = field(default_factory=list)
    ending: set[asyncio.Task[StopReason]] = field(default_factory=set)
    order: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def prompt(self, prompt: Sequence[Block]) -> StopReason:
        """Run one turn; to be cancelled by the editor is an answer, not an error."""
        turn = RunningTurn(panel=Panel(self.editor, self.id), cards=Cards(cwd=self.cwd))
        content = model_content(prompt, self.cwd)
        task = asyncio.create_task(self._in_order(turn, content, said_text(prompt)))
        turn.task = task
        self.turns.append(turn)
        stopped = asyncio.create_task(turn.cancelled.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if turn.cancelled.is_set():
                return await self._stopped(turn, task)
            return task.result()
        except asyncio.CancelledError:
            turn.cancel()
            await self._stopped(turn, task)
            raise
        finally:
            stopped.cancel()
            self.turns.remove(turn)

    def cancel(self) -> None:
        """Stop the running turn and those that wait behind it."""
        self.waiting = None
        for turn in self.turns:
            turn.cancel()

    async def close(self) -> None:
        """End the session and everything it runs."""
        self.cancel()
        tasks = [turn.task for turn in self.turns if turn.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)

    async def _stopped(self, turn: RunningTurn, task: asyncio.Task[StopReason]) -> StopReason:
        await asyncio.wait({task}, timeout=TIDY_END)
        await turn.close()
        if not task.done():
            self._leave_behind(task)
        elif not task.cancelled() and (error := task.exception()):
            log.info("a cancelled turn ended with %s", type(error).__name__)
        return "cancelled"

    def _leave_behind(self, task: asyncio.Task[StopReason]) -> None:
        self.ending.add(task)
        task.add_done_callback(self._left)
        self.order = asyncio.Lock()

    def _left(self, task: asyncio.Task[StopReason]) -> None:
        self.ending.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.info("a cancelled turn ended late with %s", type(error).__name__)

    async def _in_order(self, turn: RunningTurn, content: Any, words: str) -> StopReason:
        async with self.order:
            if self.ending:
                _, stuck = await asyncio.wait(set(self.ending), timeout=LONGEST_CLEANUP)
                if stuck:
                    raise AgentNotReady(
                        "The cancelled turn has not ended yet. Wait a little and send the message again."
                    )
            return await self._run(turn, content, words)

    async def _run(self, turn: RunningTurn, content: Any, words: str) -> StopReason:
        await self._introduce(turn.panel, words)
        module = await heavy()
        agent, context = await self._agent()
        notices, self.notices = self.notices, []
        await turn.panel.show(notice_of(text) for text in notices)
        waiting, self.waiting = self.waiting, None
        for card in waiting.delegations if waiting else ():
            await turn.panel.show(turn.cards.reopen(card))
        running = module.Turn(
            agent=agent,
            thread=self.id,
            context=self.run_context(self.model),
            panel=turn.panel,
            cards=turn.cards,
            changes=module.Changes(context.workspace_files, self.cwd),
            standing=self.standing,
            asks=lambda tool: module.asks(self.mode, tool),
        )
        try:
            outcome = await module.run_turn(running, module.first_step(content, waiting, words))
        finally:
            await turn.panel.show(
                turn.cards.close_all(lambda _: [text_content(CANCELLED)] if turn.cancelled.is_set() else None)
            )
        self.waiting = outcome.waiting
        return outcome.stop

    async def _introduce(self, panel: Panel, words: str) -> None:
        if not self.titled:
            self.titled = True
            info = SessionInfoUpdate(session_update="session_info_update", title=title_of(words))
            notice = self.notice(self.model)
            await panel.show([info, *([notice_of(notice)] if notice else [])])

    async def _agent(self) -> tuple[Any, Any]:
        if self.built is None or self.built[0] != self.model:
            model = self.model
            context = await live_context(
                session_id=self.id,
                cwd=self.cwd,
                mode=lambda: self.mode,
                model=model,
                editor=self.editor,
                mcp_servers=self.mcp_servers,
                tell=self.notices.append,
            )
            self.built = (model, await self.factory(context), context)
        return self.built[1], self.built[2]


class SessionRegistry:
    """The open sessions."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def __iter__(self) -> Iterator[Session]:
        """Go over the open sessions."""
        return iter(list(self._sessions.values()))

    def add(self, session: Session) -> None:
        """Open a session."""
        self._sessions[session.id] = session

    def get(self, session_id: str) -> Session:
        """Find an open session."""
        session = self._sessions.get(session_id)
        if session is None:
            raise UnknownSession(f"There is no open session {session_id!r}. Start one with session/new.")
        return session

    def find(self, session_id: str) -> Session | None:
        """Find a session that may be closed already."""
        return self._sessions.get(session_id)

    async def close(self, session: Session) -> None:
        """Close one session."""
        self._sessions.pop(session.id, None)
        await session.close()

    async def close_all(self) -> None:
        """Close every session at the same time."""
        await asyncio.gather(*(self.close(each) for each in self))

"""A session: its folder, mode, model, agent, and the one turn that runs."""

import asyncio
import contextlib
import importlib
import logging
import textwrap
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from acp import RequestError
from acp.schema import ConfigOptionUpdate, PromptResponse, SessionInfoUpdate, StopReason, ToolCallProgress

from uom_acp import slash_commands
from uom_acp.archive import Archive, StoredSession, now
from uom_acp.cards import Cards
from uom_acp.config_options import (
    AUTO,
    DECISIONS,
    LEVEL,
    MODEL,
    TARGET,
    THOUGHTS,
    Choices,
    Chosen,
    mode_update,
    options_update,
)
from uom_acp.content import Block, model_content, said_text
from uom_acp.editor import Editor, as_params
from uom_acp.errors import AgentNotReady, UnreadableArchive, said
from uom_acp.lease import Lease
from uom_acp.notices import notice
from uom_acp.panel import Panel, message
from uom_acp.permissions import StandingPermissions
from uom_acp.record import Record
from uom_acp.spending import Spending, spent_before
from uom_acp.tool_calls import text_content

log = logging.getLogger(__name__)

AgentFactory = Callable[[Any], Awaitable[Any]]

TIDY_END = 0.1
"""Seconds a cancelled turn gets to end by itself before it is answered without it."""
LONGEST_CLEANUP = 10.0
"""Seconds the next prompt waits for a cancelled turn that still ends."""
LONGEST_TITLE = 60
CANCELLED = "Cancelled."
SAVE_EVERY = 1.0
"""Seconds between two savings of what a running turn shows."""


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
    hooks = {name: values.pop(name) for name in ("tell", "in_terminal", "in_output", "steering")}
    return module.live_context(**values, hooks=module.Hooks(**hooks))


@dataclass(slots=True, kw_only=True, eq=False)
class RunningTurn:
    """A prompt that was sent and not yet answered."""

    panel: Panel
    cards: Cards
    spending: Spending = field(default_factory=Spending)
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
    chosen: Chosen
    editor: Editor
    factory: AgentFactory
    run_context: Callable[[Chosen], Any] = lambda _: None
    notice: Callable[[str], str | None] = lambda _: None
    mcp_servers: Sequence[Any] = ()
    notices: list[str] = field(default_factory=list)
    standing: StandingPermissions = field(default_factory=StandingPermissions)
    archive: Archive | None = None
    lease: Lease | None = None
    record: Record = field(default_factory=Record)
    title: str = ""
    is_open: bool = False
    """Whether a turn runs, or the process that ran it ended in it."""
    asks_feedback: bool = False
    """Whether the next message goes to the translator."""
    steered: list[Any] = field(default_factory=list)
    """What was said into the running turn and not yet read."""
    built: tuple[Any, Any, Any] | None = None
    turns: list[RunningTurn] = field(default_factory=list)
    ending: set[asyncio.Task[StopReason]] = field(default_factory=set)
    order: asyncio.Lock = field(default_factory=asyncio.Lock)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    building: asyncio.Lock = field(default_factory=asyncio.Lock)
    preparing: asyncio.Task[None] | None = None
    background: set[asyncio.Task[None]] = field(default_factory=set)
    is_steerable: bool = False
    """Whether the agent runs and reads what is said meanwhile."""
    is_told: bool = False
    """Whether the person knows that this session is not stored."""

    @property
    def mode(self) -> str:
        """What the agent asks before doing."""
        return self.chosen.mode

    @property
    def model(self) -> str:
        """The model that leads the conversation."""
        return self.chosen.model

    async def prompt(self, prompt: Sequence[Block]) -> PromptResponse:
        """Run one turn; to be cancelled by the editor is an answer, not an error."""
        content = model_content(prompt, self.cwd)
        turn = RunningTurn(panel=Panel(self.editor, self.id, self.record, self.save), cards=Cards(cwd=self.cwd))
        stop = await self._answer(turn, content, prompt)
        return PromptResponse(stop_reason=stop, usage=turn.spending.usage())

    def steer(self, prompt: Sequence[Block]) -> bool:
        """Say something into the running turn; False where none runs that could still read it."""
        if not self.is_steerable:
            return False
        self.steered.append(model_content(prompt, self.cwd))
        self._said(prompt)
        return True

    def start(self, prompt: Sequence[Block]) -> None:
        """Run a turn that no request waits for; what it shows is in the panel."""
        self._in_background(self._unasked(prompt))

    async def _unasked(self, prompt: Sequence[Block]) -> None:
        try:
            await self.prompt(prompt)
        except Exception as error:
            log.exception("a turn that was started by steering failed")
            await Panel(self.editor, self.id, self.record).show([notice(said(error), "error")])

    async def choose(self, option: str, value: Any) -> None:
        """Set an option, and tell both selectors of it."""
        before, self.chosen = self.chosen, self.choices.set(self.chosen, option, value)
        self.save_soon()
        if self.chosen.mode != before.mode:
            await self.editor.update(self.id, mode_update(self.chosen.mode))
        if self.chosen != before:
            await self.editor.update(self.id, self.options())

    def options(self) -> ConfigOptionUpdate:
        """Tell the selectors."""
        return options_update(self.choices, self.chosen, booleans=self.editor.offers.boolean_options)

    async def _answer(self, turn: RunningTurn, content: Any, prompt: Sequence[Block]) -> StopReason:
        task = asyncio.create_task(self._in_order(turn, content, prompt))
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
        self.asks_feedback = False
        self.is_open = False
        self.steered.clear()
        self._stop()

    async def close(self) -> None:
        """End the session and everything it runs; what it was asking is asked again when it is opened again."""
        self._stop()
        tasks = [turn.task for turn in self.turns if turn.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)
        await self.save()
        if self.background:
            await asyncio.wait(self.background)
        if self.lease is not None:
            self.lease.release()

    def stored(self) -> StoredSession:
        """Say what the session is, to be stored."""
        return StoredSession(
            id=self.id,
            cwd=str(self.cwd),
            title=self.title,
            mode=self.mode,
            model=self.model,
            updated_at=now(),
            is_open=self.is_open,
            asks_feedback=self.asks_feedback,
            options={
                LEVEL: self.chosen.level,
                TARGET: self.chosen.target,
                THOUGHTS: self.chosen.thoughts,
                DECISIONS: dict(self.chosen.decisions),
            },
        )

    async def save(self) -> None:
        """Store what has changed; a session that was never spoken in is not kept."""
        if self.archive is None or not self.record:
            return
        async with self.saving:
            if self.lease is not None and not self.lease.is_held:  # closed; it may be another process's by now
                return
            shown = self.record.changes()
            try:
                if self.lease is None:
                    self.lease = await asyncio.to_thread(self.archive.lease, self.id)
                await self.archive.save(self.stored(), shown)
            except (OSError, UnreadableArchive) as error:
                self.record.again(shown)
                self._not_stored(error)

    def _not_stored(self, error: Exception) -> None:
        log.warning("session %s could not be stored: %s", self.id, error)
        if not self.is_told:
            self.is_told = True
            self.notices.append(f"This conversation is not kept: {error}")

    def save_soon(self) -> None:
        """Store what has changed without waiting for it."""
        self._in_background(self.save())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    def _stop(self) -> None:
        if self.preparing is not None and not self.preparing.done():
            self.preparing.cancel()
        for turn in self.turns:
            turn.cancel()

    async def _stopped(self, turn: RunningTurn, task: asyncio.Task[StopReason]) -> StopReason:
        await asyncio.wait({task}, timeout=TIDY_END)
        await turn.close()
        self.save_soon()
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

    async def _in_order(self, turn: RunningTurn, content: Any, prompt: Sequence[Block]) -> StopReason:
        async with self.order:
            if self.ending:
                _, stuck = await asyncio.wait(set(self.ending), timeout=LONGEST_CLEANUP)
                if stuck:
                    raise AgentNotReady(
                        "The cancelled turn has not ended yet. Wait a little and send the message again."
                    )
            kept = asyncio.create_task(self._keep())
            try:
                return await self._run(turn, content, prompt)
            finally:
                kept.cancel()

    async def _keep(self) -> None:
        """Store what the turn shows while it runs; a process may end at any moment."""
        while True:
            await asyncio.sleep(SAVE_EVERY)
            if self.record.has_changes:
                await self.save()

    async def _run(self, turn: RunningTurn, content: Any, prompt: Sequence[Block]) -> StopReason:
        words, resumes = said_text(prompt), self.is_open or self.asks_feedback
        await self._begin(turn.panel, prompt, words)
        if (command := slash_commands.typed(words)) is not None:
            await turn.panel.show([message(await slash_commands.answer(command, self._desk()))])
            await self.save()
            return "end_turn"
        self.is_open = True
        await self.save()
        try:
            outcome = await self._work(turn, content, resumes=resumes, feedback=words if self.asks_feedback else None)
            self.asks_feedback = outcome.asks_feedback
        except ConnectionError:  # the editor went away; what it was asked is asked again when the session is opened
            raise
        except Exception:
            self.is_open = False
            raise
        finally:
            await self._close_cards(turn)
        self.is_open = False
        if slash_commands.verdicts_of(self.record) or slash_commands.decisions_of(self.record):
            await self.advertise()
        await self.save()
        return outcome.stop

    async def _work(self, turn: RunningTurn, content: Any, *, resumes: bool, feedback: str | None) -> Any:
        module = await heavy()
        agent, context = await self._agent()
        notices, self.notices = self.notices, []
        await turn.panel.show(notice(text, "warning") for text in notices)
        self._count(turn.spending)
        running = module.Turn(
            agent=agent,
            thread=self.id,
            context=self.run_context(self.chosen),
            panel=turn.panel,
            cards=turn.cards,
            changes=module.Changes(context.workspace_files, self.cwd),
            standing=self.standing,
            asks=lambda tool, args: module.asks(self.mode, tool, args),
            thinks_aloud=lambda: self.chosen.thoughts,
            spending=turn.spending,
        )
        self.is_steerable = True
        try:
            outcome = await module.run_turn(running, content, resumes=resumes, feedback=feedback)
            while self.steered and outcome.stop == "end_turn":  # said in the moment in which the agent ended
                outcome = await module.run_turn(running, self.steered.pop(0))
        finally:
            self.is_steerable = False
        return outcome

    async def _close_cards(self, turn: RunningTurn) -> None:
        """Close the cards of this turn, and those that an earlier process left open."""
        cancelled = [text_content(CANCELLED)] if turn.cancelled.is_set() else None
        await turn.panel.show(turn.cards.close_all(lambda _: cancelled))
        await turn.panel.show(
            ToolCallProgress(session_update="tool_call_update", tool_call_id=card, status="failed")
            for card in self.record.open_cards()
        )

    async def _begin(self, panel: Panel, prompt: Sequence[Block], words: str) -> None:
        self._said(prompt)
        if not self.title:
            self.title = title_of(words)
            info = SessionInfoUpdate(session_update="session_info_update", title=self.title)
            told = self.notice(self.model)
            await panel.show([info, *([notice(told)] if told else [])])
            await self.advertise()

    def _said(self, prompt: Sequence[Block]) -> None:
        said = f"said-{uuid.uuid4().hex}"
        for block in prompt:
            chunk = {"sessionUpdate": "user_message_chunk", "content": as_params(block), "messageId": said}
            self.record.take(chunk)

    def _count(self, spending: Spending) -> None:
        model = self.choices.found(self.model)
        spending.window, spending.price = model.window, model.price
        spending.before = spent_before(self.record.last("usage_update"))

    def _read_steering(self) -> list[Any]:
        said, self.steered = self.steered, []
        return said

    async def advertise(self) -> None:
        """Say which commands there are; they come and go with what has happened."""
        with contextlib.suppress(ConnectionError):
            await self.editor.update(self.id, slash_commands.available(self._desk()))

    def settle(self) -> None:
        """Do what the answer to the editor does not wait for: offer the commands, start the person's servers."""
        self._in_background(self._advertise_later())
        if self.mcp_servers and self.built is None:
            self.preparing = asyncio.create_task(self._prepare())

    async def _prepare(self) -> None:
        try:
            await self._agent()
        except Exception as error:  # noqa: BLE001 - the first message tries again, and says what is wrong
            log.info("preparing session %s: %s", self.id, type(error).__name__)

    async def _advertise_later(self) -> None:
        await asyncio.sleep(0.1)
        await self.advertise()

    def _desk(self) -> slash_commands.Desk:
        return slash_commands.Desk(
            cwd=self.cwd,
            choices=self.choices,
            record=self.record,
            book=self.standing.book,
            model=self.model,
            switch_model=lambda model: self.choose(MODEL, model),
            decided=self.chosen.decisions,
            decide=lambda given: self.choose(DECISIONS, given),
            fill=self._fill,
        )

    async def _fill(self, text: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Ask in a form, where the editor shows them."""
        if not self.editor.offers.forms:
            return None
        asked = {"sessionId": self.id, "mode": "form", "message": text, "requestedSchema": dict(schema)}
        try:
            answer = await self.editor.request("elicitation/create", asked)
        except RequestError:
            return None
        given = answer.get("content") if isinstance(answer, dict) and answer.get("action") == "accept" else None
        return given if isinstance(given, dict) else None

    async def _agent(self) -> tuple[Any, Any]:
        async with self.building:
            return await self._built()

    async def _built(self) -> tuple[Any, Any]:
        key = (self.model, self.chosen.level)
        if self.built is None or self.built[0] != key:
            model, level = key
            context = await live_context(
                session_id=self.id,
                cwd=self.cwd,
                mode=lambda: self.mode,
                model=model,
                editor=self.editor,
                mcp_servers=self.mcp_servers,
                thought_level=None if level == AUTO or not self.choices.found(model).thinks else level,
                tell=self.notices.append,
                in_terminal=self._in_terminal,
                in_output=self._in_output,
                steering=self._read_steering,
            )
            self.built = (key, await self.factory(context), context)
        return self.built[1], self.built[2]

    async def _in_terminal(self, command: str, terminal: str) -> None:
        """Show an editor's terminal on the card of the command that runs in it."""
        for turn in self.turns:
            await turn.panel.show(turn.cards.embed(command, terminal))

    async def _in_output(self, command: str, text: str) -> None:
        """Show what a command has written so far on its card."""
        for turn in self.turns:
            await turn.panel.show(turn.cards.output(command, text))

"""One turn: stream the graph, show each step, answer what it asks, resume."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp.schema import StopReason
from langchain_core.messages import HumanMessage
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from uom_acp import permissions, translation_review
from uom_acp.cards import Cards
from uom_acp.changes import Changes
from uom_acp.content import ModelContent
from uom_acp.conversations import drop_finished
from uom_acp.editor import as_params
from uom_acp.interrupts import Question, ToolApproval, TranslationReview, questions
from uom_acp.meter import Meter
from uom_acp.panel import Panel
from uom_acp.permissions import StandingPermissions
from uom_acp.spending import Spending
from uom_acp.translation_review import Rejected
from uom_acp.updates import Ended, Story, end_content, updates_for
from uom_deep_agent.approval import ASKS, ApprovalMode, effect_of

log = logging.getLogger(__name__)

MODES = ["messages", "updates", "custom", "tasks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Everything that one turn works with."""

    agent: Any
    thread: str
    context: Any
    panel: Panel
    cards: Cards
    changes: Changes
    standing: StandingPermissions
    asks: Callable[[str, Mapping[str, Any]], bool]
    spending: Spending = field(default_factory=Spending)
    thinks_aloud: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a turn ended."""

    stop: StopReason
    asks_feedback: bool = False
    """Whether a review was rejected, and the person's next message says what to change."""


def asks(mode: str, tool: str, args: Mapping[str, Any]) -> bool:
    """Tell whether the gate asks about a call in a mode; of a plan, whether it would about a new one."""
    return effect_of({"name": tool, "args": dict(args), "id": None}, {}) in ASKS[ApprovalMode(mode)]


async def run_turn(turn: Turn, content: ModelContent, *, resumes: bool = False, feedback: str | None = None) -> Outcome:
    """Run the agent on a message until it has nothing left to ask; the editor sees each step as it happens.

    Where a turn was left open (the process ended while it asked, or a review waits for `feedback`), that is finished
    first; the message is what comes after it, unless it is the feedback.
    """
    story = Story(
        cards=turn.cards,
        asks=turn.asks,
        now=time.monotonic,
        spending=turn.spending,
        thinks_aloud=turn.thinks_aloud,
    )
    asked = await left_open(turn) if resumes else []
    if asked:
        step = await answered(asked, turn, feedback)
        outcome = step if isinstance(step, Outcome) else await stream(turn, story, step)
        if feedback is not None or outcome.stop != "end_turn" or outcome.asks_feedback:
            return outcome
    return await stream(turn, story, {"messages": [HumanMessage(content=content)]})


async def left_open(turn: Turn) -> list[Question]:
    """Find what the agent still waits for, and show the calls it belongs to."""
    state = await turn.agent.aget_state({"configurable": {"thread_id": turn.thread}})
    asked = questions(state.interrupts)
    in_question = {each.tool_call_id for each in asked if isinstance(each, ToolApproval)}
    for call in unanswered(state.values.get("messages") or ()) if asked else ():
        starts = call["id"] not in in_question
        await turn.panel.show(turn.cards.reopen(call["id"], call["name"], call["args"], starts=starts))
    return asked


def unanswered(messages: Sequence[Any]) -> list[Mapping[str, Any]]:
    """List the calls of the last answer that have no result."""
    done = {message.tool_call_id for message in messages if message.type == "tool"}
    calls = next((message.tool_calls for message in reversed(messages) if message.type == "ai"), [])
    return [call for call in calls if call["id"] not in done]


async def stream(turn: Turn, story: Story, step: Any) -> Outcome:
    """Stream a step; while it ends in questions, answer them and resume."""
    while True:
        try:
            asked = await stream_step(turn, story, step)
        except GraphRecursionError:
            return Outcome(stop="max_turn_requests")
        if not asked:
            await drop_finished(turn.agent.checkpointer, turn.thread)
            await turn.panel.show(turn.spending.update())
            return Outcome(stop=stop_of(story.finish_reason))
        step = await answered(asked, turn)
        if isinstance(step, Outcome):
            return step


async def answered(asked: Sequence[Question], turn: Turn, feedback: str | None = None) -> Command[Any] | Outcome:
    """Answer what is asked; a question without an answer ends the turn."""
    try:
        return Command(resume={each.id: await answer(each, turn, feedback) for each in asked})
    except Rejected:
        return Outcome(stop="end_turn", asks_feedback=True)
    except permissions.Withdrawn:
        return Outcome(stop="cancelled")


def stop_of(finish_reason: str | None) -> StopReason:
    """Read the provider's word for why the last answer ended."""
    reasons: Mapping[str, StopReason] = {"length": "max_tokens", "content_filter": "refusal"}
    return reasons.get(finish_reason or "", "end_turn")


async def stream_step(turn: Turn, story: Story, step: Any) -> list[Question]:
    """Stream until the graph ends or waits; give back what it asks."""
    config = {"configurable": {"thread_id": turn.thread}, "callbacks": [Meter(turn.spending)]}
    interrupts: list[Any] = []
    stream = turn.agent.astream(step, config, context=turn.context, stream_mode=MODES, subgraphs=True)
    async for part in stream:
        _, mode, data = part
        if mode == "updates" and isinstance(data, Mapping) and "__interrupt__" in data:
            interrupts += data["__interrupt__"]
            continue
        for shown in updates_for(part, story):
            await turn.panel.show([shown] if not isinstance(shown, Ended) else await ended(shown, turn))
        if mode == "updates":
            await remember_files(turn)
    return questions(interrupts)


async def remember_files(turn: Turn) -> None:
    """Keep the files of calls that start now: the graph goes on only when the next part is asked for."""
    for card in list(turn.cards.by_id.values()):
        if card.complete and not card.closed:
            await turn.changes.remember(card)


async def ended(result: Ended, turn: Turn) -> list[Any]:
    """Close a call's card with what really happened to its file, or with what it gave back."""
    card = result.card
    if card.terminal is not None:
        kept = [as_params(item) for item in end_content(result) or ()]
        closed = turn.cards.close(card.id, None, failed=result.failed)
        # The editor has the terminal; a terminal cannot be shown again after a restart, its text can.
        turn.panel.record.take({"sessionUpdate": "tool_call_update", "toolCallId": card.id, "content": kept})
        return closed
    changed = None if result.failed else await turn.changes.diff(card)
    if changed is None:
        return turn.cards.close(card.id, end_content(result), failed=result.failed)
    content, locations = changed
    return turn.cards.close(card.id, content, failed=False, locations=locations or None)


async def answer(question: Question, turn: Turn, feedback: str | None) -> Mapping[str, str]:
    """Answer one question: by the mode of this moment, by an earlier "always", or by the person."""
    match question:
        case TranslationReview() if feedback is not None:
            return translation_review.answer_of(translation_review.REJECT, feedback)
        case ToolApproval() if not turn.asks(question.name, question.args):
            await turn.panel.show(turn.cards.start(question.tool_call_id))
            return permissions.answer_of(allowed=True)
        case ToolApproval():
            return await permissions.decide(question, turn.panel, turn.cards, turn.standing)
        case TranslationReview():
            return await translation_review.decide(question, turn.panel, turn.cards)

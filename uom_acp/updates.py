"""One part of the graph's stream, as updates for the panel. LangChain's messages are read by shape, not imported."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from acp.schema import AgentPlanUpdate, PlanEntry

from uom_acp.cards import Card, Cards, Namespace
from uom_acp.notices import reported
from uom_acp.panel import Update, message
from uom_acp.pipeline import Pipeline, plan_entries
from uom_acp.spending import Spending, tokens_of
from uom_acp.tool_calls import LARGEST_TEXT, Content, capped, plan_of, text_content
from uom_acp.verdicts import any_different, latest, verdict_table, verdict_title

Part = tuple[Namespace, Literal["messages", "updates", "custom", "tasks"], Any]
PROGRESS_EVERY = 0.2
"""Seconds between two progress updates of one card; a panel shows no more, and frames cost memory."""


@dataclass(slots=True, kw_only=True)
class Story:
    """What a turn has shown so far."""

    cards: Cards
    asks: Callable[[str, Mapping[str, Any]], bool]
    """Whether a call of this tool has to be allowed first, in the mode of this moment."""
    now: Callable[[], float]
    verdicts: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    progressed: dict[str, float] = field(default_factory=dict)
    pipelines: dict[str, Pipeline] = field(default_factory=dict)
    todos: list[PlanEntry] = field(default_factory=list)
    planned: list[PlanEntry] = field(default_factory=list)
    spoken: set[str] = field(default_factory=set)
    finish_reason: str | None = None
    spending: Spending = field(default_factory=Spending)
    thinks_aloud: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A call came back; what its card shows is decided where the file can be read."""

    card: Card
    failed: bool
    text: str


Shown = Update | Ended


def updates_for(part: Part, story: Story) -> Iterator[Shown]:
    """Say what one stream part means for the panel."""
    namespace, mode, data = part
    match mode:
        case "messages":
            yield from _streamed(namespace, data[0], data[1], story)
        case "updates":
            yield from _updated(namespace, data, story)
        case "tasks":
            _delegated(data, story)
        case "custom":
            if isinstance(data, Mapping):
                yield from _reported(namespace, data, story)


def _delegated(data: Mapping[str, Any], story: Story) -> None:
    """Learn which call a sub-agent runs for: its namespace is the name and id of the graph's task for that call."""
    given = data.get("input")
    for call in given if isinstance(given, list) else ():
        if isinstance(call, Mapping) and call.get("name") == "task":
            story.cards.parents[f"{data['name']}:{data['id']}"] = str(call["id"])


def _streamed(namespace: Namespace, spoken: Any, metadata: Mapping[str, Any], story: Story) -> Iterator[Shown]:
    if metadata.get("lc_source"):  # the library's own model calls (a summary) are not part of the conversation
        return
    match spoken.type:
        case "AIMessageChunk":
            yield from _piece(namespace, spoken, story)
        case "ai" if spoken.id not in story.spoken:
            yield from _piece(namespace, spoken, story)
        case "tool":
            yield from _result(spoken, story)


def _piece(namespace: Namespace, spoken: Any, story: Story) -> Iterator[Shown]:
    story.spoken.add(spoken.id)
    if not namespace:
        story.finish_reason = spoken.response_metadata.get("finish_reason") or story.finish_reason
        if (thought := _thought(spoken)) and story.thinks_aloud():
            yield message(thought, spoken.id, "agent_thought_chunk")
        text = text_of(spoken.content)
        for start in range(0, len(text), LARGEST_TEXT):
            yield message(text[start : start + LARGEST_TEXT], spoken.id)
    yield from story.cards.stream(namespace, spoken.id, getattr(spoken, "tool_call_chunks", ()))


def text_of(content: Any) -> str:
    """Join the text of a message; images and reasoning in it are no text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(
        block if isinstance(block, str) else block.get("text", "")
        for block in blocks
        if isinstance(block, str) or block.get("type") in {"text", "output_text"}
    )


def _thought(spoken: Any) -> str:
    told = spoken.additional_kwargs.get("reasoning_content")
    if isinstance(told, str):
        return told
    blocks = spoken.content if isinstance(spoken.content, list) else []
    return "".join(
        str(block.get("thinking") or block.get("reasoning") or "")
        for block in blocks
        if isinstance(block, Mapping) and block.get("type") in {"thinking", "reasoning"}
    )


def _messages(data: Any) -> Iterator[tuple[str, Any]]:
    for node, update in data.items() if isinstance(data, Mapping) else ():
        for each in update if isinstance(update, list) else [update]:
            messages = each.get("messages") if isinstance(each, Mapping) else None
            for told in messages if isinstance(messages, list | tuple) else ():
                yield node, told


def _updated(namespace: Namespace, data: Any, story: Story) -> Iterator[Shown]:
    for node, told in _messages(data):
        kind = getattr(told, "type", None)
        if kind == "ai" and node == "model":
            yield from _called(namespace, told, story)
            if not namespace:
                yield from _counted(told, story)
        elif kind == "tool":
            yield from _result(told, story)


def _counted(told: Any, story: Story) -> Iterator[Shown]:
    counted = tokens_of(getattr(told, "usage_metadata", None))
    story.spending.in_context = counted.input + counted.output or story.spending.in_context
    yield from story.spending.update()


def _called(namespace: Namespace, told: Any, story: Story) -> Iterator[Shown]:
    for call in told.tool_calls:
        starts = not story.asks(call["name"], call["args"])
        yield from story.cards.complete(call["id"], call["name"], call["args"], namespace, starts=starts)
        if call["name"] == "write_todos" and not namespace and starts:
            yield from _planned(call["args"], story)
    for call in told.invalid_tool_calls:
        if call.get("id"):
            yield from story.cards.complete(call["id"], call.get("name") or "unknown tool", {}, namespace, starts=False)


def _result(told: Any, story: Story) -> Iterator[Shown]:
    card = story.cards.by_id.get(told.tool_call_id)
    if card is None or card.closed:
        return
    yield from _proof_ends(card, story)
    failed = getattr(told, "status", "success") == "error"
    if card.name == "write_todos" and not failed and card.parent is None:
        yield from _planned(card.args, story)
    if (pipeline := story.pipelines.get(card.id)) and not failed:
        pipeline.over = True
        yield from _plan(story)
    yield Ended(card=card, failed=failed, text=text_of(told.content))


def _planned(args: Mapping[str, Any], story: Story) -> Iterator[Shown]:
    if (entries := plan_of(args)) is not None:
        story.todos = entries
        yield from _plan(story)


def _plan(story: Story) -> Iterator[Shown]:
    entries = plan_entries(story.todos, list(story.pipelines.values()))
    if entries != story.planned:
        story.planned = entries
        yield AgentPlanUpdate(session_update="plan", entries=entries)


def _proof_ends(card: Card, story: Story) -> Iterator[Shown]:
    if verdicts := story.verdicts.get(card.id):
        proof, table = proof_card(card.id), [text_content(verdict_table(latest(verdicts)))]
        yield from story.cards.close(proof, table, failed=any_different(latest(verdicts)))


def proof_card(task: str) -> str:
    """Name the card that holds the verdicts of one delegation."""
    return f"proof-{task}"


def _reported(namespace: Namespace, event: Mapping[str, Any], story: Story) -> Iterator[Shown]:
    task = story.cards.parent_of(namespace)
    match event.get("type"):
        case "progress" if task:
            yield from _progress(task, event, story)
        case "verdict":
            yield from _verdict(task or "turn", namespace, event, story)
        case "decisions" if task:
            yield from story.cards.output_of(task, {"decisions": capped(event.get("decisions") or [])})
        case "notice":
            yield reported(event)


def _progress(task: str, event: Mapping[str, Any], story: Story) -> Iterator[Shown]:
    pipeline = story.pipelines.setdefault(task, Pipeline())
    before = pipeline.at, pipeline.repairs
    moved = pipeline.take(event)
    if (pipeline.at, pipeline.repairs) != before:
        yield from _plan(story)
    if not moved and story.now() - story.progressed.get(task, -PROGRESS_EVERY) < PROGRESS_EVERY:
        return
    story.progressed[task] = story.now()
    yield from story.cards.show(task, [text_content(pipeline.line())])


def _verdict(task: str, namespace: Namespace, event: Mapping[str, Any], story: Story) -> Iterator[Shown]:
    verdicts = story.verdicts.setdefault(task, [])
    verdicts.append(event)
    judged = latest(verdicts)
    yield from story.cards.open(proof_card(task), verdict_title(judged), {}, namespace)
    yield from story.cards.start(proof_card(task))
    yield from story.cards.retitle(
        proof_card(task),
        verdict_title(judged),
        [text_content(verdict_table(judged))],
        {"verdicts": [capped(each) for each in judged]},
    )


def end_content(ended: Ended) -> Sequence[Content] | None:
    """Show what a call gave back; of a command the end, of a file that was read nothing."""
    if not ended.text or (ended.card.name == "read_file" and not ended.failed):
        return None
    output = ended.card.name in {"execute", "grep", "glob", "ls"}
    return [text_content(ended.text, fenced=output, keep="tail" if output else "head")]

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.messages.tool import tool_call_chunk

from uom_acp.cards import Cards
from uom_acp.editor import as_params
from uom_acp.updates import Ended, Story, updates_for

ARGS = {"file_path": "/src/A.cs", "content": 'a "quoted"\r\nline \u00e9'}


def story(clock: list[float] | None = None) -> Story:
    times = clock or [0.0]
    return Story(cards=Cards(cwd=Path("/work")), asks=lambda *_: False, now=lambda: times[0])


def shown(part: tuple[Any, str, Any], told: Story) -> list[dict[str, Any]]:
    found = []
    for update in updates_for(part, told):
        if isinstance(update, Ended):
            found += [as_params(each) for each in told.cards.close(update.card.id, None, failed=update.failed)]
        else:
            found.append(dict(update) if isinstance(update, Mapping) else as_params(update))
    return found


def chunk(text: str, index: int, call: str | None = None, message: str = "m") -> AIMessageChunk:
    piece = tool_call_chunk(name="write_file" if call else None, args=text, id=call, index=index)
    return AIMessageChunk(content="", id=message, tool_call_chunks=[piece])


def called(*calls: str) -> AIMessage:
    return AIMessage("", id="m", tool_calls=[{"name": "write_file", "args": ARGS, "id": call} for call in calls])


@given(cuts=st.lists(st.integers(0, len(json.dumps(ARGS))), max_size=8).map(sorted))
def test_pieces_of_a_call_never_change_what_is_shown_at_the_end(cuts: list[int]) -> None:
    text, told = json.dumps(ARGS), story()
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    found = shown(((), "messages", (chunk("", 0, "c"), {})), told)
    for piece in pieces:
        found += shown(((), "messages", (chunk(piece, 0), {})), told)
    found += shown(((), "updates", {"model": {"messages": [called("c")]}}), told)
    assert [update["sessionUpdate"] for update in found] == ["tool_call", "tool_call_update"]
    assert found[-1]["rawInput"] == ARGS
    assert found[-1]["locations"] == [{"path": "/work/src/A.cs", "line": 1}]


def test_a_model_that_does_not_stream_is_shown_too() -> None:
    told = story()
    message = AIMessage("Hello", id="m", tool_calls=[{"name": "ls", "args": {}, "id": "c"}])
    found = shown(((), "messages", (message, {})), told)
    found += shown(((), "updates", {"model": {"messages": [message]}}), told)
    found += shown(((), "updates", {"tools": {"messages": [ToolMessage("x", tool_call_id="c")]}}), told)
    assert [update.get("status") for update in found] == [None, "pending", "in_progress", "completed"]
    assert found[0]["content"]["text"] == "Hello"


def test_calls_of_parallel_agents_do_not_mix() -> None:
    told = story()
    for namespace, call in ((("tools:a",), "c1"), (("tools:b",), "c2")):
        shown((namespace, "messages", (chunk("", 0, call), {})), told)
    shown((("tools:a",), "messages", (chunk('{"file_path": "/1"}', 0), {})), told)
    shown((("tools:b",), "messages", (chunk('{"file_path": "/2"}', 0), {})), told)
    assert [told.cards.by_id[call].text for call in ("c1", "c2")] == ['{"file_path": "/1"}', '{"file_path": "/2"}']


def test_a_result_is_shown_once_however_often_it_is_told() -> None:
    told = story()
    shown(((), "updates", {"model": {"messages": [called("c")]}}), told)
    result = ToolMessage("x", tool_call_id="c", status="error")
    found = shown(((), "messages", (result, {})), told)
    found += shown(((), "updates", {"tools": {"messages": [result]}}), told)
    assert [update["status"] for update in found] == ["failed"]


@given(
    events=st.lists(st.sampled_from(["open", "complete", "start", "ok", "error"]), max_size=12),
    ids=st.lists(st.sampled_from("abc"), min_size=12, max_size=12),
)
def test_every_card_that_opens_closes_exactly_once(events: list[str], ids: list[str]) -> None:
    cards, found = Cards(cwd=Path("/work")), []
    for event, call in zip(events, ids, strict=False):
        match event:
            case "open":
                found += cards.open(call, "ls", {})
            case "complete":
                found += cards.complete(call, "ls", {}, starts=True)
            case "start":
                found += cards.start(call)
            case _:
                found += cards.close(call, None, failed=event == "error")
    found += cards.close_all(lambda _: None)
    sent = [as_params(update) for update in found]
    for call in {update["toolCallId"] for update in sent}:
        mine = [update for update in sent if update["toolCallId"] == call]
        assert [update["sessionUpdate"] for update in mine].count("tool_call") == 1
        assert mine[0]["sessionUpdate"] == "tool_call"
        assert [update.get("status") in {"completed", "failed"} for update in mine].count(True) == 1
        assert mine[-1]["status"] in {"completed", "failed"}


def test_text_of_a_sub_agent_and_of_a_summary_stay_out_of_the_chat() -> None:
    told = story()
    said = AIMessageChunk(content="secret thoughts", id="m")
    assert shown((("tools:a",), "messages", (said, {})), told) == []
    assert shown(((), "messages", (said, {"lc_source": "summarization"})), told) == []


def test_progress_is_throttled_but_a_new_stage_is_not() -> None:
    clock = [0.0]
    told = story(clock)
    call = {"name": "task", "args": {}, "id": "t"}
    shown(((), "updates", {"model": {"messages": [AIMessage("", id="m", tool_calls=[call])]}}), told)

    def progress(stage: str, done: int) -> int:
        event = {"type": "progress", "stage": stage, "side": "both", "done": done, "total": 9}
        found = shown((("tools:a",), "custom", event), told)
        return sum(update["sessionUpdate"] == "tool_call_update" for update in found)

    assert [progress("run", 1), progress("run", 2), progress("compare", 0)] == [1, 0, 1]
    clock[0] = 0.3
    assert progress("compare", 1) == 1


def test_events_of_parallel_translations_stay_with_their_cards() -> None:
    told = story()
    calls = [{"name": "task", "args": {}, "id": call} for call in ("t1", "t2")]
    shown(((), "updates", {"model": {"messages": [AIMessage("", id="m", tool_calls=calls)]}}), told)
    for namespace, entry in ((("tools:a",), "A"), (("tools:b",), "B"), (("tools:a", "work:x"), "C")):
        event = {"type": "verdict", "entry": entry, "verdict": "equivalent_on_suite", "reason": "", "instances": 1}
        shown((namespace, "custom", event), told)
    entries = {task: [event["entry"] for event in events] for task, events in told.verdicts.items()}
    assert entries == {"t1": ["A", "C"], "t2": ["B"]}


def test_the_graphs_tasks_tell_whose_events_they_are() -> None:
    told = story()
    calls = [{"name": "task", "args": {}, "id": call} for call in ("t1", "t2")]
    shown(((), "updates", {"model": {"messages": [AIMessage("", id="m", tool_calls=calls)]}}), told)
    for call in calls:
        shown(((), "tasks", {"id": call["id"].upper(), "name": "tools", "input": [call]}), told)
    event = {"type": "verdict", "entry": "A", "verdict": "vacuous", "reason": "", "instances": 1}
    shown((("tools:T2",), "custom", event), told)
    assert list(told.verdicts) == ["t2"]

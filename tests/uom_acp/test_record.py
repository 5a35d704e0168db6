from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from uom_acp.record import LONGEST_CARD_TEXT, Record
from uom_acp.tool_calls import LARGEST_TEXT


def said(text: str, message: str = "m", kind: str = "agent_message_chunk") -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": message, "content": {"type": "text", "text": text}}


def card(call: str, kind: str = "tool_call_update", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": kind, "toolCallId": call, **fields}


def record(*updates: dict[str, Any]) -> Record:
    kept = Record()
    for update in updates:
        kept.take(update)
    return kept


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=5)), max_size=20))
def test_pieces_of_a_message_join_and_lose_nothing(pieces: list[tuple[str, str]]) -> None:
    kept = record(*(said(text, message) for message, text in pieces))
    shown = list(kept.replay())
    assert "".join(body["content"]["text"] for body in shown) == "".join(text for _, text in pieces)
    assert all(one["messageId"] != other["messageId"] for one, other in pairwise(shown))


def test_a_card_is_shown_once_as_it_ended() -> None:
    start = card("c", "tool_call", title="Write", status="pending", rawInput={"a": 1})
    kept = record(start, said("between"), card("c", status="completed", content=[]))
    first, second = kept.replay()
    assert first == {**start, "status": "completed", "content": []}
    assert second["sessionUpdate"] == "agent_message_chunk"
    assert kept.open_cards() == []
    assert record(start).open_cards() == ["c"]


def test_only_the_last_plan_counts_and_modes_are_not_kept() -> None:
    plans = [{"sessionUpdate": "plan", "entries": [{"content": str(n)}]} for n in range(3)]
    kept = record(*plans, {"sessionUpdate": "current_mode_update", "currentModeId": "x"})
    assert list(kept.replay()) == [plans[-1]]


def test_changes_are_given_once_and_again_where_they_were_not_stored() -> None:
    kept = record(said("a"), said("b"), card("c", "tool_call"))
    changed = kept.changes()
    assert sorted(changed) == [0, 1]
    assert kept.changes() == {}
    kept.again(changed)
    assert kept.changes() == changed


def test_a_stored_record_goes_on_where_it_was() -> None:
    first = record(card("c", "tool_call", status="pending"))
    again = Record(list(first.changes().values()))
    again.take(card("c", status="failed"))
    assert [body["status"] for body in again.replay()] == ["failed"]


def test_large_texts_are_bounded_on_cards_and_cut_into_pieces_in_messages() -> None:
    text = "x" * (LARGEST_TEXT * 2 + 1)
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    (shown,) = record(card("c", "tool_call", content=content)).replay()
    assert len(shown["content"][0]["content"]["text"]) < LONGEST_CARD_TEXT + 100
    pieces = list(record(said(text)).replay())
    assert "".join(piece["content"]["text"] for piece in pieces) == text
    assert max(len(piece["content"]["text"]) for piece in pieces) <= LARGEST_TEXT

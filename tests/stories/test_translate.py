"""A delegated translation: progress on its card, verdicts in the panel, a review that is accepted or sent back."""

from typing import Any

import pytest

from tests.fakes.deep_agent import translator
from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm

PROGRESS = {"type": "progress", "stage": "run", "side": "source", "done": 2, "total": 9, "message": "boundary rows"}
WITNESS = {
    "call": {
        "id": "c1",
        "instance": "i1",
        "class": "Orders",
        "method": "Sum",
        "args": [{"name": "min", "value": {"t": "decimal", "v": "9.9"}}],
    },
    "rows": {"Orders": [{"Id": {"t": "int", "v": "1"}, "Total": {"t": "decimal", "v": "10.0"}}]},
    "source": {
        "outcome": "rows",
        "value": {"t": "list", "v": [{"t": "object", "name": "Row", "f": {"Total": {"t": "decimal", "v": "10.0"}}}]},
        "sql": [{"text": 'SELECT "Total"\nFROM "Orders"', "parameters": []}],
    },
    "target": {
        "outcome": "rows",
        "value": {"t": "list", "v": [{"t": "object", "name": "Row", "f": {"Total": {"t": "decimal", "v": "9"}}}]},
        "statements": [{"aggregate": "orders", "pipeline": [{"$match": {"total": 1}}], "cursor": {}}],
    },
}
VERDICTS = [
    {"type": "verdict", "entry": "Orders.Late", "verdict": "different", "reason": "first try", "instances": 12},
    {"type": "verdict", "entry": "Orders.Late", "verdict": "equivalent_on_suite", "reason": "", "instances": 13},
    {
        "type": "verdict",
        "entry": "Orders.Sum",
        "verdict": "different",
        "reason": "a | b",
        "instances": 13,
        "witness": WITNESS,
    },
]
NOTICE = {"type": "notice", "level": "warning", "message": "No .NET SDK: source recorded."}
REVIEW = {
    "instruction": "Three repairs did not help.",
    "state": {
        "translated_query_code": "class Q {}",
        "translated_schema_code": None,
        "explanation_message": "Sum differs on an empty list.",
        "query_equivalence_deep_diffs": {"Orders.Sum": {"rows": 1}},
    },
}
answers: list[Any] = []


@pytest.fixture
def asks_for_review() -> bool:
    return False


@pytest.fixture
def translation(asks_for_review: bool) -> Any:
    answers.clear()
    review = REVIEW if asks_for_review else None
    return translator([PROGRESS, *VERDICTS, NOTICE], review=review, answers=answers)


def delegate(llm: FakeLlm) -> None:
    llm.expect("Translate").call(
        "task",
        call_id="task_1",
        description="Translate",
        subagent_type="universal-object-mapping-translator",
    )


async def test_translation_shows_progress_and_the_last_verdict_of_each_entry(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    llm.expect(tool_result="translated").say("Done.")

    assert await ide.prompt("Translate") == "end_turn"
    cards = ide.transcript.cards()
    assert ide.transcript.statuses("task_1") == ["pending", "in_progress", "completed"]
    said = [update["content"][0]["content"]["text"] for update in cards["task_1"] if update.get("content")]
    assert said[0] == "Running both sides: C# 2/9 (boundary rows)"
    proof = cards["proof-task_1"]
    assert proof[-1]["status"] == "failed"
    table = proof[-1]["content"][0]["content"]["text"]
    assert "| Orders.Late | ✓ equivalent_on_suite | 13 data sets |" in table
    assert "first try" not in table
    assert "a \\| b" in table
    assert "| Total | 10.0 | 9 |" in table
    assert '| `FROM "Orders"` | `{"$match": {"total": 1}}` |' in table
    assert "| see below |" in table
    assert proof[-2]["title"] == "Proof: 1 of 2 equivalent on the suite, 1 different"
    assert [verdict["entry"] for verdict in proof[-2]["rawOutput"]["verdicts"]] == ["Orders.Late", "Orders.Sum"]
    assert proof[0]["_meta"] == {"uom": {"parentToolCallId": "task_1"}}
    assert "> **Warning:** No .NET SDK: source recorded." in ide.transcript.text()


@pytest.mark.parametrize("asks_for_review", [True])
async def test_accepted_review_goes_on(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    llm.expect(tool_result="'accept'").say("Published as not proven.")
    ide.answers("allow_once")

    assert await ide.prompt("Translate") == "end_turn"
    assert answers == [{"decision": "accept", "feedback": ""}]
    (asked,) = ide.transcript.asked("session/request_permission")
    shown = "\n".join(item["content"]["text"] for item in asked["toolCall"]["content"])
    assert "Three repairs did not help." in shown
    assert "class Q {}" in shown
    assert ide.transcript.text().endswith("Published as not proven.")


@pytest.mark.parametrize("asks_for_review", [True])
async def test_rejected_review_takes_the_next_prompt_as_feedback(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    ide.answers("reject_once")

    assert await ide.prompt("Translate") == "end_turn"
    assert "your next message" in ide.transcript.text()
    assert answers == []
    llm.expect(tool_result="'accept'").say("Better.")
    ide.answers("allow_once")
    assert await ide.prompt("Use COALESCE") == "end_turn"
    assert answers[-1] == {"decision": "accept", "feedback": ""}
    assert {"decision": "reject", "feedback": "Use COALESCE"} in answers
    assert ide.transcript.text().endswith("Better.")
    told = ide.transcript.statuses("task_1")
    assert told == ["pending", "in_progress", "failed", "in_progress", "completed"]


@pytest.mark.parametrize("asks_for_review", [True])
@pytest.mark.parametrize("offers", [{"elicitation": {"form": {}}}])
async def test_review_is_a_form_where_the_editor_has_them(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    llm.expect(tool_result="'accept'").say("Published.")
    ide.forms.append({"action": "accept", "content": {"decision": "reject", "feedback": "Use COALESCE"}})
    ide.forms.append({"action": "accept", "content": {"decision": "accept"}})

    assert await ide.prompt("Translate") == "end_turn"
    assert {"decision": "reject", "feedback": "Use COALESCE"} in answers
    assert answers[-1] == {"decision": "accept", "feedback": ""}
    asked = ide.transcript.asked("elicitation/create")
    assert len(asked) == 2
    assert {form["toolCallId"] for form in asked} <= set(ide.transcript.cards())
    assert {form["sessionId"] for form in asked} == {ide.session}
    assert not ide.transcript.asked("session/request_permission")


@pytest.mark.parametrize("asks_for_review", [True])
@pytest.mark.parametrize("offers", [{"elicitation": {"form": {}}}])
async def test_declined_form_takes_the_next_prompt_as_feedback(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    ide.forms.append({"action": "decline"})

    assert await ide.prompt("Translate") == "end_turn"
    assert "your next message" in ide.transcript.text()
    llm.expect(tool_result="'accept'").say("Better.")
    ide.forms.append({"action": "accept", "content": {"decision": "accept"}})
    assert await ide.prompt("Use COALESCE") == "end_turn"
    assert {"decision": "reject", "feedback": "Use COALESCE"} in answers


@pytest.mark.parametrize("asks_for_review", [True])
async def test_cancelled_review_is_forgotten(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    ide.answers("cancelled")

    assert await ide.prompt("Translate") == "cancelled"
    assert all(updates[-1]["status"] in {"failed", "completed"} for updates in ide.transcript.cards().values())
    llm.expect("hello").say("Hello.")
    assert await ide.prompt("hello") == "end_turn"
    assert answers == []


async def test_steps_of_a_translation_move_in_the_plan(ide: FakeIde, llm: FakeLlm) -> None:
    delegate(llm)
    llm.expect(tool_result="translated").say("Done.")

    await ide.prompt("Translate")
    first, *_, last = [[entry["status"] for entry in plan["entries"]] for plan in ide.transcript.updates("plan")]
    assert first == ["completed", "completed", "in_progress", "pending", "pending"]
    assert last == ["completed"] * 5


async def test_parallel_translations_report_on_their_own_cards(ide: FakeIde, llm: FakeLlm) -> None:
    kind = "universal-object-mapping-translator"
    step = llm.expect("Translate")
    for call_id in ("task_1", "task_2"):
        step.call("task", call_id=call_id, description="Translate", subagent_type=kind)
    llm.expect(tool_result="translated").say("Done.")

    assert await ide.prompt("Translate") == "end_turn"
    proofs = {call_id: ide.transcript.cards()[f"proof-{call_id}"] for call_id in ("task_1", "task_2")}
    assert [len(proof[-2]["rawOutput"]["verdicts"]) for proof in proofs.values()] == [2, 2]
    assert [proof[0]["_meta"]["uom"]["parentToolCallId"] for proof in proofs.values()] == ["task_1", "task_2"]

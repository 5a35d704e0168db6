"""Ask the person about a translation that could not be proven."""

import json
from collections.abc import Mapping
from typing import Any

from acp import RequestError
from acp.schema import PermissionOption, ToolCallUpdate

from uom_acp.cards import Cards
from uom_acp.editor import as_params
from uom_acp.interrupts import TranslationReview
from uom_acp.panel import Panel, message
from uom_acp.permissions import Withdrawn, chosen
from uom_acp.tool_calls import Content, text_content

ACCEPT, REJECT = "accept", "reject"
TITLE = "Take this translation although it is not proven?"
ASK_FOR_FEEDBACK = (
    "\n\nThe translation is set aside. Tell me what to change: your next message goes to the translator as your "
    "feedback, and it tries again."
)
SECTIONS = (
    ("explanation_message", "What is open", None),
    ("query_equivalence_deep_diffs", "Differences", "json"),
    ("translated_schema_code", "Schema", "java"),
    ("translated_query_code", "Query", "java"),
)


FORM = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Decision",
            "oneOf": [
                {"const": ACCEPT, "title": "Accept as not proven"},
                {"const": REJECT, "title": "Reject and have it written again"},
            ],
            "default": REJECT,
        },
        "feedback": {
            "type": "string",
            "title": "What to change",
            "description": "Goes to the translator as you write it; only read when you reject.",
        },
    },
    "required": ["decision"],
}


class Rejected(Exception):
    """The person wants something else; their next message says what."""


def review_content(review: TranslationReview) -> list[Content]:
    """Show what is to be judged: the reason first, then the code."""
    shown = [text_content(review.instruction)]
    for name, heading, language in SECTIONS:
        value = review.state.get(name)
        if value:
            text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
            shown.append(text_content(_section(heading, text, language)))
    return shown


def _section(heading: str, text: str, language: str | None) -> str:
    if language is None:
        return f"**{heading}**\n\n{text}"
    fence = "````" if "```" in text else "```"
    return f"**{heading}**\n\n{fence}{language}\n{text}\n{fence}"


def review_request(card_id: str, content: list[Content]) -> dict[str, Any]:
    """Build the question; accepting holds for this translation only."""
    call = ToolCallUpdate(tool_call_id=card_id, title=TITLE, kind="think", status="pending", content=content)
    options = [
        PermissionOption(option_id=ACCEPT, name="Accept as not proven", kind="allow_once"),
        PermissionOption(option_id=REJECT, name="Reject and say what to change", kind="reject_once"),
    ]
    return {"toolCall": as_params(call), "options": [as_params(option) for option in options]}


def answer_of(decision: str, feedback: str = "") -> Mapping[str, str]:
    """Answer the translator's node."""
    return {"decision": decision, "feedback": feedback}


async def decide(review: TranslationReview, panel: Panel, cards: Cards) -> Mapping[str, str]:
    """Let the person accept, or reject in words: in a form where the editor has them, else by buttons."""
    card_id = f"review-{review.id}"
    content = review_content(review)
    await panel.show(cards.open(card_id, TITLE, {}))
    await panel.show(cards.show(card_id, content))
    answer = await _by_form(card_id, panel) if panel.editor.offers.forms else None
    if answer is None:
        answer = await _by_buttons(card_id, content, panel)
    is_accepted = answer["decision"] == ACCEPT
    await panel.show(cards.close(card_id, None, failed=not is_accepted))
    if not is_accepted and not answer["feedback"]:
        await panel.show([message(ASK_FOR_FEEDBACK)])
        raise Rejected
    return answer


async def _by_form(card_id: str, panel: Panel) -> Mapping[str, str] | None:
    """Ask in a form; None where the editor cannot show it after all."""
    asked = {"mode": "form", "message": TITLE, "toolCallId": card_id, "requestedSchema": FORM}
    try:
        answer = await panel.ask("elicitation/create", asked)
    except RequestError:
        return None
    given = answer if isinstance(answer, dict) else {}
    match given.get("action"), given.get("content"):
        case "accept", {"decision": "accept" | "reject" as decision, **rest}:
            return answer_of(decision, str(rest.get("feedback") or "").strip())
        case "decline", _:
            return answer_of(REJECT)
    raise Withdrawn


async def _by_buttons(card_id: str, content: list[Content], panel: Panel) -> Mapping[str, str]:
    """Ask by buttons; a rejection has no words, the person's next message has them."""
    answer = await panel.ask("session/request_permission", review_request(card_id, content))
    match chosen(answer):
        case "accept" | "reject" as decision:
            return answer_of(decision)
    raise Withdrawn

"""Ask the person about a translation that could not be proven."""

import json
from collections.abc import Mapping
from typing import Any

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
    """Let the person accept; a rejection ends the turn, because an answer carries no words."""
    card_id = f"review-{review.id}"
    content = review_content(review)
    await panel.show(cards.open(card_id, TITLE, {}))
    await panel.show(cards.show(card_id, content))
    answer = await panel.ask("session/request_permission", review_request(card_id, content))
    match chosen(answer):
        case "accept":
            await panel.show(cards.close(card_id, None, failed=False))
            return answer_of(ACCEPT)
        case "reject":
            await panel.show(cards.close(card_id, None, failed=True))
            await panel.show([message(ASK_FOR_FEEDBACK)])
            raise Rejected
    raise Withdrawn

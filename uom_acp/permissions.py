"""Ask the editor whether a tool may run, and remember what it always allows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from acp.schema import PermissionOption, ToolCallLocation, ToolCallUpdate

from uom_acp.cards import Cards
from uom_acp.command_signature import CommandSignature, covers, signature_of
from uom_acp.editor import as_params
from uom_acp.interrupts import ToolApproval
from uom_acp.panel import Panel
from uom_acp.tool_calls import (
    Content,
    absolute,
    argued_path,
    capped,
    diff_content,
    first_changed_line,
    kind_of,
    locations_of,
    plan_of,
    text_content,
    title_of,
)

ALLOW, ALWAYS, REJECT = "allow_once", "allow_always", "reject_once"
EDITS = frozenset({"write_file", "edit_file", "mkdir"})


class Withdrawn(Exception):
    """The editor answered a question with `cancelled`: the turn is over."""


@dataclass(slots=True, kw_only=True)
class StandingPermissions:
    """What the person always allows in this session."""

    edits: bool = False
    commands: list[CommandSignature] = field(default_factory=list)

    def allow(self, approval: ToolApproval) -> bool:
        """Tell whether an earlier "always" covers this call."""
        if approval.name in EDITS:
            return self.edits
        command = command_of(approval)
        return command is not None and any(covers(allowed, command) for allowed in self.commands)

    def remember(self, approval: ToolApproval) -> None:
        """Keep an "always"."""
        if approval.name in EDITS:
            self.edits = True
        elif (command := command_of(approval)) and (signature := signature_of(command)):
            self.commands.append(signature)


def command_of(approval: ToolApproval) -> str | None:
    """Give the command exactly as it would run."""
    if approval.name != "execute":
        return None
    command = approval.args.get("command", approval.preview.command)
    return command if isinstance(command, str) else None


def options_for(approval: ToolApproval) -> list[PermissionOption]:
    """Offer this once, always where its scope can be named, and no."""
    once = PermissionOption(option_id=ALLOW, name="Allow once", kind="allow_once")
    reject = PermissionOption(option_id=REJECT, name="Reject", kind="reject_once")
    scope = scope_of(approval)
    if scope is None:
        return [once, reject]
    always = PermissionOption(option_id=ALWAYS, name=scope, kind="allow_always")
    return [once, always, reject]


def scope_of(approval: ToolApproval) -> str | None:
    """Name what "always" covers; a plan, a deletion and a risky command have no such option."""
    if approval.name in EDITS:
        return "Always allow edits in this session"
    command = command_of(approval)
    signature = signature_of(command) if command else None
    return f"Always allow `{signature}` in this session" if signature else None


def content_of(approval: ToolApproval, cwd: Path) -> list[Content]:
    """Show what would happen: the diff of the whole file, or the command and its folder."""
    preview = approval.preview
    if preview.path and preview.new_text is not None:
        path = absolute(preview.path, cwd) or Path(preview.path)
        return [diff_content(path, preview.old_text, preview.new_text)]
    if approval.name == "write_todos" and (entries := plan_of(approval.args)):
        return [text_content("\n".join(f"- {entry.content}" for entry in entries))]
    if approval.name == "delete":
        return [text_content(f"Deletes `{argued_path(approval.args)}`.")]
    if command := command_of(approval):
        where = f"\n\nin `{preview.cwd}`" if preview.cwd else ""
        return [text_content(command, fenced=True), *([text_content(where.strip())] if where else [])]
    return []


def places_of(approval: ToolApproval, cwd: Path) -> list[ToolCallLocation] | None:
    """Point at the first line that would change."""
    preview = approval.preview
    found = locations_of(approval.name, approval.args, cwd)
    if not found or preview.new_text is None:
        return found
    line = first_changed_line(preview.old_text, preview.new_text)
    return [ToolCallLocation(path=found[0].path, line=line)]


def request_of(approval: ToolApproval, cwd: Path, content: Sequence[Content]) -> dict[str, Any]:
    """Build the question; the whole call is in it because not every editor looks its card up."""
    call = ToolCallUpdate(
        tool_call_id=approval.tool_call_id,
        title=title_of(approval.name, approval.args),
        kind=kind_of(approval.name),
        status="pending",
        content=list(content) or None,
        locations=places_of(approval, cwd),
        raw_input=capped(approval.args),
    )
    options = [as_params(option) for option in options_for(approval)]
    return {"toolCall": as_params(call), "options": options}


def chosen(answer: Any) -> str | None:
    """Read the editor's answer; what is not a clear choice is no choice."""
    outcome = answer.get("outcome") if isinstance(answer, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return None
    return outcome.get("optionId")


def answer_of(*, allowed: bool) -> dict[str, str]:
    """Answer the approval gate; an editor's answer carries no words."""
    decision: Literal["approve", "reject"] = "approve" if allowed else "reject"
    return {"decision": decision, "feedback": ""}


async def decide(approval: ToolApproval, panel: Panel, cards: Cards, standing: StandingPermissions) -> dict[str, str]:
    """Answer the gate for one call, asking the person unless they already said always."""
    if standing.allow(approval):
        await panel.show(cards.start(approval.tool_call_id))
        return answer_of(allowed=True)
    content = content_of(approval, cards.cwd)
    await panel.show(cards.open(approval.tool_call_id, approval.name, approval.args))
    await panel.show(cards.show(approval.tool_call_id, content))
    answer = await panel.ask("session/request_permission", request_of(approval, cards.cwd, content))
    offered = {option.option_id for option in options_for(approval)}
    match chosen(answer):
        case choice if choice not in offered:
            raise Withdrawn
        case "allow_always":
            standing.remember(approval)
        case "reject_once":
            return answer_of(allowed=False)
    await panel.show(cards.start(approval.tool_call_id))
    return answer_of(allowed=True)

"""Ask the editor whether a tool may run, and remember what it always allows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from acp.schema import PermissionOption, ToolCallLocation, ToolCallUpdate

from uom_acp.cards import Cards
from uom_acp.command_signature import CommandSignature, covers, signature_of
from uom_acp.editor import as_params
from uom_acp.interrupts import ToolApproval
from uom_acp.panel import Panel
from uom_acp.rules import Rule, RuleBook
from uom_acp.tool_calls import (
    ELSEWHERE,
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

ALLOW, ALWAYS, ALWAYS_HERE, REJECT = "allow_once", "allow_always", "allow_always_here", "reject_once"
EDITS = frozenset({"write_file", "edit_file", "mkdir"})
RISKY = frozenset({".git"})
"""Folders whose files run by themselves; edits there are asked about each time."""


class Withdrawn(Exception):
    """The editor answered a question with `cancelled`: the turn is over."""


@dataclass(slots=True, kw_only=True)
class StandingPermissions:
    """What the person always allows: in this session, and by the rules of the workspace."""

    edits: bool = False
    commands: list[CommandSignature] = field(default_factory=list)
    book: RuleBook | None = None

    async def allow(self, approval: ToolApproval) -> bool:
        """Tell whether an earlier "always" covers this call."""
        if rule_of(approval) is None:
            return False
        if approval.name in EDITS:
            if self.edits:
                return True
        elif (command := command_of(approval)) and any(covers(allowed, command) for allowed in self.commands):
            return True
        return any(applies(rule, approval) for rule in await self.book.rules()) if self.book else False

    async def remember(self, approval: ToolApproval, choice: str | None) -> None:
        """Keep an "always"."""
        rule = rule_of(approval)
        if choice == ALWAYS_HERE and self.book is not None and rule is not None:
            await self.book.add(rule)
        elif choice == ALWAYS and approval.name in EDITS:
            self.edits = True
        elif choice == ALWAYS and rule is not None and rule.command is not None:
            self.commands.append(rule.command)


def rule_of(approval: ToolApproval) -> Rule | None:
    """Say what "always in this workspace" covers; None where only this once can be allowed."""
    if approval.name in EDITS:
        path = edited_path(approval)
        if path is None or RISKY & {part.lower() for part in path.parts}:
            return None
        first = path.parts[0]
        return Rule(what="edit", path=f"{first}/" if len(path.parts) > 1 else first)
    command = command_of(approval)
    signature = signature_of(command) if command else None
    return Rule(what="command", command=signature) if signature else None


def edited_path(approval: ToolApproval) -> PurePosixPath | None:
    """Give the path of an edit, from the workspace; None where it is none of the workspace."""
    named = argued_path(approval.args)
    parts = [part for part in PurePosixPath(named or "").parts if part != "/"]
    if not parts or ".." in parts or parts[0] in ELSEWHERE:
        return None
    return PurePosixPath(*parts)


def applies(rule: Rule, approval: ToolApproval) -> bool:
    """Tell whether a rule of the workspace allows a call."""
    if rule.command is not None:
        command = command_of(approval)
        return command is not None and covers(rule.command, command)
    path = edited_path(approval) if approval.name in EDITS else None
    if path is None:
        return False
    return path.as_posix().startswith(rule.path) if rule.path.endswith("/") else path.as_posix() == rule.path


def command_of(approval: ToolApproval) -> str | None:
    """Give the command exactly as it would run."""
    if approval.name != "execute":
        return None
    command = approval.args.get("command", approval.preview.command)
    return command if isinstance(command, str) else None


def options_for(approval: ToolApproval, *, with_rules: bool = False) -> list[PermissionOption]:
    """Offer this once, always where its scope can be named, and no."""
    once = PermissionOption(option_id=ALLOW, name="Allow once", kind="allow_once")
    reject = PermissionOption(option_id=REJECT, name="Reject", kind="reject_once")
    rule = rule_of(approval)
    if rule is None:
        return [once, reject]
    scope = "edits" if rule.command is None else str(rule)
    always = [(ALWAYS, f"Always allow {scope} in this session")]
    always += [(ALWAYS_HERE, f"Always allow {rule} in this workspace")] if with_rules else []
    return [
        once,
        *(PermissionOption(option_id=option, name=name, kind="allow_always") for option, name in always),
        reject,
    ]


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


def request_of(
    approval: ToolApproval, cwd: Path, content: Sequence[Content], options: Sequence[PermissionOption]
) -> dict[str, Any]:
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
    return {"toolCall": as_params(call), "options": [as_params(option) for option in options]}


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
    if await standing.allow(approval):
        await panel.show(cards.start(approval.tool_call_id))
        return answer_of(allowed=True)
    content, options = content_of(approval, cards.cwd), options_for(approval, with_rules=standing.book is not None)
    await panel.show(cards.open(approval.tool_call_id, approval.name, approval.args))
    await panel.show(cards.show(approval.tool_call_id, content))
    answer = await panel.ask("session/request_permission", request_of(approval, cards.cwd, content, options))
    choice = chosen(answer)
    if choice not in {option.option_id for option in options}:
        raise Withdrawn
    if choice == REJECT:
        return answer_of(allowed=False)
    await standing.remember(approval, choice)
    await panel.show(cards.start(approval.tool_call_id))
    return answer_of(allowed=True)

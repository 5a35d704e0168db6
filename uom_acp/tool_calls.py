"""What a tool call is to an editor: kind, title, location, diff, plan entries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from acp.schema import (
    ContentToolCallContent,
    FileEditToolCallContent,
    PlanEntry,
    TerminalToolCallContent,
    TextContentBlock,
    ToolCallLocation,
)

Args = Mapping[str, Any]
Content = ContentToolCallContent | FileEditToolCallContent | TerminalToolCallContent
Kind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]

KINDS: Mapping[str, Kind] = {
    "ls": "search",
    "glob": "search",
    "grep": "search",
    "read_file": "read",
    "write_file": "edit",
    "edit_file": "edit",
    "mkdir": "edit",
    "delete": "delete",
    "execute": "execute",
    "task": "think",
    "write_todos": "think",
}
WRITES = frozenset({"write_file", "edit_file", "delete"})
PATH_ARGUMENTS = ("file_path", "path")
ELSEWHERE = ("dotnet_sandbox", "java_sandbox", "memories", "conversation_history", "large_tool_results", "blobs")
"""Routes of the agent that are no folders of the user's workspace."""
TRANSLATOR = "universal-object-mapping-translator"
LARGEST_TEXT = 64 * 1024
LARGEST_DIFF = 256 * 1024
LONGEST_TITLE = 120


def kind_of(name: str) -> Kind:
    """Choose the icon; a tool this table does not know (from a server) is `other`."""
    return KINDS.get(name, "other")


def argued_path(args: Args) -> str | None:
    """Find the path a call is about."""
    return next((args[name] for name in PATH_ARGUMENTS if isinstance(args.get(name), str)), None)


def absolute(path: str, cwd: Path) -> Path | None:
    """Find the file of the user that the agent calls `path`; None for the agent's own routes.

    The agent's `/` is the workspace; editors open real absolute paths only.
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() and (pure == PurePosixPath(cwd) or PurePosixPath(cwd) in pure.parents):
        return Path(path)
    parts = [part for part in pure.parts if part != "/"]
    if (parts and parts[0] in ELSEWHERE) or ".." in parts:
        return None
    return cwd.joinpath(*parts)


def locations_of(name: str, args: Args, cwd: Path) -> list[ToolCallLocation] | None:
    """Say where the editor may follow the agent to: existing or written files, never folders."""
    path = argued_path(args)
    if path is None or name not in {"read_file", "write_file", "edit_file"}:
        return None
    found = absolute(path, cwd)
    if found is None:
        return None
    return [ToolCallLocation(path=str(found), line=_line(args) if name == "read_file" else 1)]


def _line(args: Args) -> int:
    offset = args.get("offset")
    return offset + 1 if isinstance(offset, int) and offset >= 0 else 1


def first_changed_line(old: str | None, new: str) -> int:
    """Find where an edit begins, counted from 1."""
    for number, (before, after) in enumerate(zip((old or "").splitlines(), new.splitlines(), strict=False), start=1):
        if before != after:
            return number
    return min(len((old or "").splitlines()), len(new.splitlines())) + 1 if old else 1


def title_of(name: str, args: Args) -> str:
    """Name a call the way a person would."""
    path = (argued_path(args) or "").lstrip("/")
    titles = {
        "read_file": f"Read {path}",
        "write_file": f"Write {path}",
        "edit_file": f"Edit {path}",
        "delete": f"Delete {path}",
        "mkdir": f"Create folder {path}",
        "ls": f"List {path or 'the workspace'}",
        "glob": f"Search {args.get('pattern', '')}",
        "grep": f"Search {args.get('pattern', '')}",
        "execute": f"`{args.get('command', '')}`",
        "task": "Translate and prove"
        if args.get("subagent_type") == TRANSLATOR
        else f"Delegate to {args.get('subagent_type', 'a sub-agent')}",
        "write_todos": "Update the plan",
    }
    return _short(titles.get(name, name))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"


def text_content(text: str, *, fenced: bool = False, keep: Literal["head", "tail"] = "head") -> Content:
    """Show text on a card, cut to what a panel can hold; of output the end matters."""
    if len(text) > LARGEST_TEXT:
        cut = f"[{len(text) - LARGEST_TEXT} characters left out]"
        text = f"{text[:LARGEST_TEXT]}\n{cut}" if keep == "head" else f"{cut}\n{text[-LARGEST_TEXT:]}"
    if fenced:
        fence = "`" * max(3, _longest_run(text) + 1)
        text = f"{fence}\n{text}\n{fence}"
    return ContentToolCallContent(type="content", content=TextContentBlock(type="text", text=text))


def terminal_content(terminal: str) -> Content:
    """Show a terminal of the editor, live."""
    return TerminalToolCallContent(type="terminal", terminal_id=terminal)


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def diff_content(path: Path, old: str | None, new: str) -> Content:
    """Show a change of a whole file; `old` is None only for a new file."""
    if len(new) + len(old or "") > LARGEST_DIFF:
        before = "new file" if old is None else f"{len(old)} characters before"
        return text_content(f"{path}: {len(new)} characters after, {before}; too large to show here.")
    return FileEditToolCallContent(type="diff", path=str(path), old_text=old, new_text=new)


def capped(value: Any) -> Any:
    """Cut long texts in a call's arguments; the file itself is in the diff."""
    if isinstance(value, str) and len(value) > LARGEST_TEXT:
        return value[:LARGEST_TEXT] + f"… [{len(value) - LARGEST_TEXT} characters left out]"
    if isinstance(value, Mapping):
        return {str(key): capped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [capped(item) for item in value]
    return value


def plan_of(args: Args) -> list[PlanEntry] | None:
    """Read the plan that `write_todos` writes; entries that are none are left out."""
    todos = args.get("todos")
    if not isinstance(todos, Sequence) or isinstance(todos, str):
        return None
    statuses = {"pending", "in_progress", "completed"}
    return [
        PlanEntry(
            content=str(todo["content"]),
            priority="medium",
            status=todo["status"] if todo.get("status") in statuses else "pending",
        )
        for todo in todos
        if isinstance(todo, Mapping) and "content" in todo
    ]


def parsed_args(text: str) -> Args:
    """Read the arguments streamed so far; what is not complete yet reads as none."""
    try:
        args = json.loads(text)
    except ValueError:
        return {}
    return args if isinstance(args, dict) else {}

"""`uom demo`: the main job end to end, through the real server on real pipes, as an editor would see it."""

import argparse
import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
from acp import schema

from react_agent.samples import sample

SAMPLE = "workshop"
SECONDS = 600
"""How long the whole demonstration may take; the first run fetches and builds the workers."""


def run(arguments: argparse.Namespace) -> int:
    """Move the bundled sample in a folder of its own; the exit code is that of its proof."""
    folder = arguments.out or Path(tempfile.mkdtemp(prefix="uom-demo-"))
    return asyncio.run(_demonstrate(folder.resolve()))


async def _demonstrate(folder: Path) -> int:
    names = _lay_out(folder)
    editor = Terminal(folder=folder)
    _say(f"A workspace with {', '.join(names)}: {folder}\n")
    prompt = f"Move {' and '.join(names)} to Spring Data MongoDB. Write the Java below java/."
    environment = os.environ | {"MODEL": "uom/rules"}
    command = (sys.executable, "-m", "uom_acp", "acp")
    async with acp.spawn_agent_process(editor, *command, env=environment, cwd=folder) as (agent, _):  # ty: ignore[invalid-argument-type] - a client is told by its methods
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = await agent.new_session(cwd=str(folder), mcp_servers=[])
        await agent.set_session_mode(session_id=session.session_id, mode_id="ask_before_edits")
        _say(f"> {prompt}\n")
        async with asyncio.timeout(SECONDS):
            answer = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block(prompt)])
    written = await asyncio.to_thread(lambda: sorted(folder.glob("java/**/*.java")))
    _say(f"\nstop reason: {answer.stop_reason}; {len(written)} Java files in {folder / 'java'}")
    if not written or answer.stop_reason != "end_turn":
        return 3
    return editor.exit_code()


def _lay_out(folder: Path) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    files = sample(SAMPLE)
    for file in files:
        (folder / file.path).write_text(file.text, encoding="utf-8", newline="")
    return [file.path for file in files]


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _progress(update: Any) -> str | None:
    """Say what a delegation does now; how far it is would be a line for each step."""
    match update.content:
        case [schema.ContentToolCallContent(content=schema.TextContentBlock(text=text))] if "\n" not in text:
            return text.partition(":")[0]
    return None


@dataclass(kw_only=True)
class Terminal:
    """An editor's panel in a terminal: prints what it is sent and approves every edit, saying so."""

    folder: Path
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    """The last line about each card."""
    streaming: bool = False

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:  # noqa: ARG002 - the protocol's signature
        """Print one update."""
        match update:
            case schema.AgentMessageChunk(content=schema.TextContentBlock(text=text)):
                sys.stdout.write(text)
                sys.stdout.flush()
                self.streaming = True
            case schema.ToolCallStart() | schema.ToolCallProgress():
                self._tool_call(update)

    def _tool_call(self, update: Any) -> None:
        if isinstance(update.raw_output, dict) and "verdicts" in update.raw_output:
            self.verdicts = update.raw_output["verdicts"]
        title = update.title or self.titles.get(update.tool_call_id, "")
        self.titles[update.tool_call_id] = title
        line = f"{title} [{update.status}]" if update.status in {"completed", "failed"} else _progress(update)
        if line is None or self.said.get(update.tool_call_id) == line:
            return
        self.said[update.tool_call_id] = line
        if self.streaming:
            sys.stdout.write("\n")
            self.streaming = False
        _say(f"  · {line}")

    async def request_permission(
        self,
        options: list[schema.PermissionOption],
        session_id: str,  # noqa: ARG002 - the protocol's signature
        tool_call: Any,
        **_: Any,
    ) -> schema.RequestPermissionResponse:
        """Approve, once."""
        once = next(option for option in options if option.kind == "allow_once")
        _say(f"  ? {tool_call.title}: approved ({once.name})")
        outcome = schema.AllowedOutcome(option_id=once.option_id, outcome="selected")
        return schema.RequestPermissionResponse(outcome=outcome)

    def exit_code(self) -> int:
        """The command line's exit code for the verdicts that were shown."""
        from react_agent.proof.verdict import EntryVerdict, exit_code  # noqa: PLC0415 - after the server is up

        return exit_code(EntryVerdict.from_json(verdict) for verdict in self.verdicts)

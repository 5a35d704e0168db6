"""Each mode with each tool and each answer: asked or not, done or not, and the bytes that are there after it."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.ide import FakeIde
from tests.fakes.llm_server import FakeLlm

BEFORE = {"old.cs": b"class A\r\n{\r\n}\r\n", "gone.txt": b"\xef\xbb\xbfmark\n"}
EDIT, PLAN, COMMAND, NOTHING = "edit", "plan", "command", "nothing"
ASKS = {
    "ask_before_edits": {EDIT, PLAN, COMMAND},
    "accept_edits": {PLAN, COMMAND},
    "accept_everything": set(),
}
ANSWERS = ("allow_once", "reject_once", "cancelled")
SERVER = '''
from mcp.server.fastmcp import FastMCP

server = FastMCP("marks")


@server.tool()
def mark() -> str:
    """Leave a mark."""
    open("mark.txt", "w").write("made")
    return "marked"


server.run()
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One thing an agent may do; `after` are the files that are different once it is done."""

    name: str
    effect: str
    args: Mapping[str, Any]
    after: Mapping[str, bytes | None] = field(default_factory=dict)
    plans: bool = False


TODOS = [{"content": "look", "status": "pending"}]
TOOLS = {
    "write": Tool(
        name="write_file",
        effect=EDIT,
        args={"file_path": "/sub/new.txt", "content": "é\n"},
        after={"sub/new.txt": "é\n".encode()},
    ),
    "edit": Tool(
        name="edit_file",
        effect=EDIT,
        args={"file_path": "/old.cs", "old_string": "class A", "new_string": "class B"},
        after={"old.cs": b"class B\r\n{\r\n}\r\n"},
    ),
    "delete": Tool(name="delete", effect=EDIT, args={"file_path": "/gone.txt"}, after={"gone.txt": None}),
    "move": Tool(
        name="execute",
        effect=COMMAND,
        args={"command": "mv old.cs moved.cs"},
        after={"old.cs": None, "moved.cs": BEFORE["old.cs"]},
    ),
    "command": Tool(
        name="execute", effect=COMMAND, args={"command": "printf made > out.txt"}, after={"out.txt": b"made"}
    ),
    "git hook": Tool(
        name="write_file",
        effect=COMMAND,
        args={"file_path": "/.git/hooks/pre-commit", "content": "#!/bin/sh\n"},
        after={".git/hooks/pre-commit": b"#!/bin/sh\n"},
    ),
    "sandbox command": Tool(name="execute", effect=COMMAND, args={"command": "ls /java_sandbox/"}),
    "plan": Tool(name="write_todos", effect=PLAN, args={"todos": TODOS}, plans=True),
    "read": Tool(name="read_file", effect=NOTHING, args={"file_path": "/old.cs"}),
    "mcp": Tool(name="marks_mark", effect=COMMAND, args={}, after={"mark.txt": b"made"}),
}


def laid_out(workspace: Path) -> None:
    for name, data in BEFORE.items():
        (workspace / name).write_bytes(data)


def files(workspace: Path) -> dict[str, bytes]:
    return {
        path.relative_to(workspace).as_posix(): path.read_bytes() for path in workspace.rglob("*") if path.is_file()
    }


def expected(tool: Tool, *, done: bool) -> dict[str, bytes]:
    changed = {**BEFORE, **(tool.after if done else {})}
    return {name: data for name, data in changed.items() if data is not None}


async def session(ide: FakeIde, workspace: Path, tool: Tool, mode: str) -> None:
    """Start a session, with the server of the tool where it is one of a server's."""
    script = workspace.parent / "marks.py"
    script.write_text(SERVER)
    server = {"name": "marks", "command": sys.executable, "args": [str(script)], "env": []}
    await ide.new_session(workspace, **({"mcpServers": [server]} if tool.name.startswith("marks") else {}))
    await ide.set_mode(mode)


def prepared(ide: FakeIde, llm: FakeLlm, tool: Tool, answer: str, *, asked: bool) -> None:
    llm.expect("do it").call(tool.name, call_id="c", **tool.args)
    if not (asked and answer == "cancelled"):
        llm.expect().say("Seen.")
    if asked:
        ide.answers(answer)


def held_against(ide: FakeIde, tool: Tool, answer: str, *, asked: bool, call: str = "c") -> bool:
    """Hold what was asked and shown against what was to be; give whether it was to be done."""
    done = not asked or answer == "allow_once"
    questions = ide.transcript.asked("session/request_permission")
    assert [question["toolCall"]["toolCallId"] for question in questions] == ([call] if asked else [])
    ends = ide.transcript.statuses(call)
    assert ends[0] == "pending"
    assert ends[-1] in ({"completed", "failed"} if tool.name == "execute" else {"completed"} if done else {"failed"})
    assert ("in_progress" in ends) == done
    return done


CELLS = [
    pytest.param(mode, name, answer, id=f"{mode}-{name}-{answer}")
    for mode, asking in ASKS.items()
    for name, tool in TOOLS.items()
    for answer in (ANSWERS if tool.effect in asking else ("nobody is asked",))
]


@pytest.mark.parametrize(("mode", "name", "answer"), CELLS)
async def test_cell(editor: FakeIde, llm: FakeLlm, workspace: Path, mode: str, name: str, answer: str) -> None:
    tool = TOOLS[name]
    laid_out(workspace)
    asked = tool.effect in ASKS[mode]
    await editor.initialize()
    await session(editor, workspace, tool, mode)
    prepared(editor, llm, tool, answer, asked=asked)
    stop = await editor.prompt("do it")

    done = held_against(editor, tool, answer, asked=asked)
    assert stop == ("cancelled" if asked and answer == "cancelled" else "end_turn")
    assert files(workspace) == expected(tool, done=done)
    shown = [entry["content"] for plan in editor.transcript.updates("plan") for entry in plan["entries"]]
    assert shown == (["look"] if tool.plans and done else [])


HELPED = [
    pytest.param(mode, name, answer, id=f"{mode}-{name}-{answer}")
    for mode, asking in ASKS.items()
    for name in ("write", "delete", "command")
    for answer in (ANSWERS[:2] if TOOLS[name].effect in asking else ("nobody is asked",))
]


@pytest.mark.parametrize(("mode", "name", "answer"), HELPED)
async def test_cell_of_a_sub_agent(
    ide: FakeIde, llm: FakeLlm, workspace: Path, mode: str, name: str, answer: str
) -> None:
    tool = TOOLS[name]
    laid_out(workspace)
    asked = tool.effect in ASKS[mode]
    llm.expect("delegate").call("task", call_id="t", description="do it", subagent_type="general-purpose")
    prepared(ide, llm, tool, answer, asked=asked)
    llm.expect().say("Over.")
    await ide.set_mode(mode)

    assert await ide.prompt("delegate") == "end_turn"
    done = held_against(ide, tool, answer, asked=asked)
    assert files(workspace) == expected(tool, done=done)
    assert ide.transcript.cards()["c"][0]["_meta"] == {"uom": {"parentToolCallId": "t"}}
    assert ide.transcript.statuses("t")[-1] == "completed"


def always_here(params: dict[str, Any]) -> dict[str, Any]:
    kind = next(option for option in params["options"] if option["kind"] == "allow_always")
    return {"outcome": {"outcome": "selected", "optionId": kind["optionId"]}}


@pytest.mark.parametrize("name", ["write", "edit", "command"])
async def test_always_covers_the_same_again_and_nothing_else(
    ide: FakeIde, llm: FakeLlm, workspace: Path, name: str
) -> None:
    laid_out(workspace)
    tool, other = TOOLS[name], TOOLS["git hook"]
    choose: Callable[[dict[str, Any]], dict[str, Any]] = always_here
    ide.answers(choose if name != "command" else "allow_once", "reject_once")
    await ide.set_mode("ask_before_edits")
    for number, each in enumerate([tool, tool if name == "write" else other]):
        llm.expect("do it").call(each.name, call_id=f"c{number}", **each.args)
        llm.expect().say("Seen.")
        await ide.prompt("do it")
    asked = [question["toolCall"]["toolCallId"] for question in ide.transcript.asked("session/request_permission")]
    assert asked == (["c0"] if name == "write" else ["c0", "c1"])
    assert ".git/hooks/pre-commit" not in files(workspace)

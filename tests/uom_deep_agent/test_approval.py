from collections.abc import Callable

import pytest
from langchain_core.tools import tool
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Interrupt

from tests.fakes.llm_server import FakeLlm
from tests.uom_deep_agent.conftest import Session, approve, reject, results
from uom_deep_agent import ApprovalMode

ASK, EDITS, ALL = ApprovalMode
Open = Callable[..., Session]


def call_one(llm: FakeLlm, tool: str) -> None:
    arguments = {
        "write_file": {"file_path": "/new/a.txt", "content": "new\n"},
        "edit_file": {"file_path": "/b.txt", "old_string": "old", "new_string": "new"},
        "delete": {"file_path": "/b.txt"},
        "execute": {"command": "echo hi > c.txt"},
        "write_todos": {"todos": [{"content": "one", "status": "pending"}]},
    }
    llm.call(tool, **arguments[tool])
    llm.say("done")


@pytest.mark.parametrize(
    ("mode", "tool", "asks"),
    [
        *[(ASK, t, True) for t in ("write_file", "edit_file", "delete", "execute", "write_todos")],
        *[(EDITS, t, False) for t in ("write_file", "edit_file", "delete")],
        *[(EDITS, t, True) for t in ("execute", "write_todos")],
        *[(ALL, t, False) for t in ("write_file", "edit_file", "execute", "write_todos")],
    ],
)
async def test_each_mode_asks_before_what_it_says(
    open_session: Open, llm: FakeLlm, mode: ApprovalMode, tool: str, asks: bool
) -> None:
    session = open_session(mode)
    (session.workspace / "b.txt").write_bytes(b"old\r\n")
    call_one(llm, tool)
    [result] = results(await session.send("go", answer=approve if asks else None))
    assert len(session.asked) == asks
    assert result.status == "success"
    changed = {
        "write_file": lambda w: (w / "new/a.txt").read_bytes() == b"new\n",
        "edit_file": lambda w: (w / "b.txt").read_bytes() == b"new\r\n",
        "delete": lambda w: not (w / "b.txt").exists(),
        "execute": lambda w: (w / "c.txt").read_text() == "hi\n",
        "write_todos": lambda _: True,
    }
    assert changed[tool](session.workspace)


@pytest.mark.parametrize("tool", ["write_file", "edit_file", "delete", "execute", "write_todos"])
async def test_rejected_call_changes_nothing_and_carries_the_feedback(
    open_session: Open, llm: FakeLlm, tool: str
) -> None:
    session = open_session(ASK)
    (session.workspace / "b.txt").write_bytes(b"old\r\n")
    call_one(llm, tool)
    messages = await session.send("go", answer=reject)
    [result] = results(messages)
    assert result.status == "error"
    assert "rejected" in result.text
    assert "not this file" in result.text
    assert [(p.name, p.read_bytes()) for p in session.workspace.iterdir()] == [("b.txt", b"old\r\n")]


async def test_question_shows_the_whole_file_before_and_after(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    (session.workspace / "b.txt").write_bytes(b"\xef\xbb\xbfone\r\nold\r\nlast")
    call_one(llm, "edit_file")
    await session.send("go", answer=reject)
    [question] = session.asked
    assert question == {
        "type": "tool_approval",
        "tool_call_id": question["tool_call_id"],
        "name": "edit_file",
        "args": {"file_path": "/b.txt", "old_string": "old", "new_string": "new"},
        "preview": {
            "path": "/b.txt",
            "old_text": "one\r\nold\r\nlast",
            "new_text": "one\r\nnew\r\nlast",
        },
    }


async def test_question_about_a_command_says_where_it_runs(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(EDITS)
    call_one(llm, "execute")
    await session.send("go", answer=approve)
    assert session.asked[0]["preview"] == {
        "command": "echo hi > c.txt",
        "cwd": str(session.workspace),
    }


async def test_calls_of_one_message_are_asked_one_after_another(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    step = llm.call("write_file", file_path="/1.txt", content="1")
    step.call("write_file", file_path="/2.txt", content="2")
    step.call("execute", command="cat 1.txt 2.txt > 3.txt")
    llm.say("done")
    seen: list[tuple[str, list[str]]] = []

    def answer(question: dict) -> dict:
        seen.append((question["name"], sorted(p.name for p in session.workspace.iterdir())))
        return approve(question)

    assert [r.status for r in results(await session.send("go", answer=answer))] == ["success"] * 3
    assert seen == [
        ("write_file", []),
        ("write_file", ["1.txt"]),
        ("execute", ["1.txt", "2.txt"]),
    ]
    assert (session.workspace / "3.txt").read_text() == "12"


async def test_mode_switched_while_asked_counts_from_the_next_call_on(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    step = llm.call("write_file", file_path="/1.txt", content="1")
    step.call("write_file", file_path="/2.txt", content="2")
    llm.say("done")

    def answer(question: dict) -> dict:
        session.modes.append(ALL)
        return reject(question)

    first, second = results(await session.send("go", answer=answer))
    assert len(session.asked) == 1
    assert (first.status, second.status) == ("error", "success")
    assert [p.name for p in session.workspace.iterdir()] == ["2.txt"]


async def test_mode_made_stricter_while_asked_asks_for_the_next_call(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(EDITS)
    step = llm.call("execute", command="touch 1.txt")
    step.call("write_file", file_path="/2.txt", content="2")
    llm.say("done")

    def answer(question: dict) -> dict:
        session.modes.append(ASK)
        return approve(question)

    await session.send("go", answer=answer)
    assert [q["name"] for q in session.asked] == ["execute", "write_file"]


async def test_effects_run_in_their_order_though_calls_start_at_once(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ALL)
    step = llm.call("execute", command="sleep 0.2; echo 1 >> order.txt")
    step.call("execute", command="echo 2 >> order.txt")
    step.call("read_file", file_path="/order.txt")
    llm.say("done")
    await session.send("go")
    assert (session.workspace / "order.txt").read_text() == "1\n2\n"


async def test_file_changed_after_it_was_shown_is_not_overwritten(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    file = session.workspace / "b.txt"
    file.write_text("old\n")
    llm.call("write_file", file_path="/b.txt", content="new\n")
    llm.say("done")

    def answer(question: dict) -> dict:
        file.write_text("typed meanwhile\n")
        return approve(question)

    [result] = results(await session.send("go", answer=answer))
    assert "changed after" in result.text
    assert file.read_text() == "typed meanwhile\n"


async def test_call_that_cannot_work_is_not_asked_about(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    llm.call("edit_file", file_path="/none.txt", old_string="a", new_string="b")
    llm.call("write_file", file_path="/../../etc/passwd", content="b")
    llm.call("execute", command="cp /dotnet_sandbox/a /java_sandbox/b")
    llm.say("done")
    found = results(await session.send("go"))
    assert [r.status for r in found] == ["error"] * 3
    assert session.asked == []


async def test_plan_asks_when_new_and_not_when_ticked_off(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(EDITS)

    def plan(*steps: tuple[str, str]) -> None:
        llm.call("write_todos", todos=[{"content": c, "status": s} for c, s in steps])

    plan(("read", "in_progress"), ("write", "pending"))
    plan(("read", "completed"), ("write", "in_progress"))
    plan(("read", "completed"), ("write", "in_progress"), ("delete all", "pending"))
    llm.say("done")
    await session.send("go", answer=approve)
    assert [len(q["preview"]["todos"]) for q in session.asked] == [2, 3]


async def test_subagent_is_gated_like_the_main_agent(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    llm.expect("go").call("task", subagent_type="general-purpose", description="do the work")
    step = llm.expect("do the work").call("write_file", file_path="/1.txt", content="1")
    step.call("execute", command="touch 2.txt")
    llm.expect(tool_result="not this file").say("I was not allowed to")
    llm.expect(tool_result="I was not allowed to").say("done")
    await session.send("go", answer=reject)
    assert [q["name"] for q in session.asked] == ["write_file", "execute"]
    assert list(session.workspace.iterdir()) == []


async def test_tool_nobody_described_asks_like_a_command(open_session: Open, llm: FakeLlm) -> None:
    @tool
    def deploy(target: str) -> str:
        """Deploy."""
        return f"deployed to {target}"

    session = open_session(EDITS, tools=[deploy])
    llm.call("deploy", target="prod")
    llm.say("done")
    [result] = results(await session.send("go", answer=reject))
    assert result.status == "error"
    assert session.asked[0]["args"] == {"target": "prod"}


async def test_change_of_what_git_runs_asks_like_a_command(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(EDITS)
    llm.call("write_file", file_path="/sub/.git/hooks/pre-commit", content="#!/bin/sh")
    llm.call("write_file", file_path="/.gitignore", content="target/")
    llm.say("done")
    await session.send("go", answer=reject)
    assert [q["args"]["file_path"] for q in session.asked] == ["/sub/.git/hooks/pre-commit"]
    assert [p.name for p in session.workspace.iterdir()] == [".gitignore"]


@pytest.mark.parametrize("answer", [None, "yes", {}, {"decision": "perhaps"}, True])
async def test_answer_that_is_no_plain_approval_is_a_rejection(
    open_session: Open, llm: FakeLlm, answer: object
) -> None:
    session = open_session(ASK)
    call_one(llm, "write_file")
    [result] = results(await session.send("go", answer=lambda _: answer))
    assert result.status == "error"
    assert list(session.workspace.iterdir()) == []


async def test_second_process_goes_on_where_the_first_was_asked(open_session: Open, llm: FakeLlm) -> None:
    first = open_session(ASK)
    step = llm.call("write_file", file_path="/1.txt", content="1")
    step.call("write_file", file_path="/2.txt", content="2")
    step.call("write_file", file_path="/3.txt", content="3")
    llm.say("done")
    [one] = await first.lap({"messages": [{"role": "user", "content": "go"}]})
    [two] = await first.lap(approved(one))
    assert [p.name for p in first.workspace.iterdir()] == ["1.txt"]

    second = open_session(ASK, checkpointer=first.agent.checkpointer)
    await second.send(approved(two), answer=approve)
    assert sorted(p.name for p in second.workspace.iterdir()) == ["1.txt", "2.txt", "3.txt"]
    assert [q["args"]["file_path"] for q in second.asked] == ["/3.txt"]


async def test_rejection_after_a_restart_holds_though_the_mode_no_longer_asks(open_session: Open, llm: FakeLlm) -> None:
    store = InMemoryStore()
    first = open_session(ASK, store=store)
    call_one(llm, "write_file")
    [question] = await first.lap({"messages": [{"role": "user", "content": "go"}]})
    second = open_session(ALL, store=store, checkpointer=first.agent.checkpointer)
    [result] = results(await second.send(Command(resume={question.id: reject(question)})))
    assert result.status == "error"
    assert list(second.workspace.iterdir()) == []


async def test_new_message_instead_of_an_answer_leaves_the_call_undone(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ASK)
    llm.call("write_file", file_path="/1.txt", content="1").call("execute", command="touch 2.txt")
    await session.lap({"messages": [{"role": "user", "content": "go"}]})
    llm.expect("never mind").say("as you wish")
    messages = await session.send("never mind")
    assert messages[-1].text == "as you wish"
    assert list(session.workspace.iterdir()) == []
    llm.call("write_file", file_path="/3.txt", content="3")
    llm.say("done")
    await session.send("write 3", answer=approve)
    assert [p.name for p in session.workspace.iterdir()] == ["3.txt"]


def approved(question: Interrupt) -> Command:
    return Command(resume={question.id: {"decision": "approve", "feedback": ""}})

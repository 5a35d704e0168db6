import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import add_ai_message_chunks
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from react_agent.context import Context
from react_agent.models import RULES, load_chat_model
from react_agent.request import unpack
from tests.fakes.llm_server import FakeLlm
from tests.uom_deep_agent.conftest import Session, Translations, approve, results
from uom_deep_agent import ApprovalMode

Open = Callable[..., Session]
ALL, ASK = ApprovalMode.ACCEPT_EVERYTHING, ApprovalMode.ASK_BEFORE_EDITS
JAVA = """\
```java path=src/main/java/shop/Order.java
record Order(String id) {}
```

```json path=uom.json
{}
```

| entry | verdict |
| --- | --- |
| Orders.All | equivalent_on_suite |
"""


async def rules() -> Any:
    return await load_chat_model(RULES, Context(openai_api_key=None))


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


async def test_model_is_offered_these_tools_and_the_prompt(open_session: Open, llm: FakeLlm) -> None:
    llm.expect(system="always call `task`").say("hi")
    await open_session().send("hello")
    offered = {t["function"]["name"] for t in llm.requests[0]["tools"]}
    assert offered == {
        *("ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "execute"),
        *("task", "write_todos"),
    }


async def test_rules_translate_and_write_the_files(open_session: Open, translations: Translations) -> None:
    translations.answer = lambda _: JAVA
    session = open_session(ALL, model=await rules())
    (session.workspace / "Shop.cs").write_bytes(b"class Order { }\r\n")
    last = (await session.send("translate Shop.cs to MongoDB"))[-1]
    assert [b.path for b in unpack(translations.received[0])] == [None, "/Shop.cs"]
    assert names(session.workspace) == ["Shop.cs", "java/src/main/java/shop/Order.java", "java/uom.json"]
    assert "| Orders.All | equivalent_on_suite |" in last.text
    assert "Written:\n- `java/src/main/java/shop/Order.java`\n- `java/uom.json`" in last.text


async def test_rules_ask_for_each_file_and_say_what_was_rejected(
    open_session: Open, translations: Translations
) -> None:
    translations.answer = lambda _: JAVA
    session = open_session(ASK, model=await rules())

    def answer(question: dict[str, Any]) -> dict[str, str]:
        if question["args"]["file_path"].endswith("uom.json"):
            return {"decision": "reject", "feedback": "no manifest"}
        return approve(question)

    last = (await session.send("translate class Order { } to MongoDB", answer=answer))[-1]
    assert len(session.asked) == 2
    assert names(session.workspace) == ["java/src/main/java/shop/Order.java"]
    assert "Not written:\n- `java/uom.json`" in last.text
    assert "no manifest" in last.text


async def test_rules_write_a_second_translation_over_the_first(open_session: Open, translations: Translations) -> None:
    translations.answer = lambda _: JAVA
    session = open_session(ALL, model=await rules())
    await session.send("translate class Order { }")
    translations.answer = lambda _: JAVA.replace("String id", "long id")
    await session.send("translate it again")
    written = session.workspace / "java/src/main/java/shop/Order.java"
    assert written.read_text() == "record Order(long id) {}\n"
    assert {b.kind for b in unpack(translations.received[1])} == {"message", "earlier_message"}


async def test_rules_stream_as_they_speak(open_session: Open, translations: Translations) -> None:
    translations.answer = lambda _: JAVA
    session = open_session(ALL, model=await rules())
    chunks: list[AIMessageChunk] = []
    async for chunk, _ in session.agent.astream(
        {"messages": [{"role": "user", "content": "translate class Order { }"}]},
        {"configurable": {"thread_id": "t1"}},
        context=Context(model=RULES),
        stream_mode="messages",
    ):
        if isinstance(chunk, AIMessageChunk):
            chunks.append(chunk)
    turns: dict[str | None, list[AIMessageChunk]] = {}
    for chunk in chunks:
        turns.setdefault(chunk.id, []).append(chunk)
    calls, writes, said = (add_ai_message_chunks(*parts) for parts in turns.values())
    assert [c["name"] for c in (*calls.tool_calls, *writes.tool_calls)] == ["task", "write_file", "write_file"]
    assert len(turns[said.id]) > 10


def two_step_translator(contexts: list[Any]) -> Any:
    def work(state: MessagesState, runtime: Runtime[Context]) -> dict[str, Any]:
        contexts.append(runtime.context)
        answer = interrupt({"instruction": str(state["messages"][-1].content)[:40], "state": {}})
        return {"messages": [AIMessage(f"translated: {answer}")]}

    builder: Any = StateGraph(MessagesState, context_schema=Context)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    return builder.compile()


async def test_translators_question_comes_through_and_its_nodes_see_the_settings(
    open_session: Open, llm: FakeLlm
) -> None:
    contexts: list[Any] = []
    session = open_session(ASK, translator=two_step_translator(contexts))
    step = llm.call("task", subagent_type="universal-object-mapping-translator", description="a")
    step.call("task", subagent_type="universal-object-mapping-translator", description="b")
    llm.expect(tool_result="translated: accept").say("done")
    answers = await session.send("translate class A { }", answer=lambda _: "accept")
    assert [r.text for r in results(answers)] == ["translated: accept"] * 2
    assert len(session.asked) == 2
    assert {type(c) for c in contexts} == {Context}


@pytest.mark.parametrize("when", ["model", "command"])
async def test_cancelled_turn_ends_at_once_and_the_session_goes_on(open_session: Open, llm: FakeLlm, when: str) -> None:
    session = open_session(ALL)
    if when == "model":
        llm.say("slow").hold()
    else:
        llm.call("execute", command="echo $$ > pid; sleep 60")
    turn = asyncio.create_task(session.send("go"))
    await asyncio.to_thread(llm.wait_for_requests, 1)
    await asyncio.sleep(0.5)
    loop = asyncio.get_running_loop()
    started = loop.time()
    turn.cancel()
    await asyncio.wait([turn])
    assert turn.cancelled()
    assert loop.time() - started < 0.3
    llm.expect("and now").say("here again")
    assert (await session.send("and now"))[-1].text == "here again"

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt

from react_agent.request import Block, original_bytes, unpack
from tests.fakes.llm_server import FakeLlm
from tests.uom_deep_agent.conftest import Session, Translations, results
from uom_deep_agent import ApprovalMode
from uom_deep_agent.references import points_back
from uom_deep_agent.verbatim import NAMESPACE

Open = Callable[..., Session]
ALL = ApprovalMode.ACCEPT_EVERYTHING
CLASS = "public class Order\r\n{\r\n\tpublic int Id { get; set; } // ```\r\n}\r\n"

HARD = {
    "crlf and tabs": "Translate:\r\n" + CLASS,
    "byte order mark": "\ufefftranslate " + CLASS,
    "unicode": "translate\n// Příliš žluťoučký \U0001f40e\u2028\n" + CLASS,
    "fences in code": 'translate\n```csharp\nvar s = """\n```\n""";\n' + CLASS + "```\n",
    "1 MB": "translate\n" + "public class Año { public int Id { get; set; } }\r\n" * 20_000,
    "no last newline": "translate public class A { }",
}


def delegate(llm: FakeLlm, description: str = "translate some classes") -> None:
    llm.call("task", subagent_type="universal-object-mapping-translator", description=description)
    llm.expect(tool_result="translated").say("done")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def received(session: Session, translations: Translations, *texts: str) -> list[Block]:
    for text in texts:
        await session.send(text)
    return list(unpack(translations.received[-1]))


@pytest.mark.parametrize("text", HARD.values(), ids=HARD.keys())
@pytest.mark.parametrize("written", ["translate class Order", ""], ids=["changed", "empty"])
async def test_translator_gets_the_users_words_whatever_the_model_wrote(
    open_session: Open, llm: FakeLlm, translations: Translations, text: str, written: str
) -> None:
    delegate(llm, written)
    [block] = await received(open_session(ALL), translations, text)
    assert (block.kind, block.sha256) == ("message", sha256(text))


FILES = {
    "src/Shop Models/Order.cs": b"\xef\xbb\xbf" + CLASS.encode(),
    "src/Utf16.cs": "class Č { }\r\n".encode("utf-16"),
    "src/Latin.cs": b"class Caf\xe9 { }\n",
    "src/obj/Generated.cs": b"class Generated { }",
    "notes.md": b"not named",
}


@pytest.fixture
def files(workspace: Any) -> None:
    for path, data in FILES.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_bytes(data)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("translate `src/Shop Models/Order.cs`.", ["src/Shop Models/Order.cs"]),
        ("translate @src/Utf16.cs, and src/Latin.cs!", ["src/Utf16.cs", "src/Latin.cs"]),
        ("translate [Order](file://{root}/src/Shop%20Models/Order.cs)", ["src/Shop Models/Order.cs"]),
        ("translate {root}/src/Latin.cs", ["src/Latin.cs"]),
        ("translate src/", ["src/Latin.cs", "src/Shop Models/Order.cs", "src/Utf16.cs"]),
        ("translate /etc/passwd and ../../x.cs and Missing.cs", []),
        ("```\nsrc/Latin.cs\n```\ntranslate public class A { }", []),
    ],
)
async def test_files_that_the_message_names_come_byte_for_byte(
    open_session: Open, llm: FakeLlm, translations: Translations, text: str, named: list[str]
) -> None:
    session = open_session(ALL)
    delegate(llm)
    said = text.replace("{root}", str(session.workspace).replace(" ", "%20" if "file:" in text else " "))
    if "{root}/src" in text and "file:" not in text:
        said = f"translate `{session.workspace}/src/Latin.cs`"
    message, *blocks = await received(session, translations, said)
    assert message.text == said
    assert [b.path for b in blocks] == [f"/{path}" for path in named]
    for block, path in zip(blocks, named, strict=True):
        assert original_bytes(block.text, block.encoding) == FILES[path]
        assert block.sha256 == hashlib.sha256(FILES[path]).hexdigest()


async def test_earlier_messages_it_refers_to_come_too(
    open_session: Open, llm: FakeLlm, translations: Translations
) -> None:
    session = open_session(ALL)
    llm.say("which database?")
    llm.say("noted")
    delegate(llm)
    first = "I have this:\r\n" + CLASS
    blocks = await received(session, translations, first, "the weather is fine", "yes, to neo4j")
    assert [(b.kind, b.sha256) for b in blocks] == [
        ("message", sha256("yes, to neo4j")),
        ("earlier_message", sha256(first)),
    ]


async def test_message_that_stands_alone_brings_nothing_earlier(
    open_session: Open, llm: FakeLlm, translations: Translations
) -> None:
    llm.say("noted")
    delegate(llm)
    latest = "translate\n```csharp\npublic class Other { }\n```"
    blocks = await received(open_session(ALL), translations, "I have\n" + CLASS, latest)
    assert [b.text for b in blocks] == [latest]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("translate the Order class to MongoDB", ["/src/Shop Models/Order.cs"]),
        ("translate Order: class Order { }", []),
        (
            "translate src/App.csproj",
            ["/src/App.csproj", "/src/Latin.cs", "/src/Shop Models/Order.cs", "/src/Utf16.cs"],
        ),
    ],
)
async def test_classes_and_projects_it_names_are_their_files(
    open_session: Open, llm: FakeLlm, translations: Translations, text: str, named: list[str]
) -> None:
    session = open_session(ALL)
    (session.workspace / "src/App.csproj").write_text("<Project />")
    delegate(llm)
    _, *blocks = await received(session, translations, text)
    assert [b.path for b in blocks] == named


async def test_class_name_of_two_files_is_no_file(open_session: Open, llm: FakeLlm, translations: Translations) -> None:
    session = open_session(ALL)
    for folder in ("a", "b"):
        (session.workspace / folder).mkdir()
        (session.workspace / folder / "Order.cs").write_text("class Order { }")
    delegate(llm)
    assert len(await received(session, translations, "translate Order")) == 1


async def test_attachment_is_a_file_with_the_text_it_was_attached_with(
    open_session: Open, llm: FakeLlm, translations: Translations
) -> None:
    session = open_session(ALL)
    (session.workspace / "Order.cs").write_text("class OnDisk { }")
    delegate(llm)
    parts = ["translate ", "[Order](Order.cs)", "Attached Order.cs:\n" + CLASS]
    content = [{"type": "text", "text": part} for part in parts]
    await session.send({"messages": [{"role": "user", "content": content}]})
    message, block = unpack(translations.received[-1])
    assert message.text == "translate [Order](Order.cs)"
    assert (block.path, block.sha256) == ("/Order.cs", sha256(CLASS))


@pytest.mark.parametrize(
    ("latest", "back"),
    [
        ("translate this query with the classes above: db.Orders.Where(o => o.Id > 1)", True),
        ("use the context I sent before: class Q { }", True),
        ("class Q { } // and translate the class above", False),
        ("translate the orders before 2020: class Q { }", False),
        ("translate this: class Q { }", False),
    ],
)
def test_message_with_code_points_back_only_where_it_says_so(latest: str, back: bool) -> None:
    assert points_back(latest) is back


async def test_request_too_large_is_said_and_not_cut(
    open_session: Open, llm: FakeLlm, translations: Translations
) -> None:
    session = open_session(ALL)
    (session.workspace / "big").mkdir()
    for number in range(410):
        (session.workspace / f"big/C{number}.cs").write_text("class A { }")
    llm.call("task", subagent_type="universal-object-mapping-translator", description="x")
    llm.say("done")
    [result] = results(await session.send("translate big/"))
    assert "name the files or a smaller folder" in result.text
    assert translations.received == []


def asking_translator(received: list[str]) -> Any:
    """Return a translator that asks a person and then runs its node again from the start."""

    def work(state: MessagesState) -> dict[str, Any]:
        received.append(str(state["messages"][-1].content))
        decision = interrupt({"instruction": "accept?", "state": {}})["decision"]
        return {"messages": [AIMessage(f"translated, {decision}")]}

    builder: Any = StateGraph(MessagesState)  # ty: ignore[invalid-argument-type]
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    return builder.compile()


@pytest.mark.parametrize("mode", list(ApprovalMode))
async def test_resume_reads_no_changed_file(open_session: Open, llm: FakeLlm, mode: ApprovalMode) -> None:
    received: list[str] = []
    session = open_session(mode, translator=asking_translator(received))
    file = session.workspace / "A.cs"
    file.write_text("class Before { }")
    delegate(llm)
    [question] = await session.lap({"messages": [{"role": "user", "content": "translate A.cs"}]})
    file.write_text("class After { }")
    await session.send(Command(resume={question.id: {"decision": "accept"}}))
    assert len(set(received)) == 1
    assert unpack(received[-1])[1].text == "class Before { }"


async def test_request_is_kept_by_hash_and_once(open_session: Open, llm: FakeLlm, tmp_path: Any) -> None:
    received: list[str] = []
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
        session = open_session(ALL, translator=asking_translator(received), checkpointer=saver)
        (session.workspace / "A.cs").write_text("class A { } // " + "x" * 200_000)
        delegate(llm)
        [question] = await session.lap({"messages": [{"role": "user", "content": "translate A.cs"}]})
        config: Any = {"configurable": {"thread_id": session.thread}}
        parents = [c async for c in saver.alist(config) if not c.config["configurable"]["checkpoint_ns"]]
        assert all("x" * 1000 not in repr(c.checkpoint) for c in parents)
        await session.send(Command(resume={question.id: {"decision": "accept"}}))


async def test_request_is_kept_while_it_may_be_asked_for_and_no_longer(open_session: Open, llm: FakeLlm) -> None:
    store = InMemoryStore()
    session = open_session(ALL, translator=asking_translator([]), store=store)
    for text in ("translate class A { }", "translate class B { }", "translate class A { }"):
        delegate(llm)
        [question] = await session.lap({"messages": [{"role": "user", "content": text}]})
        [kept] = await store.asearch(NAMESPACE)
        assert text in unpack(kept.value["request"])[0].text
        await session.send(Command(resume={question.id: {"decision": "accept"}}))
        assert await store.asearch(NAMESPACE) == []


async def test_only_the_translation_comes_back(open_session: Open, llm: FakeLlm, translations: Translations) -> None:
    translations.answer = lambda _: "translated " + "x" * 300_000
    session = open_session(ALL)
    llm.call("task", subagent_type="universal-object-mapping-translator", description="x")
    llm.expect(tool_result="x" * 300_000).say("done")
    [result] = results(await session.send("translate class A { }"))
    assert result.text == "translated " + "x" * 300_000

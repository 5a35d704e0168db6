import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.tools import tool

from react_agent.rules_model import CAN_DO, RulesModel, files_in, folder_named

RESULT = """\
```java path=src/main/java/shop/Order.java
package shop;

record Order(String id) {}
```

````xml path=pom.xml
<project>```</project>
````

| entry | verdict |
| --- | --- |
| Orders.All | equivalent_on_suite |
"""
ALL = frozenset({"task", "write_file"})


def asked(text: str) -> AIMessage:
    return model().invoke([HumanMessage(text)])


def model() -> RulesModel:
    return RulesModel(tools=ALL)


def results(message: AIMessage, *outcomes: tuple[str, str]) -> list[ToolMessage]:
    return [
        ToolMessage(text, tool_call_id=call["id"], status=status)
        for call, (text, status) in zip(message.tool_calls, outcomes, strict=True)
    ]


@pytest.mark.parametrize(
    "request_",
    [
        "Translate src/Shop.cs",
        "public class Order { public int Id { get; set; } }",
        "please migrate the data layer in Data/ to neo4j",
        "```csharp\nvar x = 1;\n```",
    ],
)
def test_translation_is_handed_over_with_the_users_text(request_: str) -> None:
    [call] = asked(request_).tool_calls
    assert call["name"] == "task"
    assert call["args"] == {
        "subagent_type": "universal-object-mapping-translator",
        "description": request_,
    }


@pytest.mark.parametrize("request_", ["hello", "what is the weather?", "delete all my files"])
def test_anything_else_is_answered_with_what_it_can_do(request_: str) -> None:
    answer = asked(request_)
    assert (answer.text, answer.tool_calls) == (CAN_DO, [])


def test_without_a_translator_nothing_is_called() -> None:
    assert RulesModel().invoke("translate A.cs").tool_calls == []


def test_files_are_written_in_one_message_below_the_folder_named() -> None:
    request = HumanMessage("translate Shop.cs into `backend/shop/`")
    handed = model().invoke([request])
    writing = model().invoke([request, handed, *results(handed, (RESULT, "success"))])
    assert [(c["name"], c["args"]) for c in writing.tool_calls] == [
        (
            "write_file",
            {
                "file_path": "/backend/shop/src/main/java/shop/Order.java",
                "content": "package shop;\n\nrecord Order(String id) {}\n",
            },
        ),
        (
            "write_file",
            {"file_path": "/backend/shop/pom.xml", "content": "<project>```</project>\n"},
        ),
    ]


def test_closing_gives_the_verdicts_and_says_what_was_not_written() -> None:
    request = HumanMessage("translate Shop.cs")
    handed = model().invoke([request])
    so_far = [request, handed, *results(handed, (RESULT, "success"))]
    writing = model().invoke(so_far)
    said = model().invoke([*so_far, writing, *results(writing, ("ok", "success"), ("rejected: no", "error"))]).text
    assert "| Orders.All | equivalent_on_suite |" in said
    assert "Written:\n- `java/src/main/java/shop/Order.java`" in said
    assert "Not written:\n- `java/pom.xml`: rejected: no" in said
    assert "record Order" not in said


def test_translation_without_files_is_passed_on() -> None:
    request = HumanMessage("translate Shop.cs")
    handed = model().invoke([request])
    said = model().invoke([request, handed, *results(handed, ("Which database?", "success"))])
    assert (said.text, said.tool_calls) == ("Which database?", [])


def test_translation_that_failed_is_said_to_have_failed() -> None:
    request = HumanMessage("translate Shop.cs")
    handed = model().invoke([request])
    said = model().invoke([request, handed, *results(handed, (RESULT, "error"))])
    assert said.text.startswith("The translation did not work.")
    assert said.tool_calls == []


def test_second_request_of_a_conversation_starts_anew() -> None:
    request = HumanMessage("translate Shop.cs")
    handed = model().invoke([request])
    history = [request, handed, *results(handed, (RESULT, "success")), AIMessage("done")]
    assert model().invoke([*history, HumanMessage("now to neo4j")]).tool_calls[0]["name"] == "task"
    assert model().invoke([*history, HumanMessage("thanks")]).text == CAN_DO


@pytest.mark.parametrize("text", ["hello", "translate Shop.cs " + "x" * 10_000])
async def test_streamed_message_is_the_same_message(text: str) -> None:
    chunks = [c async for c in model().astream(text) if isinstance(c, AIMessageChunk)]
    whole = add_ai_message_chunks(*chunks)
    assert len(chunks) > 3
    assert whole.text == asked(text).text
    assert [(c["name"], c["args"]) for c in whole.tool_calls] == [
        (c["name"], c["args"]) for c in asked(text).tool_calls
    ]


def test_tools_are_bound_by_name() -> None:
    @tool
    def task(description: str, subagent_type: str) -> str:
        """Start an agent."""
        return description + subagent_type

    assert RulesModel().bind_tools([task]).invoke("translate A.cs").tool_calls[0]["name"] == "task"


@pytest.mark.parametrize("path", ["../x.java", "/etc/passwd", "a/../../b.java", "~/x"])
def test_path_that_leads_out_is_left_out(path: str) -> None:
    assert files_in(f"```java path={path}\nx\n```\n", "java") == []


@pytest.mark.parametrize(
    ("request_", "folder"),
    [
        ("translate Data/Shop.cs", "java"),
        ("translate Data/Shop.cs to java-spring-data-mongodb", "java"),
        ("translate Data/Shop.cs into services/shop/", "services/shop"),
        ("translate it to the folder out", "out"),
        ("translate to ../../etc/", "java"),
    ],
)
def test_folder_is_the_one_named(request_: str, folder: str) -> None:
    assert folder_named(request_) == folder

"""`uom/rules`: a chat model without a network, which follows one fixed policy.

It reads the request, hands it to the translator, writes the files that come back, and says what it did,
through the same tools and approvals as any other model. It looks at the conversation alone, so a turn goes on
after a restart as it would have before.
"""

import json
import re
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from react_agent.utils import get_message_text

TRANSLATOR = "universal-object-mapping-translator"
FOLDER = "java"
"""Where the files go when the user names no folder."""
PIECE = 2000
"""Characters of a call's arguments in one chunk."""

CODE = re.compile(
    r"\b(?:public|internal)\s+(?:\w+\s+)*(?:class|record|struct|enum|interface)\b|\bDbSet<|\bclass\s+[A-Z]\w*\s*[({:<]|\bDbContext\b"
    r"|```\s*(?:csharp|c#|cs)\b|\.(?:Where|Select|Include|OrderBy|GroupBy|ToListAsync)\w*\("
)
CSHARP_PATH = re.compile(r"[\w./\\-]+\.(?:cs|csproj|sln|slnx)\b")
WISH = re.compile(
    r"\b(?:translat|migrat|convert|port(?:s|ed|ing)?\b|move|rewrite|prove)|\bspring data\b|\bneo4j\b|\bmongodb\b",
    re.IGNORECASE,
)
INTO = re.compile(
    r"\b(?:in)?to\s+(?:the\s+)?(?:(?:folder|directory)\s+[`\"']?(?P<named>[\w.][\w./-]*)"
    r"|[`\"']?(?P<slashed>[\w.][\w./-]*/)(?=[`\"'\s.,;]|$))",
    re.IGNORECASE,
)
FILE_BLOCK = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[ \t]*\w*[ \t]+path=(?P<path>[^\n]+?)[ \t]*\n(?P<text>.*?)^(?P=fence)[ \t]*$\n?",
    re.MULTILINE | re.DOTALL,
)
SAFE_PATH = re.compile(r"(?!.*(?:^|/)\.\.(?:/|$))[\w.][\w./ -]*")

CAN_DO = (
    "I am `uom/rules`, which works without a language model. I translate a data layer: C# with Entity Framework Core "
    "to Java with Spring Data MongoDB, run both sides, and write the Java files. Paste the "
    "entities, the `DbContext` and the queries, or name their files or folder, and say which database to go to. For "
    "anything else, choose another model (set `OPENAI_API_KEY`)."
)


class RulesModel(BaseChatModel):
    """The fixed policy as a chat model."""

    tools: frozenset[str] = frozenset()
    """Names of the tools it may call."""

    @property
    def _llm_type(self) -> str:
        return "uom-rules"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        """Return a model that may call these tools."""
        names = (convert_to_openai_tool(tool)["function"]["name"] for tool in tools)
        return self.model_copy(update={"tools": frozenset(names)})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **_: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=answer(messages, self.tools))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in streamed(answer(messages, self.tools)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 LangChain's signature
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in streamed(answer(messages, self.tools)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def answer(messages: Sequence[BaseMessage], tools: frozenset[str]) -> AIMessage:
    """Return the next message of a conversation."""
    asked, since = this_turn(messages)
    if asked is None:
        return AIMessage(content=CAN_DO)
    request = get_message_text(asked)
    translation = result_of(since, "task")
    if translation is None:
        if "task" in tools and wants_translation(request):
            return calling([("task", {"subagent_type": TRANSLATOR, "description": request})])
        return AIMessage(content=CAN_DO)
    text = get_message_text(translation)
    files = files_in(text, folder_named(request))
    written = [m for m in since if isinstance(m, ToolMessage) and m.tool_call_id != translation.tool_call_id]
    if files and not written and "write_file" in tools and translation.status != "error":
        return calling([("write_file", {"file_path": p, "content": c}) for p, c in files])
    return AIMessage(content=closing(text, calls_of(since), written, failed=translation.status == "error"))


def this_turn(messages: Sequence[BaseMessage]) -> tuple[HumanMessage | None, list[BaseMessage]]:
    """Return the user's latest message and what came after it."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, HumanMessage) and not message.additional_kwargs.get("lc_source"):
            return message, list(messages[place + 1 :])
    return None, []


def wants_translation(request: str) -> bool:
    """Whether a message brings C# code, names C# files, or asks for a translation."""
    return any(pattern.search(request) for pattern in (CODE, CSHARP_PATH, WISH))


def calls_of(messages: Sequence[BaseMessage]) -> dict[str, ToolCall]:
    """Return the tool calls of some messages by id."""
    return {
        str(call["id"]): call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls
    }


def result_of(messages: Sequence[BaseMessage], tool: str) -> ToolMessage | None:
    """Return the last result of a tool."""
    calls = calls_of(messages)
    results = [m for m in messages if isinstance(m, ToolMessage)]
    of_tool = [m for m in results if calls.get(m.tool_call_id, {}).get("name") == tool]
    return of_tool[-1] if of_tool else None


def folder_named(request: str) -> str:
    """Return the folder the user wants the files in."""
    prose = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", request, flags=re.MULTILINE | re.DOTALL)
    found = [m.group("named") or m.group("slashed") for m in INTO.finditer(prose)]
    usable = [folder.strip("/.") for folder in found if SAFE_PATH.fullmatch(folder)]
    return next((folder for folder in reversed(usable) if folder), FOLDER)


def files_in(text: str, folder: str) -> list[tuple[str, str]]:
    """Return the files of a translation as workspace path and text; a path that leads out is left out."""
    return [
        (f"/{folder}/{match.group('path')}", match.group("text"))
        for match in FILE_BLOCK.finditer(text)
        if SAFE_PATH.fullmatch(match.group("path"))
    ]


def calling(calls: Sequence[tuple[str, dict[str, Any]]]) -> AIMessage:
    """Return a message that calls tools."""
    return AIMessage(
        content="",
        tool_calls=[ToolCall(name=name, args=args, id=f"call_{uuid.uuid4().hex}") for name, args in calls],
    )


def closing(text: str, calls: dict[str, ToolCall], written: Sequence[ToolMessage], *, failed: bool) -> str:
    """Say what the translator found, and which files were written and which were not."""
    if failed:
        return f"The translation did not work.\n\n{text}"
    said = [FILE_BLOCK.sub("", text).strip()]
    done = [m for m in written if m.status != "error"]
    undone = [m for m in written if m.status == "error"]
    if done:
        said.append("Written:\n" + "\n".join(f"- `{_path(calls, m)}`" for m in done))
    if undone:
        reasons = "\n".join(f"- `{_path(calls, m)}`: {get_message_text(m)}" for m in undone)
        said.append(f"Not written:\n{reasons}")
    if FILE_BLOCK.search(text) and not written:
        said.append("No file was written.")
    return "\n\n".join(part for part in said if part) or "The translator gave no answer."


def _path(calls: dict[str, ToolCall], message: ToolMessage) -> str:
    args = calls.get(message.tool_call_id, {}).get("args", {})
    return str(args.get("file_path", message.tool_call_id)).lstrip("/")


def streamed(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Cut a message into the chunks a model would stream."""
    identity = f"run-{uuid.uuid4()}"
    for piece in re.findall(r"\S+\s*|\s+", str(message.content)):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece, id=identity))
    for place, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        for start in range(0, len(arguments), PIECE):
            first = start == 0
            chunk = tool_call_chunk(
                name=call["name"] if first else None,
                args=arguments[start : start + PIECE],
                id=call["id"] if first else None,
                index=place,
            )
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk], id=identity))
    yield ChatGenerationChunk(
        message=AIMessageChunk(content="", id=identity, chunk_position="last"),
        generation_info={"finish_reason": "tool_calls" if message.tool_calls else "stop"},
    )

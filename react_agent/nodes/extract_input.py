"""extract_input: the user's text becomes source files, frameworks and scope.

Code is sliced out of the text as it was given, never repeated by a model.
"""

import re
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.frameworks import FrameworkEnum, TranslationType, UnknownTarget, target_named
from react_agent.model.translation import SourceFile
from react_agent.nodes.working import settings
from react_agent.request import MAGIC, Block, RequestFault, unpack
from react_agent.routes import Outcome
from react_agent.state import State
from react_agent.utils import get_message_text
from react_agent.workbench import load_sources, store_json, store_sources

_FENCE = re.compile(
    r"^(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=mark)[`~]*[ \t\r]*$", re.DOTALL | re.MULTILINE
)
_CSHARP_INFO = re.compile(r"^(c#|cs|csharp)\b", re.IGNORECASE)
_PATH_INFO = re.compile(r"(?:path=)?(?P<path>[\w./\\-]+\.cs)\b")
_CSHARP_TEXT = re.compile(
    r"^\s*(using\s+[\w.]+\s*;|namespace\s+[\w.]+|(public|internal)\s+(sealed\s+|static\s+|abstract\s+|partial\s+)*(class|record|enum|interface)\b)",
    re.MULTILINE,
)
_NEO4J = re.compile(r"\bneo4j\b|\bcypher\b", re.IGNORECASE)
_MONGODB = re.compile(r"\bmongo(db)?\b", re.IGNORECASE)
_SCHEMA_ONLY = re.compile(
    r"\b(only|just)\s+the\s+(schema|entities|mapping|model)\b|\b(schema|entities)\s+only\b", re.IGNORECASE
)
_QUERY_ONLY = re.compile(r"\b(only|just)\s+the\s+(quer(y|ies)|linq)\b|\bquer(y|ies)\s+only\b", re.IGNORECASE)
_DB_CONTEXT = re.compile(r"\bDbContext\b")


async def extract_input(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Read the latest request and reset everything that belongs to one translation."""
    request = _latest_request(state.messages)
    text = get_message_text(request) if request else ""
    try:
        blocks = unpack(text)
        default = target_named(settings(runtime).target)
    except (RequestFault, UnknownTarget) as fault:
        return _reset() | {"outcome": Outcome.STOP, "explanation_message": str(fault)}
    files = _files(blocks) or await _given(state)
    words = "\n".join(block.text for block in blocks if block.kind == "message")
    prose = _FENCE.sub("", words)
    found = {
        "sources": await store_sources(files) if files else None,
        # Plain text: under strict msgpack an enum comes back as text anyway.
        "destination_target": str(_target(prose) or state.destination_target or default),
        "source_target": str(state.source_target or FrameworkEnum.DOTNET_EFCORE),
        "translation_type": str(state.translation_type or _scope(prose, files)),
        **await _shortened(request, words, files),
    }
    if not files:
        return _reset() | found | {"outcome": Outcome.QUESTION, "explanation_message": NO_CODE}
    return _reset() | found


def code_of(files: Sequence[SourceFile]) -> dict[str, str | None]:
    """The C# as the two fields of the output: files that hold a `DbContext`, and the others, verbatim."""
    schema = [file.text for file in files if _DB_CONTEXT.search(file.text)]
    queries = [file.text for file in files if not _DB_CONTEXT.search(file.text)]
    return {
        "source_schema_code": "\n".join(schema) or None,
        "source_query_code": "\n".join(queries or schema) or None,
    }


LONG = 4000
"""How many characters a message may have that stays in every checkpoint of a run."""


async def _shortened(request: HumanMessage | None, words: str, files: Sequence[SourceFile]) -> dict[str, Any]:
    """Keep a long request by reference: its files would stand in every checkpoint otherwise.

    What a person wrote returns to the chat in the end; a packed request is the caller's, who has it.
    """
    text = get_message_text(request) if request is not None else ""
    packed = text.startswith(MAGIC)
    if request is None or request.id is None or not (packed or (len(text) > LONG and text == request.content)):
        return {}
    names = ", ".join(file.path for file in files) or "no file"
    short = HumanMessage(f"{_FENCE.sub('', words).strip()[:2000]}\n\n[with {names}]", id=request.id)
    kept = None if packed else {**await store_json(text), "message": request.id}
    return {"messages": [short], "request": kept}


NO_CODE = (
    "Which C# is to be moved? Paste the entities, the DbContext and the queries, or name their files "
    "(for example Data/ShopContext.cs and Data/OrderQueries.cs)."
)
"""The one question asked when a request holds no C#."""


def _reset() -> dict[str, Any]:
    return {
        "run": uuid.uuid4().hex,
        "source_schema_code": None,
        "source_query_code": None,
        "failure": None,
        "extraction_loop_count": 0,
        "translated_schema_code": None,
        "translated_query_code": None,
        "source_validation_schema_code": None,
        "source_validation_harness_code": None,
        "target_validation_schema_code": None,
        "target_validation_harness_code": None,
        "source_validation_entry_type_name": None,
        "target_validation_entry_type_name": None,
        "source_query_validation_results": None,
        "target_query_validation_results": None,
        "query_equivalence_deep_diffs": None,
        "explanation_message": None,
        "schema_context": "",
        "translation_messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        "ui_messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        "translation_loop_count": 0,
        "harness_error_count": 0,
        "request": None,
        "translation": None,
        "proof": None,
        "report": None,
        "outcome": Outcome.GO_ON,
    }


def _latest_request(messages: Sequence[AnyMessage]) -> HumanMessage | None:
    return next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)


def _files(blocks: Sequence[Block]) -> tuple[SourceFile, ...]:
    # The agent's `/` is the workspace; what is stored of a file is named from there.
    files = [SourceFile(path=b.path.lstrip("/"), text=b.text) for b in blocks if b.path and b.path.endswith(".cs")]
    for block in blocks:
        if block.kind != "file":
            files += _pasted(block.text, len(files))
    return tuple(dict.fromkeys(files))


def _pasted(text: str, before: int) -> list[SourceFile]:
    fences = [m for m in _FENCE.finditer(text) if _is_csharp(m["info"], m["code"])]
    if fences:
        return [SourceFile(path=_path(m["info"], before + at), text=m["code"]) for at, m in enumerate(fences)]
    first = _CSHARP_TEXT.search(text)
    return [SourceFile(path=_path("", before), text=text[first.start() :])] if first else []


def _is_csharp(info: str, code: str) -> bool:
    return bool(_CSHARP_INFO.match(info) or _PATH_INFO.search(info) or (not info.strip() and _CSHARP_TEXT.search(code)))


def _path(info: str, number: int) -> str:
    named = _PATH_INFO.search(info)
    return named["path"].replace("\\", "/") if named else f"Pasted{number + 1}.cs"


async def _given(state: State) -> tuple[SourceFile, ...]:
    """Code that the caller put into the state's fields, else that of the turn before."""
    parts = {"Schema.cs": state.source_schema_code, "Query.cs": state.source_query_code}
    files = tuple(SourceFile(path=path, text=text) for path, text in parts.items() if text)
    if len({file.text for file in files}) < len(files):
        files = files[:1]
    return files or (await load_sources(state.sources) if state.sources else ())


def _target(prose: str) -> FrameworkEnum | None:
    if _NEO4J.search(prose) and not _MONGODB.search(prose):
        return FrameworkEnum.JAVA_SPRING_DATA_NEO4J
    return FrameworkEnum.JAVA_SPRING_DATA_MONGODB if _MONGODB.search(prose) else None


def _scope(prose: str, files: Sequence[SourceFile]) -> TranslationType:
    if _SCHEMA_ONLY.search(prose):
        return TranslationType.SCHEMA
    if _QUERY_ONLY.search(prose) and any(_DB_CONTEXT.search(f.text) for f in files):
        return TranslationType.QUERY
    return TranslationType.BOTH

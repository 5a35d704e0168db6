"""What a message refers to: files of the workspace, and what was said before."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from deepagents.backends.protocol import BackendProtocol
from langchain_core.messages import AnyMessage, HumanMessage

from react_agent.request import Block, decode
from uom_deep_agent.workspace import OutsideWorkspace, WorkspaceFiles

MOST_FILES = 400
"""Files one request may carry; a whole data layer has fewer."""
MOST_BYTES = 8_000_000
"""Bytes of files one request may carry."""
MOST_CANDIDATES = 400
"""Words of a message looked up as paths."""

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(
    r"\b(?:public|internal|private|protected)\s+(?:\w+\s+)*(?:class|record|struct|enum|interface|async)\b"
    r"|\b(?:class|record|struct|enum|interface)\s+[A-Z]\w*\s*[({:<]|\bDbSet<|\bDbContext\b\s*[({:]"
    r"|\bnamespace\s+[\w.]+\s*[;{]|^using\s+[\w.]+;"
    r"|\.(?:Where|Select|Include|OrderBy|GroupBy|ToListAsync|FirstOrDefault)\w*\(",
    re.MULTILINE,
)
BACK = re.compile(
    r"\b(?:above|earlier|previous(?:ly)?|preceding)\b"
    r"|\b(?:as|from|like|given|sent|pasted|showed|posted|mentioned|said)\s+before\b",
    re.IGNORECASE,
)
ATTACHED = re.compile(r"\AAttached ([^\n]+):\n")
"""How an editor's attachment begins; it is a content block of its own."""
CLASS_NAME = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)?\b")
PROJECT = (".csproj", ".sln", ".slnx")
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|\]\(<?([^)>\n]+)>?\)")
URI = re.compile(r"file://[^\s)>\]\"'`]+")
WORD = re.compile(r"@?[^\s`\"'<>|()\[\]{},;]+")
PATH_ENDING = re.compile(r"\.(?:cs|csproj|sln|slnx|json|sql|md|txt|java|xml)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """What one message says, and the files that came with it."""

    text: str
    attached: tuple[Block, ...] = ()


def said_by(message: AnyMessage) -> Said:
    """Return a message's text as it was given, and its attachments apart, each a file."""
    content = message.content
    if isinstance(content, str):
        return Said(content)
    parts = [block if isinstance(block, str) else str(block.get("text", "")) for block in content]
    words = "".join(part for part in parts if not ATTACHED.match(part))
    return Said(words, tuple(_attachment(part) for part in parts if ATTACHED.match(part)))


def _attachment(part: str) -> Block:
    head = ATTACHED.match(part)
    assert head
    label = head.group(1)
    path = label if label.startswith("/") or "://" in label else f"/{label}"
    return Block(kind="file", path=path, text=part[head.end() :])


def user_messages(messages: Sequence[AnyMessage]) -> list[HumanMessage]:
    """Return what the user wrote, without what middleware put in their name."""
    return [m for m in messages if isinstance(m, HumanMessage) and not m.additional_kwargs.get("lc_source")]


def has_code(text: str) -> bool:
    """Whether a text holds C# code."""
    return CODE.search(text) is not None


def candidates(text: str, root: Path) -> list[str]:
    """Return the words of a message that may be workspace paths, as `/…`, in their order.

    Code is not searched: its names are no paths, and a megabyte of it would be.
    """
    prose = FENCE.sub("\n", text)
    found = (_workspace_path(word, root, quoted=quoted) for word, quoted in _possible_paths(prose))
    return list(dict.fromkeys(path for path in found if path))[:MOST_CANDIDATES]


def _possible_paths(prose: str) -> Iterator[tuple[str, bool]]:
    for match in URI.finditer(prose):
        yield match.group(), True
    for match in QUOTED.finditer(prose):
        yield next(group for group in match.groups() if group), True
    for match in WORD.finditer(prose):
        yield match.group().rstrip(".:!?"), False


def _workspace_path(word: str, root: Path, *, quoted: bool) -> str | None:
    marked = word.startswith("@")
    path = word.removeprefix("@")
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    elif "://" in path:
        return None
    if path.startswith(f"{root}/"):
        path = path.removeprefix(str(root))
    looks_so = "/" in path or PATH_ENDING.search(path) or marked or quoted
    if not path or not looks_so or "\x00" in path or len(path) > 1000:
        return None
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    return "/" + "/".join(parts) if parts and ".." not in parts else None


async def files_named(text: str, *, root: Path, files: WorkspaceFiles, search: BackendProtocol) -> list[Block]:
    """Read the workspace files a text names; a folder stands for the C# files below it.

    Raises:
        ValueError: It names more than a request may carry, or a file that may not be read.
    """
    blocks: dict[str, Block] = {}
    size = 0
    for path in candidates(text, root):
        for name in await _expanded(path, root, search):
            if name in blocks:
                continue
            block = await _file(name, files)
            if block:
                blocks[name] = block
                size += len(block.text)
            if len(blocks) > MOST_FILES or size > MOST_BYTES:
                raise ValueError(
                    f"the request names more than {MOST_FILES} files or {MOST_BYTES} bytes (at "
                    f"{path}); name the files or a smaller folder"
                )
    return list(blocks.values())


async def _expanded(path: str, root: Path, search: BackendProtocol) -> list[str]:
    if path.endswith(PROJECT) and (root / path.lstrip("/")).is_file():
        return [path, *await _sources(path.rpartition("/")[0] or "/", search)]
    return await _sources(path, search) if (root / path.lstrip("/")).is_dir() else [path]


async def _sources(folder: str, search: BackendProtocol) -> list[str]:
    """Return the C# files below a folder, without what a build wrote."""
    found = await search.aglob("**/*.cs", folder)
    names = sorted(info["path"] for info in found.matches or [])
    return [name for name in names if not {"bin", "obj"} & set(name.split("/"))]


async def _files_of_classes(text: str, *, files: WorkspaceFiles, search: BackendProtocol) -> list[Block]:
    """Read the files of the classes a text names, where one file has that name and no other."""
    named = set(CLASS_NAME.findall(FENCE.sub("\n", text)))
    if not named:
        return []
    sources = await _sources("/", search)
    stems = Counter(PurePosixPath(path).stem for path in sources)
    wanted = [path for path in sources if (stem := PurePosixPath(path).stem) in named and stems[stem] == 1]
    found = [await _file(path, files) for path in wanted]
    return [block for block in found if block]


async def _file(path: str, files: WorkspaceFiles) -> Block | None:
    try:
        data = await files.read_bytes(path)
    except OutsideWorkspace:
        return None
    except PermissionError as refused:
        # Left out, the translation would be of something else than what was named.
        raise ValueError(f"{path} cannot be read: {refused.strerror or refused}") from None
    except (OSError, ValueError):
        return None  # a word that looks like a path and is none
    text, encoding = decode(data)
    if "\x00" in text:
        return None
    return Block(kind="file", path=path, text=text, encoding=encoding)


async def request_blocks(
    messages: Sequence[AnyMessage],
    *,
    root: Path,
    files: WorkspaceFiles,
    search: BackendProtocol,
) -> list[Block]:
    """Return the user's latest message and all that it refers to, word for word.

    Files it names or that are attached come with it; without any, and without code, the files of the classes it
    names. When it points back, or brings nothing of its own, the earlier messages that hold code or name files
    come too, with those files.
    """
    said = [said_by(message) for message in user_messages(messages)]
    if not said:
        return []
    latest = said.pop()
    found = await _files_of(latest, root=root, files=files, search=search)
    stands_alone = has_code(latest.text) or bool(found)
    if not stands_alone:
        found = await _files_of_classes(latest.text, files=files, search=search)
    blocks = {str(block.path): block for block in found}
    earlier: list[Block] = []
    if (not blocks and not stands_alone) or points_back(latest.text):
        for message in said:
            before = await _files_of(message, root=root, files=files, search=search)
            if has_code(message.text) or before:
                earlier.append(Block(kind="earlier_message", text=message.text))
                blocks = {**{str(b.path): b for b in before}, **blocks}
    return [Block(kind="message", text=latest.text), *earlier, *blocks.values()]


async def _files_of(said: Said, *, root: Path, files: WorkspaceFiles, search: BackendProtocol) -> list[Block]:
    """Return a message's attachments and the other files it names; what was attached is what was meant."""
    attached = {str(block.path): block for block in said.attached}
    named = await files_named(said.text, root=root, files=files, search=search)
    return [*attached.values(), *(block for block in named if block.path not in attached)]


def points_back(text: str) -> bool:
    """Whether a text refers to earlier messages; "above" after its own code means that code."""
    prose = FENCE.sub(lambda fence: " " * len(fence.group()), text)
    found = BACK.search(prose)
    return found is not None and not has_code(text[: found.start()])

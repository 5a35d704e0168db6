"""Turn the blocks of an ACP prompt into what a chat model reads; the person's text stays as it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from uom_acp.errors import UnsupportedContent

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock
ModelContent = str | list[str | dict[Any, Any]]


def shown_path(uri: str, cwd: Path) -> str:
    """Name a linked file as the agent's tools know it: relative to the workspace where it lies in it."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = Path(url2pathname(parts.path))
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)


def block_of(block: Block, cwd: Path) -> dict[str, Any]:
    """Turn one block."""
    match block:
        case TextContentBlock():
            return {"type": "text", "text": block.text}
        case ResourceContentBlock():
            return {"type": "text", "text": f"[{block.name}]({shown_path(block.uri, cwd)})"}
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            label = shown_path(resource.uri, cwd)
            return {"type": "text", "text": f"Attached {label}:\n{resource.text}"}
        case EmbeddedResourceContentBlock():
            named = shown_path(block.resource.uri, cwd)
            raise UnsupportedContent(f"{named} is not text. Attach text files, or name the file's path.")
        case ImageContentBlock():
            url = f"data:{block.mime_type};base64,{block.data}"
            return {"type": "image_url", "image_url": {"url": url}}
        case AudioContentBlock():
            raise UnsupportedContent("Audio is not read by this agent. Send text instead.")


def model_content(prompt: Sequence[Block], cwd: Path) -> ModelContent:
    """Turn a prompt; one of text alone stays plain text."""
    blocks: list[str | dict[Any, Any]] = []
    blocks += [block_of(block, cwd) for block in prompt]
    if not blocks:
        raise UnsupportedContent("The prompt is empty. Send some text.")
    match blocks:
        case [{"type": "text", "text": str(text)}]:
            return text
    return blocks


def said_text(prompt: Sequence[Block]) -> str:
    """Give the words of a prompt alone, for a title or for feedback."""
    return "\n".join(block.text for block in prompt if isinstance(block, TextContentBlock))

"""The translator's input: the user's own words and files as length-prefixed blocks.

One place knows the format, so that what is packed is what is unpacked. A length says where a block
ends, never a mark in the text, so code fences, other packed requests or anything else inside a block
stay what they are. The hash lets the reader say that every byte arrived.

A packed request is a first line ``uom-request 1 N`` with the number of blocks, then for each block one
line of JSON (kind, path, chars, encoding, sha256), a line feed, exactly ``chars`` characters of text,
and a line feed.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MAGIC = "uom-request 1 "
"""How a packed request starts; any other text is one message."""

Kind = Literal["message", "earlier_message", "file"]
KINDS: tuple[Kind, ...] = ("message", "earlier_message", "file")

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1")
"""Encodings that give back the same bytes for everything they decoded."""


class RequestFault(ValueError):
    """A packed request is damaged: what is wrong, in which block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One message or file, with its text as it was given."""

    kind: Kind
    """`message` is the request itself; `earlier_message` and `file` are what it refers to."""
    text: str
    """Decoded without any change: line endings, a byte order mark and a last newline are in it."""
    path: str | None = None
    """Workspace path of a file; None for a message."""
    encoding: str = "utf-8"
    """How a file's bytes were decoded; encoding the text again gives the same bytes."""
    start: int = 0
    """Where the text begins in the packed request, for slicing; 0 before packing."""

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the original bytes."""
        return hashlib.sha256(original_bytes(self.text, self.encoding)).hexdigest()

    @property
    def end(self) -> int:
        """Return the position after the text in the packed request."""
        return self.start + len(self.text)


def original_bytes(text: str, encoding: str = "utf-8") -> bytes:
    """Encode a block's text as it was; lone surrogates, which JSON can carry, survive in UTF-8."""
    return text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "strict")


def decode(data: bytes) -> tuple[str, str]:
    """Decode bytes so that encoding gives them back; the byte order mark stays in the text.

    A file that is neither UTF-8 nor marked as UTF-16 or UTF-32 is read as Latin-1, which
    maps every byte to one character and loses none.
    """
    marks = (
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    )
    marked = [encoding for mark, encoding in marks if data.startswith(mark)]
    for encoding in [*marked, "utf-8"]:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def pack(blocks: Sequence[Block]) -> str:
    """Join blocks to one text that `unpack` takes apart again, character for character."""
    parts = [f"{MAGIC}{len(blocks)}\n"]
    for block in blocks:
        header = {
            "kind": block.kind,
            "path": block.path,
            "chars": len(block.text),
            "encoding": block.encoding,
            "sha256": block.sha256,
        }
        parts += [json.dumps(header), "\n", block.text, "\n"]
    return "".join(parts)


def unpack(text: str) -> tuple[Block, ...]:
    """Take a request apart; `text[block.start:block.end]` is each block's text.

    Text that was not packed, as a person types it, is one message.

    Raises:
        RequestFault: The text starts like a packed request and is cut, changed or malformed.
    """
    if not text.startswith(MAGIC):
        return (Block(kind="message", text=text),)
    line_end = _line_end(text, 0, "the first line")
    count = text[len(MAGIC) : line_end]
    if not count.isdecimal():
        raise RequestFault(f"packed request: {count!r} is not a number of blocks")
    blocks: list[Block] = []
    position = line_end + 1
    for number in range(1, int(count) + 1):
        block = _read_block(text, position, f"block {number} of {count}")
        blocks.append(block)
        position = block.end + 1
    if position != len(text):
        raise RequestFault(f"packed request: {len(text) - position} characters after the last block")
    return tuple(blocks)


def _line_end(text: str, start: int, where: str) -> int:
    end = text.find("\n", start)
    if end < 0:
        raise RequestFault(f"packed request: {where} has no end; the request was cut")
    return end


def _read_block(text: str, position: int, where: str) -> Block:
    line_end = _line_end(text, position, f"the header of {where}")
    try:
        header = json.loads(text[position:line_end])
        kind, path, chars = header["kind"], header["path"], header["chars"]
        encoding, digest = header["encoding"], header["sha256"]
    except (ValueError, TypeError, KeyError) as error:
        raise RequestFault(f"packed request: the header of {where} is malformed: {error}") from error
    well_formed = (
        kind in KINDS
        and isinstance(chars, int)
        and chars >= 0
        and encoding in ENCODINGS
        and (path is None or isinstance(path, str))
    )
    if not well_formed:
        raise RequestFault(f"packed request: the header of {where} has values that cannot be")
    start = line_end + 1
    body = text[start : start + chars]
    if len(body) != chars or text[start + chars : start + chars + 1] != "\n":
        raise RequestFault(f"packed request: {where} is not {chars} characters long")
    block = Block(kind=kind, text=body, path=path, encoding=encoding, start=start)
    if block.sha256 != digest:
        raise RequestFault(f"packed request: the text of {where} is not the one that was packed")
    return block

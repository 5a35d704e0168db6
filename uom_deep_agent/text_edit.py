"""Change text inside a file's bytes and leave every other byte as it was."""

import re

from react_agent.request import decode, original_bytes

NEWLINE = re.compile(r"\r\n|\n|\r")


class EditFault(ValueError):
    """An edit cannot be made: why, and what to send instead."""


def text_of(data: bytes) -> str:
    """Return a file's text as a model sees it: line feeds only, no byte order mark.

    Raises:
        EditFault: The bytes are not text.
    """
    text, encoding = decode(data)
    if "\x00" in text:
        raise EditFault(f"it is not text (read as {encoding}, it holds NUL characters)")
    return NEWLINE.sub("\n", text.removeprefix("\ufeff"))


def replaced(data: bytes, old: str, new: str, *, replace_all: bool = False) -> tuple[bytes, int]:
    """Replace `old` by `new` in a file's bytes; return the new bytes and how often it was found.

    A line break in `old` matches any line ending, because a model sees line feeds only. Line endings,
    byte order mark, encoding and the last newline of what is not replaced stay; the
    replacement takes the line ending of the place it goes to.

    Raises:
        EditFault: `old` is empty, not found, found more than once, or `new` does not fit the encoding.
    """
    old, new = NEWLINE.sub("\n", old), NEWLINE.sub("\n", new)
    if not old:
        raise EditFault("old_string is empty; give the text to replace")
    if old == new:
        raise EditFault("old_string and new_string are the same")
    text, encoding = decode(data)
    found = list(re.finditer(_any_ending(old), text))
    if not found:
        raise EditFault(_not_found(text, old))
    if len(found) > 1 and not replace_all:
        raise EditFault(f"old_string appears {len(found)} times; add lines around it, or set replace_all")
    ending = _ending(text)
    parts, last = [], 0
    for match in found:
        parts += [text[last : match.start()], _merged(match.group(), old, new, ending)]
        last = match.end()
    return _encoded("".join([*parts, text[last:]]), encoding), len(found)


def rewritten(data: bytes | None, content: str) -> bytes:
    """Return the bytes of a file whose whole text is replaced; a new file is UTF-8, as given.

    A file that exists keeps its encoding, byte order mark and line endings where `content`, written
    with line feeds only, does not say otherwise; so a review shows the changed lines and not all of them.

    Raises:
        EditFault: `content` does not fit the file's encoding.
    """
    if not data:
        return _encoded(content, "utf-8")
    text, encoding = decode(data)
    if "\r" not in content and not _mixed(text):
        content = content.replace("\n", _ending(text))
    if text.startswith("\ufeff") and not content.startswith("\ufeff"):
        content = "\ufeff" + content
    return _encoded(content, encoding)


def _any_ending(old: str) -> str:
    return r"(?:\r\n|(?<!\r)\n|\r(?!\n))".join(re.escape(line) for line in old.split("\n"))


def _ending(text: str) -> str:
    endings = NEWLINE.findall(text)
    return max(("\n", "\r\n", "\r"), key=endings.count) if endings else "\n"


def _mixed(text: str) -> bool:
    return len(set(NEWLINE.findall(text))) > 1


def _merged(segment: str, old: str, new: str, ending: str) -> str:
    """Put `new` where `segment`, which reads as `old`, stands; what both share stays untouched."""
    limit = min(len(old), len(new))
    head = next((i for i in range(limit) if old[i] != new[i]), limit)
    rest = limit - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    starts = [m.start() for m in re.finditer(r"\r\n|[\s\S]", segment)] + [len(segment)]
    middle = new[head : len(new) - tail]
    endings = NEWLINE.findall(segment)
    here = endings[0] if endings else ending
    return segment[: starts[head]] + middle.replace("\n", here) + segment[starts[len(old) - tail] :]


def _not_found(text: str, old: str) -> str:
    if old.endswith("\n") and re.search(_any_ending(old.rstrip("\n")) + r"\Z", text):
        return "old_string ends with a newline and the file does not; leave the newline out"
    return "old_string was not found; read the file again and copy the text exactly"


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return original_bytes(text, encoding)
    except UnicodeEncodeError as error:
        raise EditFault(
            f"the file is {encoding} and cannot hold {text[error.start]!r}; convert it to UTF-8 first"
        ) from error

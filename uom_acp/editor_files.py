"""The workspace through the editor: unsaved text is read, and writes appear in its review.

Editors hand out text with their own idea of line ends and byte order marks. The bytes on the disk
decide: text that only differs in these is the file as it is on the disk, and what an editor saved
differently is put right.
"""

import asyncio
import codecs
import logging

from acp import RequestError

from uom_acp.editor import Editor
from uom_acp.errors import RESOURCE_NOT_FOUND
from uom_acp.log import masked
from uom_deep_agent.workspace import LocalFiles, WorkspaceFiles

log = logging.getLogger(__name__)

METHOD_NOT_FOUND = -32601
LARGEST_THROUGH_EDITOR = 4 * 1024 * 1024


def text_of(data: bytes) -> str | None:
    """Read bytes as an editor's text; None for what an editor must not touch (other encodings, marks)."""
    if data.startswith(codecs.BOM_UTF8) or b"\0" in data or len(data) > LARGEST_THROUGH_EDITOR:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _reason(error: RequestError) -> str:
    """Give the editor's own words, where it has any besides the name of the code."""
    details = error.data.get("details") if isinstance(error.data, dict) else error.data
    words = details if isinstance(details, str) else str(error)
    return "" if words in {"", "Internal error", "Invalid params"} else f" ({masked(words.rstrip('.'))[:200]})"


def with_line_feeds(text: str) -> str:
    """Normalise line ends, the way editors hold text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_line_ends_of(text: str, disk: str) -> str:
    """Give an editor's text the line ends of the file, where the file has one kind."""
    if "\r" in text or "\r\n" not in disk or disk.count("\n") != disk.count("\r\n"):
        return text
    return text.replace("\n", "\r\n")


class EditorFiles:
    """Files below the session's folder, through the editor where it offers that, else on the disk."""

    def __init__(self, editor: Editor, session_id: str, disk: LocalFiles) -> None:
        self._editor, self._session_id, self._disk = editor, session_id, disk

    async def read_bytes(self, path: str) -> bytes:
        """Read a file, the editor's unsaved text included; what the editor refuses is not read from the disk instead.

        Editors answer for a file that is not there with an error of any code: where the disk has none either, none is
        there, and it can be written.

        Raises:
            FileNotFoundError: the file is not there.
            PermissionError: the editor refused a file that is there.
        """
        on_disk = await self._on_disk(path)
        disk_text = None if on_disk is None else text_of(on_disk)
        if not self._editor.offers.read_files or (on_disk is not None and disk_text is None):
            return self._found(path, on_disk)
        try:
            text = await self._unsaved(path)
        except PermissionError:
            if on_disk is not None:
                raise
            text = None
        if text is None:
            return self._found(path, on_disk)
        if disk_text is not None and with_line_feeds(text) == with_line_feeds(disk_text):
            return self._found(path, on_disk)
        return with_line_ends_of(text, disk_text or "").encode("utf-8", "surrogatepass")

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write through the editor; then make the saved bytes the ones that were asked for."""
        text = text_of(data)
        on_disk = await self._on_disk(path)
        overwritten = on_disk is None or text_of(on_disk) is not None
        if not self._editor.offers.write_files or text is None or not overwritten:
            await self._disk.write_bytes(path, data)
            return
        try:
            await self._editor.request("fs/write_text_file", {**self._asked(path), "content": text})
        except RequestError as error:
            if error.code != METHOD_NOT_FOUND:
                raise PermissionError(f"the editor refused to{_reason(error)}; nothing was written") from None
            await self._disk.write_bytes(path, data)
            return
        await self._put_right(path, data, text)

    async def delete(self, path: str) -> None:
        """Delete on the disk; the protocol has no deletion."""
        await self._disk.delete(path)

    async def _put_right(self, path: str, data: bytes, text: str) -> None:
        saved = await self._on_disk(path)
        if saved is None or saved == data:
            return
        saved_text = text_of(saved)
        if saved_text is not None and with_line_feeds(saved_text).rstrip("\n") == with_line_feeds(text).rstrip("\n"):
            await self._disk.write_bytes(path, data)
        else:
            log.info("the editor keeps %s unsaved", path)

    async def _unsaved(self, path: str) -> str | None:
        try:
            answer = await self._editor.request("fs/read_text_file", self._asked(path))
        except RequestError as error:
            if error.code in {METHOD_NOT_FOUND, RESOURCE_NOT_FOUND}:
                return None
            raise PermissionError(f"the editor refused to{_reason(error)}; the disk is not read instead") from None
        content = answer.get("content") if isinstance(answer, dict) else None
        return content if isinstance(content, str) else None

    def _asked(self, path: str) -> dict[str, str]:
        return {"sessionId": self._session_id, "path": str(self._disk.locate(path))}

    async def _on_disk(self, path: str) -> bytes | None:
        located = self._disk.locate(path)
        if await asyncio.to_thread(located.is_dir):
            raise IsADirectoryError(f"{path} is a folder")
        try:
            return await self._disk.read_bytes(path)
        except FileNotFoundError:
            return None

    def _found(self, path: str, data: bytes | None) -> bytes:
        if data is None:
            raise FileNotFoundError(f"{path} does not exist")
        return data


def _conforms(files: EditorFiles) -> WorkspaceFiles:
    return files

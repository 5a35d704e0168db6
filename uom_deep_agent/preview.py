"""What a person sees before they allow a call: the whole file before and after, or the command."""

from dataclasses import dataclass
from typing import Any

from deepagents.backends.utils import validate_path
from langchain_core.messages import ToolCall

from react_agent.request import decode
from uom_deep_agent.routed_execution import Refused, RoutedBackend, where
from uom_deep_agent.text_edit import EditFault, replaced, rewritten


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A preview, or why the call cannot work and nobody needs to be asked."""

    value: dict[str, Any] | None = None
    fault: str | None = None


class Preview:
    """Previews of calls on one agent's files."""

    def __init__(self, backend: RoutedBackend) -> None:
        self._backend = backend

    async def of(self, call: ToolCall) -> Shown:
        """Return what a call would do, without doing it."""
        try:
            return await self._shown(call)
        except (EditFault, PermissionError, ValueError) as error:
            return Shown(fault=f"{call['name']} cannot work: {error}")

    async def _shown(self, call: ToolCall) -> Shown:
        args = call["args"]
        match call["name"]:
            case "write_file" | "edit_file":
                return await self._change(call["name"], args)
            case "delete":
                path = str(args.get("file_path", ""))
                old = await self._bytes(path)
                return Shown(value={"path": path, "old_text": _text(old), "new_text": None})
            case "execute":
                command = str(args.get("command", ""))
                match where(command, tuple(self._backend.routes), self._backend.root):
                    case Refused(reason=reason):
                        return Shown(fault=f"Not run: {reason}")
                    case place:
                        return Shown(value={"command": command, "cwd": place or str(self._backend.root)})
            case "write_todos":
                return Shown(value={"todos": args.get("todos")})
        return Shown()

    async def _change(self, name: str, args: dict[str, Any]) -> Shown:
        path = validate_path(str(args.get("file_path", "")))
        old = await self._bytes(path)
        if name == "write_file":
            new = rewritten(old, str(args.get("content", "")))
        elif old is None:
            return Shown(fault=f"Cannot edit '{path}': there is no such file")
        else:
            new, _ = replaced(
                old,
                str(args.get("old_string", "")),
                str(args.get("new_string", "")),
                replace_all=bool(args.get("replace_all")),
            )
        return Shown(value={"path": path, "old_text": _text(old), "new_text": _text(new)})

    async def _bytes(self, path: str) -> bytes | None:
        [found] = await self._backend.adownload_files([path])
        if found.error == "file_not_found" or (found.error and "not found" in found.error):
            return None
        if found.error and found.error != "is_directory":
            raise PermissionError(f"'{path}' cannot be read: {found.error}")
        return found.content


def _text(data: bytes | None) -> str | None:
    """Return a file's text with its own line endings, without a byte order mark."""
    return None if data is None else decode(data)[0].removeprefix("\ufeff")

"""The sessions of one editor: those that are open, and those that can be opened again."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from acp import RequestError

from uom_acp.archive import Archive, StoredSession
from uom_acp.config_options import MODE, MODEL, Choices, Chosen
from uom_acp.editor import Editor
from uom_acp.errors import UnknownChoice, UnknownSession
from uom_acp.permissions import StandingPermissions
from uom_acp.record import Record
from uom_acp.rules import RuleBook
from uom_acp.session import AgentFactory, Session


class Memory(Protocol):
    """What agents remember of a conversation, outside of the session."""

    @property
    def forks(self) -> bool:
        """Whether a conversation can be copied, and that is wanted."""
        ...

    async def forget(self, thread: str) -> None:
        """Drop a conversation."""
        ...

    async def copy(self, thread: str, new_thread: str) -> None:
        """Let another conversation go on from where one stands."""
        ...


async def checked_cwd(cwd: str) -> Path:
    """Accept a session's folder."""
    path = Path(cwd)
    if not path.is_absolute():
        raise UnknownChoice(f"`cwd` must be an absolute path, {cwd!r} is not.")
    if not await asyncio.to_thread(path.is_dir):
        raise UnknownChoice(f"`cwd` must be a folder on this machine, {cwd!r} is not.")
    return path


@dataclass(slots=True, kw_only=True, eq=False)
class Sessions:
    """Opens sessions and finds them. Without an archive they last as long as the connection."""

    factory: AgentFactory
    choices: Choices
    run_context: Callable[[Chosen], Any]
    notice: Callable[[str], str | None]
    archive: Archive | None = None
    memory: Memory | None = None
    editor: Callable[[], Editor]
    live: dict[str, Session] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Session]:
        """Go over the open sessions."""
        return iter(list(self.live.values()))

    def get(self, session_id: str) -> Session:
        """Find an open session."""
        session = self.live.get(session_id)
        if session is None:
            again = ", or open a stored one with session/load" if self.archive else ""
            raise UnknownSession(f"There is no open session {session_id!r}. Start one with session/new{again}.")
        return session

    def find(self, session_id: str) -> Session | None:
        """Find a session that may be closed already."""
        return self.live.get(session_id)

    async def new(self, cwd: str, mcp_servers: Sequence[Any] | None) -> Session:
        """Start a session; nothing of it is stored before the person says something."""
        session_id = f"uom-{uuid.uuid4().hex}"
        return self._opened(
            session_id,
            cwd=await checked_cwd(cwd),
            chosen=self._chosen({}),
            mcp_servers=mcp_servers or (),
        )

    async def reopen(self, session_id: str, cwd: str, mcp_servers: Sequence[Any] | None) -> Session:
        """Open a stored session for this process alone; one that is open already stays as it is, its turn included."""
        if (session := self.find(session_id)) is not None:
            return session
        archive = self._archive("session/load")
        await archive.load(session_id)  # an id that is none of ours names no file
        lease = await asyncio.to_thread(archive.lease, session_id)
        try:
            stored, shown = await archive.load(session_id)
            folder = await checked_cwd(cwd)
        except BaseException:
            lease.release()
            raise
        return self._opened(
            session_id,
            cwd=folder,
            chosen=self._chosen({MODEL: stored.model, MODE: stored.mode, **stored.options}),
            mcp_servers=mcp_servers or (),
            lease=lease,
            record=Record(shown),
            title=stored.title,
            is_open=stored.is_open,
            asks_feedback=stored.asks_feedback,
        )

    async def page(self, cwd: str | None, cursor: str | None) -> tuple[list[StoredSession], str | None]:
        """List stored sessions."""
        return await self._archive("session/list").page(cwd, cursor)

    async def fork(self, session_id: str, cwd: str, mcp_servers: Sequence[Any] | None) -> Session:
        """Open a copy of a session, which goes on by itself."""
        archive = self._archive("session/fork")
        if self.memory is None or not self.memory.forks:
            raise RequestError.method_not_found("session/fork")
        new_id = f"uom-{uuid.uuid4().hex}"
        await archive.copy(session_id, new_id)
        await self.memory.copy(session_id, new_id)
        return await self.reopen(new_id, cwd, mcp_servers)

    async def close(self, session: Session) -> None:
        """Close one session; a stored one can be opened again."""
        self.live.pop(session.id, None)
        await session.close()
        if self.archive is None and self.memory is not None:
            await self.memory.forget(session.id)

    async def delete(self, session_id: str) -> None:
        """Close and forget a session; one that is unknown is forgotten already."""
        session = self.find(session_id)
        if session is not None:
            await self.close(session)
        if self.archive is None:
            return
        try:
            await self.archive.load(session_id)
        except UnknownSession:
            return
        lease = await asyncio.to_thread(self.archive.lease, session_id)
        try:
            await self.archive.delete(session_id)
            if self.memory is not None:
                await self.memory.forget(session_id)
        finally:
            lease.release()

    async def close_all(self) -> None:
        """Close every session at the same time."""
        await asyncio.gather(*(self.close(each) for each in self))

    def _chosen(self, options: Mapping[str, Any]) -> Chosen:
        """Set what a new session is set to; what was stored and is offered no more is left at its default."""
        chosen = Chosen(mode=self.choices.modes.current_mode_id, model=self.choices.model, target=self.choices.target)
        for option, value in options.items():
            with contextlib.suppress(UnknownChoice):
                chosen = self.choices.set(chosen, option, value)
        return chosen

    def _archive(self, method: str) -> Archive:
        if self.archive is None:
            raise RequestError.method_not_found(method)
        return self.archive

    def _opened(self, session_id: str, **fields: Any) -> Session:
        session = Session(
            id=session_id,
            choices=self.choices,
            editor=self.editor(),
            factory=self.factory,
            run_context=self.run_context,
            notice=self.notice,
            archive=self.archive,
            standing=StandingPermissions(book=self._book(fields["cwd"])),
            **fields,
        )
        self.live[session_id] = session
        return session

    def _book(self, cwd: Path) -> RuleBook | None:
        return RuleBook(self.archive.folder / "permissions", cwd) if self.archive else None

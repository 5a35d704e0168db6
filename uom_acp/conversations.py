"""What agents remember, in SQLite: each conversation's checkpoints, open questions, `/memories/`."""

import contextlib
import logging
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

log = logging.getLogger(__name__)

LONGEST_WAIT = 10.0
MOST_ITEMS = 10_000
READABLE = (
    ("react_agent.frameworks", "FrameworkEnum"),
    ("react_agent.frameworks", "TranslationType"),
)
"""The types of ours that may be made from a checkpoint, besides LangChain's messages and LangGraph's own."""


async def drop_finished(saver: object, thread: str) -> None:
    """Drop the steps of a conversation's sub-graphs, all of which have ended.

    What came of them stands in the conversation, and nothing goes back to them; a translation's would be most of the
    database. The conversation's own steps stay: each is told by what changed since the one before.
    """
    match saver:
        case AsyncSqliteSaver():
            for table in ("writes", "checkpoints"):
                await saver.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns <> ''",  # noqa: S608 - names of its own
                    [thread],
                )
            await saver.conn.commit()
        case InMemorySaver():
            for namespace in [each for each in saver.storage.get(thread, {}) if each]:
                del saver.storage[thread][namespace]
            for step in [each for each in saver.writes if each[0] == thread and each[1]]:
                del saver.writes[step]
            for value in [each for each in saver.blobs if each[0] == thread and each[1]]:
                del saver.blobs[value]


class Conversations:
    """Every conversation of this user; without a folder they last as long as the process."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._open = contextlib.AsyncExitStack()
        self._connection: aiosqlite.Connection | None = None
        self.forks = False
        self.saver: BaseCheckpointSaver[Any] = InMemorySaver()
        self.store: BaseStore = InMemoryStore()

    async def open(self) -> "Conversations":
        """Open the database; one that cannot be opened is said, and the process remembers by itself."""
        if self._folder is None:
            return self
        path = self._folder / "conversations.db"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        connect = aiosqlite.connect(path, timeout=LONGEST_WAIT)
        self._connection = await self._open.enter_async_context(connect)
        path.chmod(0o600)
        await self._connection.execute("PRAGMA synchronous=NORMAL")
        saver = AsyncSqliteSaver(self._connection, serde=JsonPlusSerializer(allowed_msgpack_modules=READABLE))
        await saver.setup()
        kept = await self._open.enter_async_context(aiosqlite.connect(path, timeout=LONGEST_WAIT, isolation_level=None))
        store = await self._open.enter_async_context(AsyncSqliteStore(kept))
        await store.setup()
        self.saver, self.store, self.forks = saver, store, True
        return self

    async def forget(self, thread: str) -> None:
        """Drop a conversation and what was set aside for it."""
        await self.saver.adelete_thread(thread)
        for namespace in await self.store.alist_namespaces(prefix=("sessions", thread)):
            for item in await self.store.asearch(namespace, limit=MOST_ITEMS):
                await self.store.adelete(namespace, item.key)

    async def copy(self, thread: str, new_thread: str) -> None:
        """Let another conversation go on from where one stands."""
        if self._connection is None:
            raise NotImplementedError("a conversation that is not stored cannot be copied")
        for table in ("checkpoints", "writes"):
            found = await self._connection.execute_fetchall(f"PRAGMA table_info({table})")
            names = ", ".join(column[1] for column in found if column[1] != "thread_id")
            await self._connection.execute(
                f"INSERT INTO {table} (thread_id, {names}) SELECT ?, {names} FROM {table} WHERE thread_id = ?",  # noqa: S608 - names of its own
                [new_thread, thread],
            )
        await self._connection.commit()
        for namespace in await self.store.alist_namespaces(prefix=("sessions", thread)):
            for item in await self.store.asearch(namespace, limit=MOST_ITEMS):
                await self.store.aput(("sessions", new_thread, *namespace[2:]), item.key, item.value, index=False)

    async def close(self) -> None:
        """Close the database."""
        await self._open.aclose()

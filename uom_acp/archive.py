"""The sessions that were held, in SQLite below the user's state folder: what they are, and what they showed.

Each operation opens the database and closes it again: several editors each run a process of their own, and none may
hold the file. What the agent itself remembers is in `conversations.py`.
"""

import asyncio
import base64
import binascii
import contextlib
import json
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from uom_acp.errors import UnknownChoice, UnknownSession, UnreadableArchive
from uom_acp.lease import Lease

FORMAT = 1
"""Of the tables, and of what a session keeps; a session of another format is refused, never guessed."""
PAGE = 50
LONGEST_WAIT = 10.0
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, format INTEGER NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, mode TEXT NOT NULL,
    model TEXT NOT NULL, updated_at TEXT NOT NULL, is_open INTEGER NOT NULL, asks_feedback INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_time ON sessions (updated_at DESC, id);
CREATE TABLE IF NOT EXISTS shown (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, place INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session, place)) WITHOUT ROWID;
"""
OPTIONS = """
CREATE TABLE IF NOT EXISTS options (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (session, name)) WITHOUT ROWID;
"""
"""Beside the tables of the format: versions that do not know it leave it alone."""

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session as it was when it was last saved."""

    id: str
    cwd: str
    title: str
    mode: str
    model: str
    updated_at: str
    is_open: bool = False
    """Whether a turn was running: the process ended in it."""
    asks_feedback: bool = False
    """Whether the person's next message goes to the translator."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else the session was set to."""


COLUMNS = "id, cwd, title, mode, model, updated_at, is_open, asks_feedback"


def now() -> str:
    """Give the time as the protocol writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Archive:
    """The stored sessions of this user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def save(self, session: StoredSession, shown: Mapping[int, Json]) -> None:
        """Store a session, and the places of its record that changed."""
        await asyncio.to_thread(self._save, session, shown)

    async def load(self, session_id: str) -> tuple[StoredSession, list[dict[str, Any]]]:
        """Give a session and all it showed.

        Raises:
            UnknownSession: there is none with this id.
            UnreadableArchive: it was stored by another version of this program.
        """
        return await asyncio.to_thread(self._load, session_id)

    async def page(self, cwd: str | None, cursor: str | None) -> tuple[list[StoredSession], str | None]:
        """Give some sessions, the latest first, and the cursor of those after them."""
        return await asyncio.to_thread(self._page, cwd, cursor)

    async def delete(self, session_id: str) -> None:
        """Forget a session; one that is unknown is forgotten already."""
        await asyncio.to_thread(self._delete, session_id)

    async def copy(self, session_id: str, new_id: str) -> None:
        """Store a copy under another id."""
        session, shown = await self.load(session_id)
        await self.save(replace(session, id=new_id, updated_at=now()), dict(enumerate(shown)))

    def lease(self, session_id: str) -> Lease:
        """Take a session for this process alone.

        Raises:
            SessionElsewhere: another process has it.
        """
        return Lease.take(self._folder() / "leases", session_id)

    def _folder(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder

    @contextlib.contextmanager
    def _database(self) -> Generator[sqlite3.Connection]:
        path = self._folder() / "sessions.db"
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=LONGEST_WAIT)) as database:
                path.chmod(0o600)
                found = database.execute("PRAGMA user_version").fetchone()[0]
                if found not in {0, FORMAT}:
                    raise UnreadableArchive(
                        f"The stored sessions in {path} have format {found}; this version of UOM reads {FORMAT}. "
                        "Update UOM, or move that file away to start afresh."
                    )
                database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
                if not found:
                    database.executescript(f"{TABLES} PRAGMA user_version={FORMAT};")
                database.execute(OPTIONS)
                with database:
                    yield database
        except sqlite3.DatabaseError as error:
            raise UnreadableArchive(
                f"The stored sessions in {path} cannot be used ({error}). If this stays, move that file away."
            ) from error

    def _save(self, session: StoredSession, shown: Mapping[int, Json]) -> None:
        values = [getattr(session, name) for name in COLUMNS.split(", ")]
        with self._database() as database:
            database.execute(
                f"INSERT INTO sessions ({COLUMNS}, format) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608 - names of ours
                "ON CONFLICT (id) DO UPDATE SET cwd=excluded.cwd, title=excluded.title, mode=excluded.mode, "
                "model=excluded.model, "
                "updated_at=excluded.updated_at, is_open=excluded.is_open, asks_feedback=excluded.asks_feedback",
                [*values, FORMAT],
            )
            database.executemany(
                "INSERT OR REPLACE INTO options (session, name, value) VALUES (?, ?, ?)",
                [(session.id, name, json.dumps(value)) for name, value in session.options.items()],
            )
            database.executemany(
                "INSERT OR REPLACE INTO shown (session, place, body) VALUES (?, ?, ?)",
                [(session.id, place, json.dumps(body, ensure_ascii=False)) for place, body in shown.items()],
            )

    def _load(self, session_id: str) -> tuple[StoredSession, list[dict[str, Any]]]:
        with self._database() as database:
            found = database.execute(f"SELECT {COLUMNS}, format FROM sessions WHERE id = ?", [session_id]).fetchone()  # noqa: S608
            if found is None:
                raise UnknownSession(f"There is no session {session_id!r}. session/list has those that can be loaded.")
            *values, version = found
            if version != FORMAT:
                raise UnreadableArchive(
                    f"Session {session_id} was stored in format {version}; this version of UOM reads {FORMAT}. Start a "
                    "new session; the old one stays where it is."
                )
            bodies = database.execute("SELECT body FROM shown WHERE session = ? ORDER BY place", [session_id])
            shown = [json.loads(body) for (body,) in bodies]
            options = database.execute("SELECT name, value FROM options WHERE session = ?", [session_id])
            return replace(_session(values), options={name: json.loads(value) for name, value in options}), shown

    def _page(self, cwd: str | None, cursor: str | None) -> tuple[list[StoredSession], str | None]:
        after = _read_cursor(cursor) if cursor else ("9999", "")
        with self._database() as database:
            rows = database.execute(
                f"SELECT {COLUMNS} FROM sessions WHERE format = ? AND (? IS NULL OR cwd = ?) "  # noqa: S608
                "AND (updated_at < ? OR (updated_at = ? AND id > ?)) ORDER BY updated_at DESC, id LIMIT ?",
                [FORMAT, cwd, cwd, after[0], *after, PAGE + 1],
            ).fetchall()
        found = [_session(row) for row in rows[:PAGE]]
        return found, _cursor(found[-1]) if len(rows) > PAGE else None

    def _delete(self, session_id: str) -> None:
        with self._database() as database:
            database.execute("DELETE FROM sessions WHERE id = ?", [session_id])


def _session(row: Sequence[Any]) -> StoredSession:
    *texts, is_open, asks_feedback = row
    values = dict(zip(COLUMNS.split(", "), texts, strict=False))
    return StoredSession(**values, is_open=bool(is_open), asks_feedback=bool(asks_feedback))


def _cursor(last: StoredSession) -> str:
    return base64.urlsafe_b64encode(json.dumps([last.updated_at, last.id]).encode()).decode()


def _read_cursor(cursor: str) -> tuple[str, str]:
    try:
        at, session_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, binascii.Error):
        at = session_id = None
    if not isinstance(at, str) or not isinstance(session_id, str):
        raise UnknownChoice("The cursor is none that session/list gave. Start again without one.")
    return at, session_id

"""The tool cards of one turn; each that is opened is closed exactly once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from acp.schema import ToolCallLocation, ToolCallProgress, ToolCallStart

from uom_acp.panel import Update
from uom_acp.tool_calls import (
    Args,
    Content,
    capped,
    kind_of,
    locations_of,
    parsed_args,
    terminal_content,
    text_content,
    title_of,
)

Status = Literal["pending", "in_progress", "completed", "failed"]
Namespace = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Card:
    """A call on screen, with the arguments as far as they have arrived."""

    id: str
    name: str
    parent: str | None = None
    text: str = ""
    args: Args = field(default_factory=dict)
    status: Status = "pending"
    closed: bool = False
    complete: bool = False
    terminal: str | None = None

    def meta(self) -> dict[str, Any] | None:
        """Name the card of the sub-agent that made this call."""
        return {"uom": {"parentToolCallId": self.parent}} if self.parent else None


@dataclass(slots=True, kw_only=True)
class Cards:
    """All cards of a turn. Methods change this record and return what to show."""

    cwd: Path
    by_id: dict[str, Card] = field(default_factory=dict)
    streaming: dict[tuple[Namespace, str | None, Any], str] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)

    def parent_of(self, namespace: Namespace) -> str | None:
        """Find the `task` card that a sub-agent runs under; where the graph did not tell, the first open one."""
        if not namespace:
            return None
        taken = set(self.parents.values())
        if namespace[0] not in self.parents:
            waiting = [
                card.id
                for card in self.by_id.values()
                if card.name == "task" and card.complete and not card.closed and card.parent is None
            ]
            free = [card_id for card_id in waiting if card_id not in taken] or waiting
            if not free:
                return None
            self.parents[namespace[0]] = free[0]
        return self.parents[namespace[0]]

    def stream(self, namespace: Namespace, message_id: str | None, chunks: Sequence[Mapping[str, Any]]) -> list[Update]:
        """Take pieces of calls; parallel agents never mix, their pieces are kept apart."""
        shown: list[Update] = []
        for chunk in chunks:
            key = (namespace, message_id, chunk.get("index"))
            if chunk.get("id") and chunk.get("name"):
                self.streaming[key] = str(chunk["id"])
                shown += self.open(str(chunk["id"]), str(chunk["name"]), {}, namespace)
            if card := self.by_id.get(self.streaming.get(key, "")):
                card.text += chunk.get("args") or ""
        return shown

    def open(self, call_id: str, name: str, args: Args, namespace: Namespace = ()) -> list[Update]:
        """Show a card once; later calls with the same id show nothing."""
        if call_id in self.by_id:
            return []
        card = Card(id=call_id, name=name, args=args, parent=self.parent_of(namespace))
        self.by_id[call_id] = card
        start = ToolCallStart(
            session_update="tool_call",
            tool_call_id=call_id,
            title=title_of(name, args),
            kind=kind_of(name),
            status="pending",
            raw_input=capped(args) or None,
            field_meta=card.meta(),
        )
        return [start]

    def reopen(self, call_id: str, name: str, args: Args, *, starts: bool) -> list[Update]:
        """Go on with a card that an earlier turn, or an earlier process, has shown."""
        self.by_id[call_id] = Card(id=call_id, name=name)
        return self.complete(call_id, name, args, starts=starts)

    def complete(
        self, call_id: str, name: str, args: Args | None, namespace: Namespace = (), *, starts: bool
    ) -> list[Update]:
        """Show the whole call; one that nobody has to allow starts at once."""
        shown = self.open(call_id, name, args or {}, namespace)
        card = self.by_id[call_id]
        if card.complete or card.closed:
            return shown
        card.complete = True
        card.args = args if args is not None else parsed_args(card.text)
        card.status = "in_progress" if starts else "pending"
        shown.append(
            self._progress(
                card,
                title=title_of(card.name, card.args),
                locations=locations_of(card.name, card.args, self.cwd),
                raw_input=capped(card.args),
            )
        )
        return shown

    def start(self, call_id: str) -> list[Update]:
        """Say that a call runs."""
        card = self.by_id.get(call_id)
        if card is None or card.closed or card.status == "in_progress":
            return []
        card.status = "in_progress"
        return [self._progress(card)]

    def show(self, call_id: str, content: Sequence[Content]) -> list[Update]:
        """Replace what a card shows while it is open."""
        card = self.by_id.get(call_id)
        if card is None or card.closed:
            return []
        return [self._progress(card, content=list(content))]

    def embed(self, command: str, terminal: str) -> list[Update]:
        """Show a terminal on the running card of a command; of two equal commands, on the first without one."""
        card = next((card for card in self._running(command) if card.terminal is None), None)
        if card is None:
            return []
        card.terminal = terminal
        return [*self.start(card.id), *self.show(card.id, [terminal_content(terminal)])]

    def output(self, command: str, text: str) -> list[Update]:
        """Show what a running command has written so far; of two equal commands the first is the one that runs."""
        card = next((card for card in self._running(command) if card.terminal is None), None)
        if card is None:
            return []
        return [*self.start(card.id), *self.show(card.id, [text_content(text, fenced=True, keep="tail")])]

    def _running(self, command: str) -> Iterator[Card]:
        for card in self.by_id.values():
            if card.name == "execute" and not card.closed and card.complete and card.args.get("command") == command:
                yield card

    def output_of(self, call_id: str, output: Mapping[str, Any]) -> list[Update]:
        """Give programs, and the commands of later turns, what an open call found out."""
        card = self.by_id.get(call_id)
        return [] if card is None or card.closed else [self._progress(card, raw_output=output)]

    def retitle(self, call_id: str, title: str, content: Sequence[Content], raw_output: Any) -> list[Update]:
        """Rename an open card and replace what it shows, for people and for programs."""
        card = self.by_id.get(call_id)
        if card is None or card.closed:
            return []
        return [self._progress(card, title=title, content=list(content), raw_output=raw_output)]

    def close(
        self,
        call_id: str,
        content: Sequence[Content] | None,
        *,
        failed: bool,
        locations: list[ToolCallLocation] | None = None,
    ) -> list[Update]:
        """Close an open card; a second end of the same call shows nothing."""
        card = self.by_id.get(call_id)
        if card is None or card.closed:
            return []
        shown = [] if failed else self.start(call_id)
        card.closed = True
        card.status = "failed" if failed else "completed"
        shown.append(self._progress(card, content=list(content) if content else None, locations=locations))
        return shown

    def close_all(self, content: Callable[[Card], Sequence[Content] | None]) -> list[Update]:
        """Close what is still open, as failed: the protocol has no status for a cancelled call."""
        return [
            update for card in list(self.by_id.values()) for update in self.close(card.id, content(card), failed=True)
        ]

    def _progress(self, card: Card, **fields: Any) -> ToolCallProgress:
        return ToolCallProgress(
            session_update="tool_call_update",
            tool_call_id=card.id,
            status=card.status,
            field_meta=card.meta(),
            **fields,
        )

"""What a session has shown, kept so that it can be shown again: pieces joined, each card once, texts bounded. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from uom_acp.tool_calls import LARGEST_TEXT

Json = Mapping[str, Any]
Body = dict[str, Any]

CHUNKS = frozenset({"user_message_chunk", "agent_message_chunk", "agent_thought_chunk"})
SINGLES = frozenset({"plan", "session_info_update", "usage_update"})
"""Of these only the last counts."""
CARDS = frozenset({"tool_call", "tool_call_update"})
LONGEST_CARD_TEXT = 16 * 1024
LARGEST_KEPT_DIFF = 128 * 1024
LONGEST_ARGUMENT = 4 * 1024


class Record:
    """The updates of a session, in order. `changes` gives what is new since it was last asked."""

    def __init__(self, bodies: Sequence[Body] = ()) -> None:
        self._bodies: list[Body] = list(bodies)
        self._places = {_name(body): place for place, body in enumerate(bodies) if _name(body)}
        self._changed: set[int] = set()

    def __bool__(self) -> bool:
        """Tell whether anything was shown."""
        return bool(self._bodies)

    def take(self, update: Json) -> None:
        """Keep one update; what is of this moment only (modes, options, commands) is not kept."""
        kind = update.get("sessionUpdate")
        if kind in CHUNKS:
            self._said(update)
        elif kind in CARDS or kind in SINGLES:
            self._named(update)

    @property
    def has_changes(self) -> bool:
        """Whether there is something new to store."""
        return bool(self._changed)

    def changes(self) -> dict[int, Body]:
        """Give the places that changed, with what stands there now."""
        changed, self._changed = sorted(self._changed), set()
        return {place: self._bodies[place] for place in changed}

    def again(self, places: Mapping[int, Json]) -> None:
        """Count places as changed: they could not be stored."""
        self._changed |= set(places)

    def open_cards(self) -> list[str]:
        """List the cards that have no end."""
        return [
            body["toolCallId"]
            for body in self._bodies
            if body["sessionUpdate"] == "tool_call" and body.get("status") not in {"completed", "failed"}
        ]

    def last_card(self, prefix: str) -> Body | None:
        """Find the last card whose id starts so."""
        cards = (body for body in reversed(self._bodies) if str(body.get("toolCallId", "")).startswith(prefix))
        return next(cards, None)

    def last(self, single: str) -> Body | None:
        """Give the one update of a kind of which only the last counts."""
        place = self._places.get(single)
        return None if place is None else self._bodies[place]

    def last_output(self, name: str) -> Any:
        """Give what the last card that told programs of `name` told."""
        outputs = (body.get("rawOutput") for body in reversed(self._bodies))
        return next((output[name] for output in outputs if isinstance(output, Mapping) and name in output), None)

    def replay(self) -> Iterator[Body]:
        """Give everything to show again; long texts in pieces, so that no frame is huge."""
        for body in self._bodies:
            yield from _pieces(body)

    def _said(self, update: Json) -> None:
        last = self._bodies[-1] if self._bodies else {}
        joins = _text(last) is not None and _text(update) is not None
        if joins and all(last.get(name) == update.get(name) for name in ("sessionUpdate", "messageId")):
            text = (_text(last) or "") + (_text(update) or "")
            self._put({**last, "content": {**last["content"], "text": text}}, len(self._bodies) - 1)
        else:
            self._put(dict(update), len(self._bodies))

    def _named(self, update: Json) -> None:
        body = _bounded(update)
        place = self._places.get(_name(body) or "")
        if place is None:
            self._put(body, len(self._bodies))
        elif update["sessionUpdate"] in CARDS:
            self._put({**self._bodies[place], **body, "sessionUpdate": "tool_call"}, place)
        else:
            self._put(body, place)

    def _put(self, body: Body, place: int) -> None:
        if place == len(self._bodies):
            self._bodies.append(body)
            if name := _name(body):
                self._places[name] = place
        else:
            self._bodies[place] = body
        self._changed.add(place)


def _name(body: Json) -> str | None:
    kind = str(body.get("sessionUpdate"))
    if kind in CARDS:
        return f"card {body.get('toolCallId')}"
    return kind if kind in SINGLES else None


def _text(body: Json) -> str | None:
    content = body.get("content")
    is_text = isinstance(content, Mapping) and content.get("type") == "text"
    return content.get("text") if is_text and body.get("sessionUpdate") in CHUNKS else None  # type: ignore[union-attr]


def _pieces(body: Body) -> Iterator[Body]:
    text = _text(body)
    if text is None or len(text) <= LARGEST_TEXT:
        yield body
        return
    for start in range(0, len(text), LARGEST_TEXT):
        yield {**body, "content": {**body["content"], "text": text[start : start + LARGEST_TEXT]}}


def _bounded(update: Json) -> Body:
    body = dict(update)
    if isinstance(body.get("content"), list):
        body["content"] = [_short(item) for item in body["content"] if item.get("type") != "terminal"]
    if "rawInput" in body:
        body["rawInput"] = _cut(body["rawInput"], LONGEST_ARGUMENT)
    return body


def _short(item: Body) -> Body:
    if item.get("type") == "diff":
        size = len(item.get("newText") or "") + len(item.get("oldText") or "")
        if size > LARGEST_KEPT_DIFF:
            text = f"{item['path']}: the change is too large to show again."
            return {"type": "content", "content": {"type": "text", "text": text}}
        return item
    return _cut(item, LONGEST_CARD_TEXT)


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, str) and len(value) > limit:
        return f"{value[:limit]}\n… [{len(value) - limit} characters left out]"
    if isinstance(value, Mapping):
        return {name: _cut(part, limit) for name, part in value.items()}
    if isinstance(value, list):
        return [_cut(part, limit) for part in value]
    return value

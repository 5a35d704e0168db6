"""Read what the graph asks: an approval of a tool, or a review of a translation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from uom_acp.errors import UnreadableInterrupt


class Interrupt(Protocol):
    """The part of LangGraph's interrupt that is read here."""

    @property
    def id(self) -> str:
        """The key under which it is answered."""
        ...

    @property
    def value(self) -> Any:
        """What the node asked."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do, as far as the agent can tell beforehand."""

    path: str | None = None
    old_text: str | None = None
    new_text: str | None = None
    command: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolApproval:
    """May this call run?"""

    id: str
    tool_call_id: str
    name: str
    args: Mapping[str, Any]
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationReview:
    """Is this translation good enough, although it is not proven?"""

    id: str
    instruction: str
    state: Mapping[str, Any] = field(default_factory=dict)


Question = ToolApproval | TranslationReview


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _preview(value: Any) -> Preview:
    if not isinstance(value, Mapping):
        return Preview()
    return Preview(
        path=_text(value.get("path")),
        old_text=_text(value.get("old_text")),
        new_text=_text(value.get("new_text")),
        command=_text(value.get("command")),
        cwd=_text(value.get("cwd")),
    )


def read(interrupt: Interrupt) -> Question:
    """Read one interrupt; one that nobody can answer is an error, never a loop."""
    value = interrupt.value
    if isinstance(value, Mapping) and value.get("type") == "tool_approval":
        args = value.get("args")
        if isinstance(value.get("tool_call_id"), str) and isinstance(value.get("name"), str):
            return ToolApproval(
                id=interrupt.id,
                tool_call_id=value["tool_call_id"],
                name=value["name"],
                args=args if isinstance(args, Mapping) else {},
                preview=_preview(value.get("preview")),
            )
    if isinstance(value, Mapping) and isinstance(value.get("instruction"), str):
        state = value.get("state")
        return TranslationReview(
            id=interrupt.id,
            instruction=value["instruction"],
            state=state if isinstance(state, Mapping) else {},
        )
    shape = sorted(map(str, value)) if isinstance(value, Mapping) else type(value).__name__
    raise UnreadableInterrupt(f"The agent asked something unknown ({shape}); the turn ends here.")


def questions(interrupts: Iterable[Interrupt]) -> list[Question]:
    """Read interrupts once each; one inside a sub-agent surfaces at every level with the same id."""
    return [read(each) for each in {each.id: each for each in interrupts}.values()]

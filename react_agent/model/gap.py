"""Gaps: what the rules read but could not carry over, each with its place and reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where in the user's text: file as given, lines and columns 1-based, the end exclusive in columns."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One construct that is not translated. A gap never guesses and is never dropped.

    `construct` names it in the field's terms (`GroupBy`, `HasQueryFilter`); `hazard` is the id of the hazard it
    belongs to (`Q28`, `S47`), empty where none fits; `entry` is `Class.Method` where one entry alone is affected,
    empty where the mapping is.
    """

    construct: str
    reason: str
    span: Span
    hazard: str = ""
    entry: str = ""

    def __str__(self) -> str:
        return f"{self.span}: {self.construct}: {self.reason}"

"""Untranslatable: what stops one entry; it becomes a Gap, never a guess."""

from react_agent.model.gap import Gap, Span


class Untranslatable(Exception):
    """A construct that has no exact counterpart here."""

    def __init__(self, construct: str, reason: str, hazard: str = "", span: Span | None = None) -> None:
        super().__init__(f"{construct}: {reason}")
        self.construct, self.reason, self.hazard, self.span = construct, reason, hazard, span

    def gap(self, entry: str, span: Span) -> Gap:
        """Write it as the gap of an entry; `span` stands in where the construct has no place of its own."""
        return Gap(
            construct=self.construct, reason=self.reason, span=self.span or span, hazard=self.hazard, entry=entry
        )

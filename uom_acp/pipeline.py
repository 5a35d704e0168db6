"""The translator's way through its stages, as a plan whose steps move and as lines on its card. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from acp.schema import PlanEntry

Event = Mapping[str, Any]
Priority = Literal["high", "medium", "low"]
Status = Literal["pending", "in_progress", "completed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step that a person waits for, and the translator's stages that belong to it."""

    title: str
    stages: frozenset[str]
    priority: Priority = "medium"


STEPS = (
    Step(title="Read the data layer and write the Java", stages=frozenset({"extract", "inspect", "translate"})),
    Step(title="Build both sides", stages=frozenset({"compile"})),
    Step(title="Run both sides on the same data", stages=frozenset({"run"})),
    Step(
        title="Compare what they return",
        stages=frozenset({"compare", "shrink", "variants"}),
        priority="high",
    ),
    Step(title="Report the verdict of each entry", stages=frozenset({"evaluate", "publish"}), priority="high"),
)
SIDES = {"source": "C#", "target": "Java"}
WORDS = {
    "translate": "Writing the Java",
    "compile": "Building both sides",
    "run": "Running both sides",
    "compare": "Comparing entries",
    "shrink": "Looking for the smallest rows that differ",
    "variants": "Trying variants of the query",
    "evaluate": "Judging",
}


@dataclass(slots=True, kw_only=True)
class Pipeline:
    """Where one translation stands. A step back is a repair, and its steps are open again."""

    at: int = -1
    repairs: int = 0
    over: bool = False
    stage: str = ""
    message: str = ""
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)

    def take(self, event: Event) -> bool:
        """Take one report; True where a person would see another stage, or its end."""
        stage = str(event.get("stage", "working"))
        moved = stage != self.stage or self.over
        if moved:
            self.counts, self.message, self.stage, self.over = {}, "", stage, False
            self._move(stage)
        if event.get("message"):
            moved = moved or self.message != event["message"]
            self.message = str(event["message"])
        done, total = event.get("done"), event.get("total")
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            side = str(event.get("side") or "both")
            before = self.counts.get(side, (0, total))
            self.counts[side] = (done, total)
            moved = moved or (done >= total and before[0] < before[1])
        return moved

    def _move(self, stage: str) -> None:
        to = next((n for n, step in enumerate(STEPS) if stage in step.stages), None)
        if to is None:
            return
        if to == 0 and self.at > 0:
            self.repairs += 1
        self.at = to

    def line(self) -> str:
        """Say in one line what is being done, with the counts of each side."""
        words = WORDS.get(self.stage, self.stage.capitalize() or "Working")
        counted = ", ".join(
            f"{SIDES[side]} {done}/{total}" if side in SIDES else f"{done}/{total}"
            for side, (done, total) in sorted(self.counts.items())
        )
        said = ": ".join(part for part in (words, counted or self.message) if part)
        if counted and self.message:
            said = f"{said} ({self.message})"
        return f"{said} · repair {self.repairs}" if self.repairs else said

    def entries(self) -> list[PlanEntry]:
        """Give the steps as a plan."""
        return [
            PlanEntry(content=self._title(number, step), priority=step.priority, status=self._status(number))
            for number, step in enumerate(STEPS)
        ]

    def _title(self, number: int, step: Step) -> str:
        return f"{step.title} (repair {self.repairs})" if self.repairs and number == 0 else step.title

    def _status(self, number: int) -> Status:
        if self.over or number < self.at:
            return "completed"
        return "in_progress" if number == self.at else "pending"


def plan_entries(todos: Sequence[PlanEntry], pipelines: Sequence[Pipeline]) -> list[PlanEntry]:
    """Join the agent's own plan with the steps of the translations that ran in this turn."""
    return [*todos, *(entry for pipeline in pipelines for entry in pipeline.entries())]

"""The graph's state: plain data only, so that every checkpoint can be read back under strict msgpack.

Big texts and rows stay out: they are kept by reference (`ArtifactRef`, written as a dict) in the store beside the
checkpoints. Enums are written as their wire strings and compared by `==`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import IsLastStep

from react_agent.frameworks import FrameworkEnum, TranslationType


@dataclass(kw_only=True)
class InputState:
    """What a caller supplies. `messages` alone is enough; fields that are set are not read from the text again."""

    messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    """The conversation."""

    source_schema_code: str | None = None
    """C# entities and `DbContext`, verbatim."""

    source_query_code: str | None = None
    """C# queries, verbatim."""

    translation_type: TranslationType | None = None
    source_target: FrameworkEnum | None = None
    destination_target: FrameworkEnum | None = None
    source_target_version: str | None = None
    destination_target_version: str | None = None


@dataclass(kw_only=True)
class OutputState:
    """What comes back."""

    messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    translated_schema_code: str | None = None
    """Java documents and configuration, as labelled fenced blocks."""

    translated_query_code: str | None = None
    """Java query classes, as labelled fenced blocks."""

    source_validation_schema_code: str | None = None
    """A runnable C# context with its set-up."""

    source_validation_harness_code: str | None = None
    """A C# console program that calls the entries and prints their envelopes."""

    target_validation_schema_code: str | None = None
    """The Java side of `source_validation_schema_code`."""

    target_validation_harness_code: str | None = None
    """The Java side of `source_validation_harness_code`."""

    explanation_message: str | None = None
    """The closing evaluation, or why it failed."""


@dataclass(kw_only=True)
class State(InputState, OutputState):
    """The graph's own. Everything per translation is reset by `extract_input`."""

    is_last_step: IsLastStep = field(default=False)

    source_validation_entry_type_name: str | None = None
    """The C# class whose `Main` runs the source's program."""

    target_validation_entry_type_name: str | None = None
    """The Java class whose `main` runs the target's program."""

    source_query_validation_results: dict[str, Any] | None = None
    """A summary for people, as `QueryValidationResults`: count, first and last row of each entry."""

    target_query_validation_results: dict[str, Any] | None = None

    query_equivalence_deep_diffs: dict[str, Any] | None = None
    """Entry to `QueryEquivalenceDeepDiff`, for entries that differ."""

    schema_context: str = ""
    """Database facts from the MCP servers; never shown in the chat."""

    translation_messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    """Build logs, traces, witnesses and the model's corrections."""

    extraction_loop_count: int = 0
    translation_loop_count: int = 0
    harness_error_count: int = 0

    ui_messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    """Shown to a person, never sent to a model."""

    run: str = ""
    """Names this translation among the live workers; a new one for each request."""

    sources: dict[str, str] | None = None
    """An `ArtifactRef` to the C# files as given; the texts return to their fields when the run is published."""

    request: dict[str, str] | None = None
    """An `ArtifactRef` to a long message, with the message's id; it returns to the chat when the run is published."""

    translation: dict[str, str] | None = None
    """An `ArtifactRef` to the candidate: mapping, Java files, entry pairs."""

    proof: dict[str, Any] | None = None
    """An `ArtifactRef` to the suite and what both sides answered, and the judge's hash."""

    report: dict[str, Any] | None = None
    """The report so far, in the JSON form of `uom translate --report`."""

    failure: dict[str, str] | None = None
    """What the machinery failed at: `stage`, `message`, and the `verdict` that follows from it."""

    outcome: str = ""
    """What the last node found: the routes read it. Empty: go on."""

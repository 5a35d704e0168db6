"""Shapes that a model or a person must answer in."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class HumanInterventionResponse(BaseModel):
    """A person's answer to a translation that could not be proven."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["accept", "reject"]
    """`accept` publishes the candidate as not proven; `reject` translates again with the feedback."""

    feedback: str = ""
    """What to do differently; goes to the translator as it is."""


class RequestReading(BaseModel):
    """What a model read from a request whose code, scope or target the rules could not tell."""

    source: Literal["DOTNET_EFCORE"] | None = None
    target: Literal["JAVA_SPRING_DATA_MONGODB", "JAVA_SPRING_DATA_NEO4J"] | None = None
    scope: Literal["SCHEMA", "QUERY", "BOTH"] | None = None
    question: str = ""
    """The one thing that must be known and is missing; empty when nothing is."""

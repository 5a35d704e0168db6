"""`_session/steering`: words into the turn that runs. An extension that several agents and clients share."""

from typing import Any

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
)
from pydantic import BaseModel, ConfigDict, Field

STEERING = "session/steering"
"""The method's name without the mark of an extension."""


class SteeringRequest(BaseModel):
    """What a client sends."""

    model_config = ConfigDict(populate_by_name=True)

    session_id: str = Field(alias="sessionId")
    prompt: list[
        TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock
    ] = Field(min_length=1)
    meta: dict[str, Any] = Field(default_factory=dict, alias="_meta")

    @property
    def only_into_a_turn(self) -> bool:
        """Whether the client sends a prompt by itself where no turn runs."""
        match self.meta:  # the transport puts what an editor sent under one key
            case {"meta": {"steering": {"idleBehavior": "promptRequired"}}}:
                return True
        return False

"""Asking: one question to the run's chat model; a model that cannot answer is said, and the rules go on alone."""

import logging
from collections.abc import Sequence

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.config import get_stream_writer

from react_agent.context import Context
from react_agent.models import ModelUnavailable, load_chat_model

log = logging.getLogger(__name__)

NO_STREAM = ["nostream"]
"""Keeps the tokens of a node's own model call out of `messages` streams."""


async def ask(context: Context, request: Sequence[BaseMessage]) -> AIMessage | None:
    """Ask the model; None where it cannot answer, which the client is told."""
    try:
        model = await load_chat_model(context.model, context)
        return await model.with_config(tags=NO_STREAM).ainvoke(list(request))
    except ModelUnavailable as missing:
        why = str(missing)
    except ContextOverflowError:
        why = f"the request is longer than {context.model} reads"
    log.warning("%s", why)
    get_stream_writer()({"type": "notice", "level": "warning", "message": f"{why}; going on without a model"})
    return None

"""Our exceptions and everybody else's, as JSON-RPC errors without a secret in them."""

import asyncio
from collections.abc import Mapping

from acp import RequestError
from pydantic import ValidationError

from react_agent.context import BadSetting
from react_agent.models import KeyMissing, ModelUnavailable
from uom_acp.log import masked

REQUEST_CANCELLED = -32800
RESOURCE_NOT_FOUND = -32002
AUTH_REQUIRED = -32000

SAID_BY_NAME: Mapping[str, str] = {
    "AuthenticationError": (
        "The model service refused the key. Set OPENAI_API_KEY to a valid key and start the agent again."
    ),
    "PermissionDeniedError": (
        "The model service does not allow this key to use the model. Choose another model or key."
    ),
    "NotFoundError": ("The model service does not know this model. Choose another model, or check OPENAI_API_URL."),
    "RateLimitError": "The model service is over its rate limit. Wait a little and send the message again.",
    "APITimeoutError": "The model service did not answer in time. Send the message again.",
    "APIConnectionError": (
        "The model service cannot be reached. Check OPENAI_API_URL and the network, then send it again."
    ),
    "InternalServerError": "The model service failed on its side. Send the message again.",
    "BadRequestError": ("The model service refused the request; the conversation may be too long for this model."),
}


class UnknownSession(Exception):
    """No session has this id, or it was closed."""


class UnknownChoice(Exception):
    """A mode, a model or an option that was never offered; the text lists what is."""


class SessionElsewhere(Exception):
    """Another process works on this session; two at once would spoil it."""


class UnreadableArchive(Exception):
    """The stored sessions, or one of them, cannot be read; the text says why and what to do."""


class UnsupportedContent(Exception):
    """A prompt block that this agent did not advertise."""


class AgentNotReady(Exception):
    """The agent could not be built; the text says what is missing and how to add it."""


class NoKey(Exception):
    """A person logged in, and there is no key still; the text says how to give one."""


class UnreadableInterrupt(Exception):
    """The graph asked something that no part of the panel can answer."""


def invalid_params(error: ValidationError) -> RequestError:
    """Name the fields that do not fit, without echoing what was sent."""
    faults = [
        {"field": ".".join(str(part) for part in fault["loc"]), "message": fault["msg"]}
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    details = "; ".join(f"{fault['field']}: {fault['message']}" for fault in faults)
    return RequestError(-32602, "Invalid params", {"details": details, "errors": faults})


def said(error: BaseException) -> str:
    """Tell a person what went wrong; a foreign exception's own text stays in the log."""
    match error:
        case UnknownSession() | UnknownChoice() | UnsupportedContent() | AgentNotReady():
            return str(error)
        case SessionElsewhere() | UnreadableArchive() | NoKey():
            return str(error)
        case ModelUnavailable() | BadSetting():
            return masked(str(error))
        case UnreadableInterrupt():
            return f"{error} This is a fault of the agent; its log on stderr has the details."
    for kind in type(error).__mro__:
        if text := SAID_BY_NAME.get(kind.__name__):
            return text
    return (
        f"The agent failed with {type(error).__name__}. Its log on stderr has the details; "
        "the conversation goes on with your next message."
    )


def to_request_error(error: BaseException) -> RequestError:
    """Choose the JSON-RPC code; `details` alone in the data is the form that editors show."""
    match error:
        case RequestError():
            return error
        case ValidationError():
            return invalid_params(error)
        case asyncio.CancelledError():
            return RequestError(REQUEST_CANCELLED, "Request cancelled")
        case KeyMissing() | NoKey():  # editors show the message itself, and offer the ways to log in
            return RequestError(AUTH_REQUIRED, said(error), {"details": said(error)})
        case UnknownSession():
            return RequestError(RESOURCE_NOT_FOUND, "Resource not found", {"details": said(error)})
        case SessionElsewhere() | UnreadableArchive():
            return RequestError(-32600, "Invalid request", {"details": said(error)})
        case UnknownChoice() | UnsupportedContent():
            return RequestError(-32602, "Invalid params", {"details": said(error)})
        case _:
            return RequestError(-32603, "Internal error", {"details": said(error)})

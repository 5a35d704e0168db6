import asyncio

import pytest
from acp import RequestError
from pydantic import BaseModel, ValidationError

from react_agent.models import ModelUnavailable
from uom_acp.errors import UnknownChoice, UnknownSession, said, to_request_error


class AuthenticationError(Exception):
    """Named as the model service's client names it."""


class Body(BaseModel):
    count: int


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnknownSession("no session"), -32002),
        (UnknownChoice("no mode"), -32602),
        (asyncio.CancelledError(), -32800),
        (RequestError(-32601, "x"), -32601),
        (ModelUnavailable("set OPENAI_API_KEY"), -32603),
        (RuntimeError("secret"), -32603),
    ],
)
def test_each_exception_has_its_code(error: BaseException, code: int) -> None:
    assert to_request_error(error).code == code


def test_text_of_a_foreign_exception_is_never_shown() -> None:
    assert "hunter2" not in said(RuntimeError("password hunter2"))
    assert "RuntimeError" in said(RuntimeError("password hunter2"))
    assert "OPENAI_API_KEY" in said(AuthenticationError("key hunter2 refused"))
    assert "hunter2" not in said(AuthenticationError("key hunter2 refused"))


def test_invalid_parameters_are_named_and_not_echoed() -> None:
    with pytest.raises(ValidationError) as refused:
        Body.model_validate({"count": "hunter2"})
    answer = to_request_error(refused.value)
    assert answer.code == -32602
    assert "count" in answer.data["details"]
    assert "hunter2" not in str(answer.data)
    assert "pydantic" not in str(answer.data)

from types import SimpleNamespace
from typing import Any

import pytest

from uom_acp.errors import UnreadableInterrupt
from uom_acp.interrupts import ToolApproval, TranslationReview, questions


def asked(value: Any, key: str = "i") -> Any:
    return SimpleNamespace(id=key, value=value)


APPROVAL = {"type": "tool_approval", "tool_call_id": "c", "name": "execute", "args": {}, "preview": {"command": "ls"}}


def test_one_question_that_surfaces_twice_is_read_once() -> None:
    found = questions([asked(APPROVAL), asked(APPROVAL), asked({"instruction": "look", "state": {}}, "j")])
    assert [type(question) for question in found] == [ToolApproval, TranslationReview]


@pytest.mark.parametrize(
    "value", [None, "text", {}, {"type": "tool_approval"}, {"type": "tool_approval", "tool_call_id": 1, "name": "x"}]
)
def test_a_question_nobody_can_answer_is_an_error(value: Any) -> None:
    with pytest.raises(UnreadableInterrupt):
        questions([asked(value)])


def test_a_preview_of_the_wrong_shape_shows_nothing() -> None:
    (approval,) = questions([asked({**APPROVAL, "args": 5, "preview": {"path": 5, "old_text": []}})])
    assert isinstance(approval, ToolApproval)
    assert (approval.args, approval.preview.path, approval.preview.old_text) == ({}, None, None)

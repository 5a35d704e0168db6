"""What failed is said in words, whatever the stage."""

import pytest

from react_agent.repair import compiler_feedback, refusal
from react_agent.sandbox.protocol import Diagnostic, JobRefused


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        ("compile", "the Java does not compile: why"),
        ("context", "the Java does not start: its Spring context fails: why"),
        ("load", "the proof's rows do not fit what the Java declares: why"),
        ("describe", "the Java has a model that EF Core cannot describe: why"),
        ("run", "the Java cannot be run: why"),
        ("call", "the Java lacks what is to be called: why"),
        ("arguments", "the Java does not take the arguments of an entry: why"),
        ("shape", "the Java returns what cannot be read as the entry's result: why"),
        ("request", "the Java was not asked rightly, which is a fault of ours: why"),
        ("dancing", "the Java failed at the stage dancing: why"),
    ],
)
def test_each_stage_is_a_sentence(stage: str, says: str) -> None:
    assert refusal("the Java", JobRefused(stage, "why", [])) == says


def test_a_model_is_told_the_same_with_each_finding() -> None:
    finding = Diagnostic(file="A.java", line=1, column=2, code="c", message="odd")
    said = compiler_feedback(JobRefused("context", "why", [finding]))
    assert said.splitlines() == ["The code does not start: its Spring context fails: why", str(finding)]

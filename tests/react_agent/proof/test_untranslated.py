import pytest

from react_agent.proof.envelopes import Envelope
from react_agent.proof.untranslated import untranslated

LINQ = """The LINQ expression 'DbSet<Tree>()
    .OrderBy(t => t.Rank())' could not be translated.{} Either rewrite the query in a form that can be translated."""


INVALID, NOT_SUPPORTED = "System.InvalidOperationException", "System.NotSupportedException"


def throws(message, kind="error", exception=INVALID):
    return Envelope(
        call="c", instance="i", method="M", outcome="throws", kind=kind, exception=exception, message=message
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (LINQ.format(""), "its LINQ cannot be translated to SQL"),
        (LINQ.format(" Additional information: Translation of method 'Rank' failed."), "method 'Rank' failed"),
        ("SQLite does not support expressions of type 'TimeSpan' in ORDER BY clauses. Convert the values.", "ORDER BY"),
        ("SQLite cannot apply aggregate operator 'Sum' on expressions of type 'ulong'.", "operator 'Sum'"),
    ],
)
def test_a_query_that_ef_core_refuses_is_no_difference(message, said):
    thrown = throws(message, exception=NOT_SUPPORTED if message.startswith("SQLite") else INVALID)
    (reason,) = untranslated(thrown)
    assert said in reason.text
    assert "Either rewrite" not in reason.text
    assert untranslated(Envelope.from_json(thrown.to_json())) == (reason,)


@pytest.mark.parametrize(
    "envelope",
    [
        throws("Sequence contains no elements", kind="not_found"),
        throws("Value cannot be null. (Parameter 'name')"),
        throws(None),
        throws("the label could not be translated", exception="System.ArgumentException"),
        throws("The LINQ expression 'x' could not be translated.", exception="System.ArgumentException"),
        throws("SQLite cannot be used here"),
        Envelope(call="c", instance="i", method="M", outcome="none", message="SQLite cannot"),
    ],
)
def test_other_exceptions_are_the_programs_own(envelope):
    assert untranslated(envelope) == ()

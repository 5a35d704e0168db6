"""Aggregates: what `Sum`, `Min`, `Max` and `Average` return for each type."""

from react_agent.csharp.scope import Refused
from react_agent.csharp.types import NUMBERS, SCALARS, averaged, summed
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import Outcome

_OUTCOMES = {"Sum": Outcome.SUM, "Min": Outcome.MIN, "Max": Outcome.MAX, "Average": Outcome.AVERAGE}


def aggregate(name: str, selected: ClrType, span: Span) -> tuple[Outcome, ClrType]:
    """Type an aggregate over a selected value.

    Raises:
        Refused: C# has no such overload.
    """
    outcome = _OUTCOMES[name]
    match outcome:
        case Outcome.SUM:
            result = summed(selected)
        case Outcome.AVERAGE:
            result = averaged(selected)
        case _:
            result = selected if selected.name in {*NUMBERS, *SCALARS} else None
    if result is None:
        raise Refused(name, f"not read over `{selected}`", span, "Q35")
    return outcome, result

"""Chance: what a statement asks the clock, a die or a script for: no suite can tell what it gives another time."""

from collections.abc import Iterable, Iterator
from typing import Any

from react_agent.proof.capabilities import Reason, parsed

_OPERATORS = frozenset({"$rand", "$sample", "$sampleRate", "$function", "$accumulator", "$where", "$currentDate"})
_FILTERS = frozenset({"filter", "query", "q", "$match", "$literal"})
_EXPRESSIONS = frozenset({"$expr", "pipeline"})
_VARIABLES = frozenset({"$$NOW", "$$CLUSTER_TIME"})


def by_chance(statements: Iterable[Any]) -> tuple[Reason, ...]:
    """Say which parts of the statements, as an engine received them, do not give the same for the same rows.

    The Java's own clock and dice are refused before it runs; a document that it builds at run time can still name
    the server's.
    """
    found = {name for statement in statements for name in _named(parsed(statement))}
    return tuple(
        Reason(construct=name, text=f"{name} gives another result at another time, so that a proof says nothing of it")
        for name in sorted(found)
    )


def _named(node: Any, *, is_value: bool = False) -> Iterator[str]:
    """The parts of a statement that chance decides; a text that a filter compares with is a value, whatever it says."""
    if isinstance(node, dict):
        for name, part in node.items():
            if name in _OPERATORS:
                yield name
            below = (is_value or name in _FILTERS) and name not in _EXPRESSIONS
            yield from _named(part, is_value=below)
    elif isinstance(node, list):
        for item in node:
            yield from _named(item, is_value=is_value)
    elif isinstance(node, str) and node in _VARIABLES and not is_value:
        yield node

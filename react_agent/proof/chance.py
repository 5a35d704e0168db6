"""Chance: what a statement asks the clock, a die or a script for: no suite can tell what it gives another time."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from react_agent.proof.capabilities import Reason

_OPERATORS = frozenset({"$rand", "$sample", "$sampleRate", "$function", "$accumulator", "$where"})
_VARIABLES = frozenset({"$$NOW", "$$CLUSTER_TIME"})


def by_chance(statements: Iterable[Any]) -> tuple[Reason, ...]:
    """Say which parts of the statements, as an engine received them, do not give the same for the same rows.

    The Java's own clock and dice are refused before it runs; a document that it builds at run time can still name
    the server's.
    """
    found = {name for statement in statements for name in _named(_parsed(statement))}
    return tuple(
        Reason(construct=name, text=f"{name} gives another result at another time, so that a proof says nothing of it")
        for name in sorted(found)
    )


def _named(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name in _OPERATORS:
                yield name
            yield from _named(value)
    elif isinstance(node, list):
        for item in node:
            yield from _named(item)
    elif isinstance(node, str) and node in _VARIABLES:
        yield node


def _parsed(statement: Any) -> Any:
    if not isinstance(statement, str):
        return statement
    try:
        return json.loads(statement)
    except ValueError:
        return {}

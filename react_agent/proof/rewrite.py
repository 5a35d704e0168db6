"""Rewrite: every way to replace one node of a query model by another."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.values import Cell

T = TypeVar("T")

Change = Callable[[object], Iterable[tuple[object, str]]]
"""Gives a node's replacements, each with what it changes."""


def rewrites(node: T, change: Change) -> Iterator[tuple[T, str]]:
    """Yield copies of a model object with exactly one node replaced, parents before children.

    Tuples inside (clauses, keys, members) are rewritten in place; a replacement of None drops the item from its tuple.
    """
    yield from _node(node, change)


def _node(node: Any, change: Change) -> Iterator[tuple[Any, str]]:
    if isinstance(node, tuple):
        yield from _items(node, change)
    elif is_dataclass(node) and not isinstance(node, type | Cell | ClrType | Span):
        yield from change(node)
        for part in fields(node):
            for made, what in _node(getattr(node, part.name), change):
                if made is not None:
                    yield replace(node, **{part.name: made}), what


def _items(items: tuple[Any, ...], change: Change) -> Iterator[tuple[Any, str]]:
    for at, item in enumerate(items):
        for made, what in _node(item, change):
            yield items[:at] + (() if made is None else (made,)) + items[at + 1 :], what

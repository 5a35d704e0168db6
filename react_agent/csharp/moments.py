"""Moments: dates, times and Guids that the code writes as constants."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from uuid import UUID

from react_agent.csharp import syntax as cs
from react_agent.csharp.scope import Refused
from react_agent.model.mapping import ClrType
from react_agent.model.query import Call, Constant, Expression, Var, walk
from react_agent.model.values import Cell, CellType


def made(node: cs.Creation, arguments: Sequence[Expression]) -> Expression:
    """Read `new DateTime(2024, 5, 1)` and its kin.

    Raises:
        Refused: an argument is not a constant, or there is no such moment.
    """
    assert node.type is not None
    name = node.type.name
    texts = [a.cell.text for a in arguments if isinstance(a, Constant) and a.cell.text is not None]
    if node.members is None and len(texts) != len(arguments) and len(arguments) in _PARTS.get(name, ()):
        return _computed(name, node, arguments)
    if node.members is not None or len(texts) != len(arguments):
        raise Refused(f"new {name}", "only constants make a moment that is known before the query", node.span, "Q58")
    try:
        cell = MADE[name](texts)
    except (ValueError, TypeError):
        raise Refused(f"new {name}", "these arguments are not read", node.span, "Q58") from None
    return Constant(cell=cell, type=ClrType(name=name))


_PARTS = {"DateTime": (3, 6), "DateOnly": (3,)}


def _computed(name: str, node: cs.Creation, arguments: Sequence[Expression]) -> Call:
    """Make a moment of numbers that are known before the query."""
    if any(a.type.name != "int" or a.type.nullable or any(isinstance(n, Var) for n in walk(a)) for a in arguments):
        raise Refused(f"new {name}", "only numbers that are known before the query make a moment", node.span, "Q58")
    return Call(method=f"{name}.new", arguments=tuple(arguments), type=ClrType(name=name))


def _datetime(texts: Sequence[str]) -> Cell:
    if len(texts) not in {3, 6}:
        raise ValueError(texts)
    year, month, day, *clock = (int(t) for t in texts)
    hour, minute, second = clock or (0, 0, 0)
    moment = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - C#'s DateTime of no kind has no zone
    return Cell(type=CellType.DATETIME, text=f"{moment.isoformat()}.0000000", kind="Unspecified")


def _date(texts: Sequence[str]) -> Cell:
    year, month, day = (int(t) for t in texts)
    return Cell(type=CellType.DATE, text=date(year, month, day).isoformat())


def _guid(texts: Sequence[str]) -> Cell:
    (text,) = texts
    return Cell(type=CellType.GUID, text=str(UUID(text)))


MADE: dict[str, Callable[[Sequence[str]], Cell]] = {"DateTime": _datetime, "DateOnly": _date, "Guid": _guid}

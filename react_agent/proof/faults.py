"""Faults: what goes wrong in commands: a column or a condition lost, too much taken, the wrong number given back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Change,
    ChangeKind,
    Constant,
    Expression,
    From,
    OrderBy,
    Parameter,
    Query,
    Setter,
    Where,
)
from react_agent.model.values import CellType, scalar
from react_agent.proof.rewrite import Change as Rewrite
from react_agent.proof.rewrite import rewrites

Made = list[tuple[Change, str]]


def neighbours(command: Change, changes: Sequence[Rewrite], keys: frozenset[str]) -> Iterator[Made]:
    """Change one thing about a command, a list for each kind of fault; `keys` are no columns to write."""
    yield _setters(command)
    yield _kinds(command)
    for change in changes:
        found = [(query, what) for query, what in rewrites(command.query, change) if _picks(query, command)]
        yield [(replace(command, query=query), what) for query, what in found if isinstance(query, Query)]
        yield [
            (replace(command, setters=(*command.setters[:at], other, *command.setters[at + 1 :])), what)
            for at, setter in enumerate(command.setters)
            for other, what in rewrites(setter, change)
            if isinstance(other, Setter) and other.target.name not in {*keys, *_others(command, at)}
        ]


def _picks(query: object, command: Change) -> bool:
    """Whether a changed query still picks rows of the set that the command is for."""
    if not isinstance(query, Query) or query.element != command.query.element:
        return False
    return query.outcome == command.query.outcome and all(isinstance(c, From | Where | OrderBy) for c in query.clauses)


def _others(command: Change, at: int) -> set[str]:
    """The columns that the other setters write."""
    return {one.target.name for one in (*command.setters[:at], *command.setters[at + 1 :])}


def _setters(command: Change) -> Made:
    out: Made = []
    for at, setter in enumerate(command.setters):
        rest = (*command.setters[:at], *command.setters[at + 1 :])
        if rest:
            out.append((replace(command, setters=rest), f"{setter.target.name} was not set"))
        else:
            same = (replace(setter, value=setter.target),)
            out.append((replace(command, setters=same), f"{setter.target.name} was set to what it was"))
    return out


def _kinds(command: Change) -> Made:
    out: Made = []
    if command.kind == ChangeKind.UPDATE:
        out.append((replace(command, kind=ChangeKind.DELETE, setters=(), only_changed=False), "an update deleted"))
        out.append((replace(command, only_changed=not command.only_changed), "other rows were counted"))
    elif command.cascades:
        out.append((replace(command, cascades=False), "what refers to deleted rows was left"))
    return out


def counted(answer: Expression | None) -> Iterator[tuple[Expression, str]]:
    """Give back another number than the count."""
    if isinstance(answer, Parameter):
        one = Constant(cell=scalar(CellType.INT, 1), type=answer.type)
        yield Binary(operator=BinaryOperator.ADD, left=answer, right=one, type=answer.type), "the count was one more"

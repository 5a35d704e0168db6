"""Scope: what a name stands for while a query is read, and the state of reading one entry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from react_agent.csharp.declarations import Declarations
from react_agent.model.gap import Span
from react_agent.model.mapping import MappingModel
from react_agent.model.query import (
    Change,
    Clause,
    Expression,
    GroupBy,
    Include,
    JoinedOn,
    Local,
    Member,
    Query,
    Setter,
    Where,
)


class Refused(Exception):
    """A construct that is not read; it becomes the entry's gap."""

    def __init__(self, construct: str, reason: str, span: Span, hazard: str = "") -> None:
        super().__init__(f"{construct}: {reason}")
        self.construct, self.reason, self.span, self.hazard = construct, reason, span, hazard


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A query under construction: clauses so far and what one row is.

    `rooted` tells a query over an entity set from one over a collection of a row. `fresh` means that nothing has named
    the range variable yet; the first lambda's parameter will.
    """

    clauses: tuple[Clause, ...]
    element: Expression
    rooted: bool
    fresh: bool = False
    includes: tuple[Include, ...] = ()
    latest: tuple[str, ...] = ()
    """The path of the last `Include`, below which a `ThenInclude` goes."""


@dataclass(frozen=True, slots=True)
class Function:
    """A lambda with the scope it closes over."""

    parameters: tuple[str, ...]
    call: "Callable[[list[Value]], Value]"
    span: Span


@dataclass(frozen=True, slots=True)
class Context:
    """The `DbContext` that an entry works on."""


@dataclass(frozen=True, slots=True)
class Self:
    """`this`."""


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type, as the receiver of a static member."""

    name: str


@dataclass(frozen=True, slots=True)
class Token:
    """A `CancellationToken`; it changes no result."""


@dataclass(frozen=True, slots=True)
class Match:
    """The one row that a row refers to, as a join on keys finds it; `outer` where rows without one are kept."""

    row: Member
    conditions: tuple[Where, ...] = ()
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """What a method without a result gives."""


@dataclass(slots=True, kw_only=True, eq=False)
class Setters:
    """The builder that `ExecuteUpdate` hands to its lambda; each call adds to it, as EF Core's own does."""

    source: Sequence
    made: list[Setter]


Value = Expression | Sequence | Query | Function | Context | Self | TypeName | Token | Match | Nothing | Setters
Names = dict[str, Value]


@dataclass(slots=True, kw_only=True)
class Reader:
    """The state of reading one entry.

    `open` are the range variables that enclose the lambda at hand; `groups` and `distinct` remember what a variable
    that stands for a group or a distinct row is made of. `branch` is above zero inside a conditional branch.
    """

    known: Declarations
    mapping: MappingModel
    contexts: frozenset[str]
    class_name: str
    locals: dict[str, Local] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    groups: dict[str, GroupBy] = field(default_factory=dict)
    distinct: dict[str, Expression] = field(default_factory=dict)
    following: list[str] = field(default_factory=list)
    branch: int = 0
    guards: list[Expression] = field(default_factory=list)
    joined: list[JoinedOn] = field(default_factory=list)
    parts: dict[str, Query] = field(default_factory=dict)
    """The queries whose results an object is made of in memory, by the names that their results have."""
    taken: Mapping[str, Value] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    asked: list[tuple[Query, int]] = field(default_factory=list)
    """The queries that were run, each with the number of commands before it."""

    def fresh_name(self, wanted: str, sequence: Sequence | None = None) -> str:
        """Make a range variable's name unlike those in scope."""
        used = {*self.open, *(variables(sequence.clauses) if sequence else ())}
        name, count = wanted, 1
        while name in used:
            count += 1
            name = f"{wanted}{count}"
        return name


def variables(clauses: tuple[Clause, ...]) -> list[str]:
    """Name the range variables of clauses, those inside choices included."""
    return [name for clause in clauses if (name := getattr(clause, "variable", None)) is not None]

"""Aggregation stages and criteria as data."""

from dataclasses import dataclass

from react_agent.spring.java import Code
from react_agent.spring.mongodb.operators import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """`where(path).operator(value)`; negated, it also keeps documents without the field."""

    path: str
    operator: str
    arguments: tuple[Code, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementMatch:
    """`where(path).elemMatch(criterion)`, or its negation."""

    path: str
    criterion: "Criterion"
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """All parts hold."""

    parts: "tuple[Criterion, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    """One of the parts holds."""

    parts: "tuple[Criterion, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionMatch:
    """`$expr`: what query operators cannot say."""

    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaTest:
    """A condition over parameters alone, decided in Java; `true` and `false` are constants."""

    code: str


Criterion = Leaf | ElementMatch | Both | Either | ExpressionMatch | JavaTest


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """`$match`."""

    criterion: Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """`$lookup` by equality of one field."""

    collection: str
    local: str
    foreign: str
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupPipeline:
    """`$lookup` with variables and a pipeline."""

    collection: str
    variables: tuple[tuple[str, str], ...]
    stages: "tuple[Stage, ...]"
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwind:
    """`$unwind`; `keep` keeps rows with nothing to unwind."""

    path: str
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SortStage:
    """`$sort`: paths with whether each is descending."""

    keys: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipStage:
    """`$skip`."""

    count: Code


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitStage:
    """`$limit`."""

    count: Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Accumulator:
    """One result of a group: `count` needs no argument."""

    name: str
    operator: str
    argument: Node | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStage:
    """`$group`: by nothing, by one path, by named paths, or by an expression."""

    keys: tuple[tuple[str, Node], ...]
    accumulators: tuple[Accumulator, ...]
    single: bool = False
    """Whether the key is the one value itself instead of a document of named ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStage:
    """`$project`: output field and value."""

    members: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFields:
    """`$addFields`."""

    members: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceRoot:
    """`$replaceRoot` with the document at a path."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountStage:
    """`$count`."""

    into: str


Stage = (
    Match
    | Lookup
    | LookupPipeline
    | Unwind
    | SortStage
    | SkipStage
    | LimitStage
    | GroupStage
    | ProjectStage
    | AddFields
    | ReplaceRoot
    | CountStage
)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Steps that are taken where a Java condition holds: the first branch that does, else `otherwise`."""

    branches: "tuple[tuple[str, tuple[Step, ...]], ...]"
    otherwise: "tuple[Step, ...]" = ()
    subject: str = ""
    """The parameter that all conditions compare with one constant each; then `cases` holds those constants."""
    cases: tuple[str, ...] = ()


Step = Stage | When

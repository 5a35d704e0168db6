"""QueryModel: LINQ in comprehension normal form, with types, order and outcome.

A query is a flat list of clauses over named range variables, then the element that one row is, then the outcome that
consumes the rows. Method syntax and query syntax read to the same form: a `Select` in the middle is substituted into
what follows, a lambda's parameter becomes the expression it stands for. So

    from b in db.Consignments where b.ShipperCode == code from c in b.Crates select c.Pieces, SumAsync()

is clauses `From(b), Where(b.ShipperCode == @code), FromMany(c in b.Crates)`, element `c.Pieces`, outcome `SUM`.
Semantics are C#'s over EF Core: `==` on nullables is two-valued (null equals null), `!=` its negation; `<` with a null
is false; string `+` treats null as empty only where EF Core does (it does not: see the hazards Q14).
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum

from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.values import Cell


class BinaryOperator(StrEnum):
    """C#'s binary operators that a query may hold."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    AND = "&&"
    OR = "||"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"
    COALESCE = "??"
    BIT_AND = "&"
    BIT_OR = "|"


class UnaryOperator(StrEnum):
    """C#'s unary operators that a query may hold."""

    NOT = "!"
    NEGATE = "-"


class Outcome(StrEnum):
    """What consumes the rows. Async forms are the same outcome."""

    LIST = "ToList"
    COUNT = "Count"
    LONG_COUNT = "LongCount"
    ANY = "Any"
    ALL = "All"
    SUM = "Sum"
    MIN = "Min"
    MAX = "Max"
    AVERAGE = "Average"
    FIRST = "First"
    FIRST_OR_DEFAULT = "FirstOrDefault"
    SINGLE = "Single"
    SINGLE_OR_DEFAULT = "SingleOrDefault"
    LAST = "Last"
    LAST_OR_DEFAULT = "LastOrDefault"


SCALAR_OUTCOMES = frozenset({
    Outcome.COUNT,
    Outcome.LONG_COUNT,
    Outcome.ANY,
    Outcome.ALL,
    Outcome.SUM,
    Outcome.MIN,
    Outcome.MAX,
    Outcome.AVERAGE,
})
"""Outcomes that fold the rows into one value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Var:
    """A range variable; its type is an entity's name, a grouping's, or the element's of a collection."""

    name: str
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the entry method, or a local computed from them before the query (see `Local`)."""

    name: str
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A literal, a `const`, an enum member, `null`."""

    cell: Cell
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A mapped scalar, navigation or owned part of `target`; `Key` of a grouping; never `Value` or `HasValue`."""

    target: "Expression"
    name: str
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """A binary operation in C#'s semantics."""

    operator: BinaryOperator
    left: "Expression"
    right: "Expression"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary:
    """A unary operation."""

    operator: UnaryOperator
    operand: "Expression"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional:
    """`test ? then : otherwise`."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """A conversion that changes the type: `(double)x`, an implicit widening, `(int?)x`, `.Value`."""

    operand: "Expression"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A method or property of the framework: `method` is `Type.Member` (`string.Contains`, `string.Length`, `Math.Abs`,
    `DateTime.Year`, `Enum.ToString`); `target` comes first in `arguments` for an instance member.
    """

    method: str
    arguments: "tuple[Expression, ...]"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """An object made per row: a record's constructor, an initialiser or an anonymous type (`type.name` empty)."""

    members: "tuple[tuple[str, Expression], ...]"
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    """A query inside an expression, over a collection navigation or a grouping: `claim.Lines.Sum(…)`, `g.Count()`."""

    query: "Query"
    type: ClrType


Expression = Var | Parameter | Constant | Member | Binary | Unary | Conditional | Cast | Call | New | Subquery


@dataclass(frozen=True, slots=True, kw_only=True)
class From:
    """Start from an entity set: `variable` ranges over `entity` (its name in the mapping model)."""

    variable: str
    entity: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FromMany:
    """Range over a collection of each row: `SelectMany`, a second `from`, or the start of a subquery.

    `outer` keeps rows whose collection is empty (`DefaultIfEmpty`); their variable is then null.
    """

    variable: str
    collection: Expression
    span: Span
    outer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Keep rows for which `predicate` is true."""

    predicate: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderKey:
    """One sort key."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBy:
    """Sort by the keys in order: an `OrderBy` with its `ThenBy`s. A later `OrderBy` clause replaces an earlier one."""

    keys: tuple[OrderKey, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Leave out the first `count` rows."""

    count: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Keep the first `count` rows."""

    count: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct:
    """Drop duplicate elements; afterwards one row is `variable`, with the members of `element`."""

    variable: str
    element: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy:
    """Group by `key`; afterwards one row is `variable`: `Member(Var(variable), "Key")` is its key; a `Subquery` that
    starts `FromMany(collection=Var(variable))` ranges over `element` of its rows.
    """

    variable: str
    key: Expression
    element: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The clauses that are added where `condition` (over parameters only) holds."""

    condition: Expression
    clauses: "tuple[Clause, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Dynamic composition: the first branch whose condition holds, else `otherwise`. From `if`, `switch` and `?:` over
    an `IQueryable`. The branches leave the element as it was.
    """

    branches: tuple[Branch, ...]
    otherwise: "tuple[Clause, ...]"
    span: Span


Clause = From | FromMany | Where | OrderBy | Skip | Take | Distinct | GroupBy | Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Include:
    """A navigation that is loaded with each entity of the result, and what is loaded below it.

    `clauses` (over `variable`) choose and sort the elements of a collection.
    """

    navigation: str
    span: Span
    variable: str = ""
    clauses: tuple[Clause, ...] = ()
    below: "tuple[Include, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Clauses, then what one row is, then what consumes the rows.

    For `SUM`, `MIN`, `MAX` and `AVERAGE` the element is the selected value; for `ANY`, `COUNT`, `FIRST` a predicate
    argument has become a `Where`; for `ALL` the element is the predicate itself.
    """

    clauses: tuple[Clause, ...]
    element: Expression
    outcome: Outcome
    type: ClrType
    includes: tuple[Include, ...] = ()


class ChangeKind(StrEnum):
    """What a command does to the rows that it picks."""

    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setter:
    """One column that an update writes: `target` is a mapped scalar of the row, `value` reads the row as it was."""

    target: Member
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A command: the rows that `query` gives (its element is the row itself) are updated or deleted.

    `result` names the parameter that stands for the number of rows that the method gets back: every row that the query
    picks. `only_changed` would count those alone that became different, as a driver's modified count does.
    A deleted row takes along what refers to it as the foreign keys of the database say; without `cascades` it does not.
    """

    kind: ChangeKind
    query: Query
    result: str
    span: Span
    setters: tuple[Setter, ...] = ()
    only_changed: bool = False
    cascades: bool = True

    @property
    def entity(self) -> str:
        """The entity whose rows are changed, by its name in the mapping."""
        return self.query.element.type.name


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodParameter:
    """A parameter of an entry; a `CancellationToken` is left out. `default` is None where it is required."""

    name: str
    type: ClrType
    default: Cell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """A value computed from parameters before the query: `var before = ((page ?? 1) - 1) * RowsPerPage;`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of several queries that a method runs one after the other; without a query of its own it is the main one."""

    name: str
    query: Query | None
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedOn:
    """A set that the code joins on keys and that the query reads as the navigation which the keys stand for."""

    entity: str
    keys: tuple[Expression, Expression]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryMethod:
    """An entry: a public method of a class that takes the `DbContext`.

    `query` is None where a gap stands in its place (see `is_read`), and for commands alone. `returns` is without
    `Task`. `parameters` are in order.
    """

    class_name: str
    method: str
    parameters: tuple[MethodParameter, ...]
    returns: ClrType
    is_async: bool
    query: Query | None
    span: Span
    locals: tuple[Local, ...] = ()
    summary: str = ""
    guards: tuple[Expression, ...] = ()
    """Conditions over parameters under which the method throws before it asks anything."""
    joined: tuple[JoinedOn, ...] = ()
    """What the query does not show of the code: EF Core's own tree of it has these joins."""
    parts: tuple[Part, ...] = ()
    made: New | None = None
    """The object that the method makes in memory of its parts, which are parameters to it: a page with its total."""
    changes: tuple[Change, ...] = ()
    """The commands that the method sends first, in order; `query`, if there is one, asks what they left."""
    answer: Expression | None = None
    """What a method that ends with a command returns, over `Change.result`; None where it returns nothing."""

    @property
    def is_read(self) -> bool:
        """Whether the rules read it: no gap stands in its place."""
        return self.query is not None or bool(self.changes)

    @property
    def asked(self) -> tuple[Query | Change | Expression | None, ...]:
        """All that the method asks of the database, and what it makes of the answers."""
        return (*self.changes, self.query, self.answer)

    @property
    def entry(self) -> str:
        """The entry's name in reports and gaps: `Class.Method`."""
        return f"{self.class_name}.{self.method}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionMember:
    """One public property of a result class or record."""

    name: str
    type: ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionType:
    """A class or record that queries return and that is no entity. `kind` is `record` or `class`."""

    name: str
    members: tuple[ProjectionMember, ...]
    kind: str
    span: Span
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryModel:
    """All entries of the sources, with the classes they stand in and the types they return."""

    methods: tuple[QueryMethod, ...]
    projections: tuple[ProjectionType, ...] = ()
    namespaces: tuple[tuple[str, str], ...] = ()
    """Class name to namespace, for the classes of `methods`."""


def walk(node: object) -> Iterator[object]:
    """Yield `node` and every model object below it, parents first, subqueries included."""
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item)
    elif is_dataclass(node) and not isinstance(node, type | Cell | ClrType | Span):
        yield node
        for part in fields(node):
            yield from walk(getattr(node, part.name))

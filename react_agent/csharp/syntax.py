"""A typed tree of the C# that a data layer holds. What fills it is `parse`; readers know nothing of the parser.

Parentheses and the null-forgiving `!` have no node: they do not change what a query means. What the tree has no type
for is `Opaque`, with the construct's name, so that a reader can refuse it at its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

from react_agent.model.gap import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRef:
    """A type as written: its short name, `Array` for `T[]`, `var` where it is inferred.

    `oblivious` marks text under `#nullable disable`, where a reference type may always be null.
    """

    name: str
    span: Span
    arguments: "tuple[TypeRef, ...]" = ()
    nullable: bool = False
    oblivious: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A simple name, with type arguments where it is generic."""

    name: str
    span: Span
    arguments: tuple[TypeRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A literal; `kind` is integer, real, char, string, bool or null; `text` is decoded for char and string."""

    kind: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """`target.name`."""

    target: "Expression"
    name: str
    span: Span
    arguments: tuple[TypeRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The receiver inside the right side of `?.`."""

    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalAccess:
    """`target?.rest`; `rest` starts at a `Bound`."""

    target: "Expression"
    rest: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument, with its name where it has one."""

    value: "Expression"
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A call."""

    function: "Expression"
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementAccess:
    """`target[index]`."""

    target: "Expression"
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Lambda:
    """A lambda with an expression or a block as its body; `source` is its text."""

    parameters: tuple[str, ...]
    body: "Expression | Block"
    span: Span
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Infix:
    """A binary operator, as written."""

    operator: str
    left: "Expression"
    right: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """A prefix operator, as written."""

    operator: str
    operand: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Ternary:
    """`test ? then : otherwise`."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class CastTo:
    """`(type)operand`."""

    type: TypeRef
    operand: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation:
    """`new T(arguments) { members }`; `type` is None for `new(…)`; `members` None without an initialiser."""

    type: TypeRef | None
    arguments: tuple[Argument, ...]
    members: "tuple[tuple[str, Expression], ...] | None"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymous:
    """`new { a.B, C = d }`, names filled in."""

    members: "tuple[tuple[str, Expression], ...]"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """`[a, b]`, `new[] { a, b }`."""

    items: "tuple[Expression, ...]"
    span: Span
    type: TypeRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Await:
    """`await operand`."""

    operand: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """`operand is pattern`."""

    operand: "Expression"
    pattern: "Pattern"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm of a switch expression."""

    pattern: "Pattern"
    guard: "Expression | None"
    value: "Expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchExpression:
    """`value switch { … }`."""

    value: "Expression"
    arms: tuple[Arm, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpolated:
    """`$"…{a}…"`; a part is text or an expression."""

    parts: "tuple[str | Expression, ...]"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`left = right`, or a compound one."""

    operator: str
    left: "Expression"
    right: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw:
    """`throw …`, as an expression or a statement."""

    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """`default`, `default(T)`."""

    type: TypeRef | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOf:
    """`typeof(T)`."""

    type: TypeRef
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """What this tree has no type for, an unreadable piece or a preprocessor branch included."""

    construct: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClause:
    """`from name in source`."""

    name: str
    source: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class WhereClause:
    """`where predicate`."""

    predicate: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class LetClause:
    """`let name = value`."""

    name: str
    value: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderClause:
    """`orderby a, b descending`."""

    keys: "tuple[tuple[Expression, bool], ...]"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinClause:
    """`join name in source on left equals right`, with `into` where it groups."""

    name: str
    source: "Expression"
    left: "Expression"
    right: "Expression"
    into: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectClause:
    """`select value`."""

    value: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupClause:
    """`group element by key`."""

    element: "Expression"
    key: "Expression"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class IntoClause:
    """`into name`, which starts a new query over the one before."""

    name: str
    span: Span


QueryClause = (
    FromClause | WhereClause | LetClause | OrderClause | JoinClause | SelectClause | GroupClause | IntoClause | Opaque
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySyntax:
    """A query expression, clause by clause."""

    clauses: tuple[QueryClause, ...]
    span: Span


Expression = (
    Name
    | Literal
    | Access
    | Bound
    | ConditionalAccess
    | Invocation
    | ElementAccess
    | Lambda
    | Infix
    | Prefix
    | Ternary
    | CastTo
    | Creation
    | Anonymous
    | Collection
    | Await
    | Matches
    | SwitchExpression
    | Interpolated
    | Assignment
    | Throw
    | Default
    | TypeOf
    | QuerySyntax
    | Opaque
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePattern:
    """A constant pattern, or with an operator a relational one."""

    value: Expression
    operator: str = "=="


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPattern:
    """`not pattern`."""

    pattern: "Pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class BothPattern:
    """`left and right`, `left or right`."""

    operator: str
    left: "Pattern"
    right: "Pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyPattern:
    """`_`, `{ }` is a `NotPattern` of null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindPattern:
    """`T name` or `{ } name`: not null, and from there on known by a name; `type` is None for `{ }` and `var`."""

    name: str
    type: TypeRef | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersPattern:
    """`T { Name: pattern, … } name`: not null, every member matches; `name` may be empty."""

    members: "tuple[tuple[str, Pattern], ...]"
    type: TypeRef | None
    name: str


Pattern = ValuePattern | NotPattern | BothPattern | AnyPattern | BindPattern | MembersPattern | Opaque


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """`{ … }`."""

    statements: "tuple[Statement, ...]"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalVariable:
    """`type name = value;`, `const` included."""

    name: str
    type: TypeRef
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluate:
    """An expression statement."""

    expression: Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """`return value;`."""

    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    """`if (test) then else otherwise`."""

    test: Expression
    then: "Statement"
    otherwise: "Statement | None"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of a switch; a label is a pattern with its guard, None for `default`."""

    labels: tuple[tuple[Pattern, Expression | None] | None, ...]
    statements: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch statement."""

    value: Expression
    sections: tuple[Section, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """`break;`."""

    span: Span


Statement = Block | LocalVariable | Evaluate | Return | If | Switch | Break | Throw | Opaque


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """`[Name(arguments)]`, the name without its `Attribute` suffix."""

    name: str
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterDeclaration:
    """A parameter of a method, constructor or record."""

    name: str
    type: TypeRef
    default: Expression | None
    span: Span
    attributes: tuple[Attribute, ...] = ()
    params: bool = False
    modifier: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyDeclaration:
    """A property. `body` is the getter's expression where it has one; `setter` whether it can be set or initialised."""

    name: str
    type: TypeRef
    modifiers: frozenset[str]
    attributes: tuple[Attribute, ...]
    setter: bool
    auto: bool
    body: Expression | None
    span: Span
    public_getter: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDeclaration:
    """One field."""

    name: str
    type: TypeRef
    modifiers: frozenset[str]
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodDeclaration:
    """A method; `body` is None where it is abstract. An expression body is a block that returns it."""

    name: str
    modifiers: frozenset[str]
    returns: TypeRef
    type_parameters: tuple[str, ...]
    parameters: tuple[ParameterDeclaration, ...]
    body: Block | None
    attributes: tuple[Attribute, ...]
    summary: str
    span: Span
    expression_bodied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstructorDeclaration:
    """A constructor."""

    parameters: tuple[ParameterDeclaration, ...]
    modifiers: frozenset[str]
    body: Block | None
    span: Span


MemberDeclaration = PropertyDeclaration | FieldDeclaration | MethodDeclaration | ConstructorDeclaration | Opaque


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDeclaration:
    """A class, record, struct or interface. `primary` are the parameters behind its name, None without them."""

    name: str
    kind: str
    namespace: str
    modifiers: frozenset[str]
    type_parameters: tuple[str, ...]
    bases: tuple[TypeRef, ...]
    primary: tuple[ParameterDeclaration, ...] | None
    members: tuple[MemberDeclaration, ...]
    attributes: tuple[Attribute, ...]
    span: Span
    outer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumDeclaration:
    """An enum; a member's value is None where it follows the one before."""

    name: str
    namespace: str
    underlying: str
    members: tuple[tuple[str, Expression | None], ...]
    attributes: tuple[Attribute, ...]
    span: Span
    outer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A place that the parser could not read. `inside` names the type it stands in, empty outside of all."""

    message: str
    span: Span
    inside: str = ""
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One file."""

    path: str
    types: tuple[TypeDeclaration, ...]
    enums: tuple[EnumDeclaration, ...]
    problems: tuple[Problem, ...]
    usings: tuple[str, ...] = ()


def nodes(tree: object) -> Iterator[object]:
    """Yield `tree` and every node below it, parents first."""
    if isinstance(tree, tuple):
        for item in tree:
            yield from nodes(item)
    elif is_dataclass(tree) and not isinstance(tree, type | Span):
        yield tree
        for part in fields(tree):
            yield from nodes(getattr(tree, part.name))

"""Mutants: near neighbours of an entry's query. A suite that cannot tell them apart proves little.

Operator neighbours, dropped parts, and the faults that migrations make: an inner join for an optional one, nulls kept
or lost, a wrong fold, a page off by one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice

from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Choice,
    Constant,
    Distinct,
    Expression,
    From,
    FromMany,
    GroupBy,
    Member,
    New,
    OrderBy,
    OrderKey,
    Outcome,
    Parameter,
    Query,
    QueryMethod,
    Skip,
    Take,
    Unary,
    UnaryOperator,
    Var,
    Where,
    walk,
)
from react_agent.model.values import NULL, Cell, CellType, scalar
from react_agent.proof.domain import RANGES
from react_agent.proof.faults import counted, neighbours
from react_agent.proof.places import entity_of
from react_agent.proof.probe import Probe
from react_agent.proof.rewrite import Change, rewrites
from react_agent.proof.tables import properties_of
from react_agent.proof.verdict import MutantScore

COMMANDS = 20
"""How many mutants an entry with commands gets at most: each call of each starts from rows loaded anew."""

MOST = 40
"""How many mutants an entry gets at most, spread over the kinds of change."""

Made = Iterator[tuple[object, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One neighbour of an entry: a whole method under a name of its own, and what was changed."""

    id: str
    description: str
    method: QueryMethod


def mutants(method: QueryMethod, mapping: MappingModel, most: int = MOST) -> tuple[Mutant, ...]:
    """Make an entry's mutants, each with exactly one change.

    Left out are those that behave as the entry does: where the query can be followed, a mutant must differ from it
    somewhere on instances of the judge's own, other than those of any proof.
    """
    if not method.is_read:
        return ()
    names = {p.name: p for p in method.parameters}
    changes = (
        *_CHANGES,
        lambda node: _references(node, mapping),
        lambda node: _members(node, mapping),
        lambda node: _parameters(node, names),
    )
    series = [*_commands(method, mapping, changes), *(_queries(method, change) for change in changes)]
    made: dict[str, tuple[QueryMethod, str]] = {repr(method.asked): (method, "")}
    for other, what in _in_turn(series):
        made.setdefault(repr(other.asked), (other, what))
    found = (
        Mutant(id=f"m{at}", description=what, method=replace(other, method=_named(method.method, at)))
        for at, (other, what) in enumerate(made.values())
        if at > 0
    )
    probe = Probe(method, mapping)
    return tuple(islice((m for m in found if probe.tells(m.method)), min(most, COMMANDS) if method.changes else most))


def _queries(method: QueryMethod, change: Change) -> list[tuple[QueryMethod, str]]:
    """The method with its query changed."""
    if method.query is None:
        return []
    return [(replace(method, query=query), what) for query, what in _of(method.query, change)]


def _commands(
    method: QueryMethod, mapping: MappingModel, changes: Sequence[Change]
) -> list[list[tuple[QueryMethod, str]]]:
    """The method with one of its commands changed, or what it makes of their counts."""
    out: list[list[tuple[QueryMethod, str]]] = []
    for at, command in enumerate(method.changes):
        before, after = method.changes[:at], method.changes[at + 1 :]
        entity = mapping.find(command.entity)
        keys = frozenset(entity.key) if entity is not None else frozenset()
        out.extend(
            [(replace(method, changes=(*before, other, *after)), what) for other, what in made]
            for made in neighbours(command, changes, keys)
        )
        if len(method.changes) > 1:
            out.append([(replace(method, changes=(*before, *after)), f"{command.kind} {at + 1} was dropped")])
    out.append([(replace(method, answer=answer), what) for answer, what in counted(method.answer)])
    return out


def _named(name: str, at: int) -> str:
    is_async = name.endswith("Async")
    return f"{name.removesuffix('Async')}Mutant{at}{'Async' if is_async else ''}"


def _of(query: Query, change: Change) -> list[tuple[Query, str]]:
    return [(made, what) for made, what in rewrites(query, change) if isinstance(made, Query)]


def _in_turn(series: Sequence[list[tuple[QueryMethod, str]]]) -> Iterator[tuple[QueryMethod, str]]:
    """One of each kind of change after the other, so that the limit cuts no kind off."""
    for at in range(max((len(s) for s in series), default=0)):
        yield from (s[at] for s in series if at < len(s))


_NEIGHBOURS = {
    BinaryOperator.EQUAL: (BinaryOperator.NOT_EQUAL,),
    BinaryOperator.NOT_EQUAL: (BinaryOperator.EQUAL,),
    BinaryOperator.LESS: (BinaryOperator.LESS_OR_EQUAL, BinaryOperator.GREATER),
    BinaryOperator.LESS_OR_EQUAL: (BinaryOperator.LESS, BinaryOperator.GREATER_OR_EQUAL),
    BinaryOperator.GREATER: (BinaryOperator.GREATER_OR_EQUAL, BinaryOperator.LESS),
    BinaryOperator.GREATER_OR_EQUAL: (BinaryOperator.GREATER, BinaryOperator.LESS_OR_EQUAL),
    BinaryOperator.AND: (BinaryOperator.OR,),
    BinaryOperator.OR: (BinaryOperator.AND,),
    BinaryOperator.ADD: (BinaryOperator.SUBTRACT,),
    BinaryOperator.SUBTRACT: (BinaryOperator.ADD,),
    BinaryOperator.MULTIPLY: (BinaryOperator.ADD,),
}


def _operators(node: object) -> Made:
    if isinstance(node, Binary) and node.type.name != "string":
        for other in _NEIGHBOURS.get(node.operator, ()):
            yield replace(node, operator=other), f"{node.operator} became {other}"


def _parts(node: object) -> Made:
    """Half of a condition dropped, a default dropped, a negation dropped or added."""
    if isinstance(node, Binary) and node.operator in {BinaryOperator.AND, BinaryOperator.OR}:
        yield node.left, f"the right side of {node.operator} was dropped"
        yield node.right, f"the left side of {node.operator} was dropped"
    if isinstance(node, Binary) and node.operator == BinaryOperator.COALESCE and node.left.type == node.type:
        yield node.left, "the default of ?? was dropped"
    if isinstance(node, Unary) and node.operator == UnaryOperator.NOT:
        yield node.operand, "a negation was dropped"
    if isinstance(node, Where):
        negated = Unary(operator=UnaryOperator.NOT, operand=node.predicate, type=node.predicate.type)
        yield replace(node, predicate=negated), "a condition was negated"


def _dropped(node: object) -> Made:
    if isinstance(node, Where):
        yield None, "a condition was dropped"
    elif isinstance(node, OrderBy):
        yield from _dropped_keys(node)
    elif isinstance(node, Skip | Take):
        yield None, f"{type(node).__name__} was dropped"
    elif isinstance(node, Choice) and len(node.branches) > 1:
        for at in range(len(node.branches)):
            yield replace(node, branches=node.branches[:at] + node.branches[at + 1 :]), f"branch {at + 1} was dropped"


def _dropped_keys(node: OrderBy) -> Made:
    if len(node.keys) == 1:
        yield None, "the order was dropped"
        return
    for at in range(len(node.keys)):
        yield replace(node, keys=node.keys[:at] + node.keys[at + 1 :]), f"sort key {at + 1} was dropped"


def _orders(node: object) -> Made:
    if isinstance(node, OrderKey):
        yield replace(node, descending=not node.descending), "a sort direction was reversed"


def _literals(node: object) -> Made:
    if isinstance(node, Skip | Take) and not isinstance(node.count, Constant):
        return
    if isinstance(node, Constant):
        for cell in _near(node.cell):
            yield replace(node, cell=cell), f"{node.cell.text} became {cell.text}"


def _near(cell: Cell) -> Iterator[Cell]:
    text = cell.text or ""
    if cell.type in RANGES:
        yield from (scalar(cell.type, int(text) + step) for step in (1, -1) if int(text) + step >= 0 or int(text) < 0)
    elif cell.type == CellType.DECIMAL:
        yield scalar(cell.type, f"{Decimal(text) + Decimal('0.01'):f}")
    elif cell.type == CellType.STRING and text:
        yield from (scalar(cell.type, other) for other in (text.swapcase(), text + "x") if other != text)
    elif cell.type == CellType.BOOL:
        yield scalar(cell.type, text != "true")


def _pages(node: object) -> Made:
    """A page off by one, for counts that are computed."""
    if isinstance(node, Skip | Take):
        one = Constant(cell=scalar(CellType.INT, 1), type=node.count.type)
        count = Binary(operator=BinaryOperator.ADD, left=node.count, right=one, type=node.count.type)
        yield replace(node, count=count), f"{type(node).__name__} was one too many"


def _joins(node: object) -> Made:
    """A join that keeps the rows it should lose, or the reverse; what a subquery itself ranges over is no join."""
    if isinstance(node, Query):
        for at, clause in enumerate(node.clauses):
            if at and isinstance(clause, FromMany):
                other = replace(clause, outer=not clause.outer)
                clauses = (*node.clauses[:at], other, *node.clauses[at + 1 :])
                yield replace(node, clauses=clauses), "a join became " + ("inner" if clause.outer else "outer")


_FOLDS = {
    Outcome.COUNT: (),
    Outcome.SUM: (Outcome.MAX, Outcome.MIN),
    Outcome.MIN: (Outcome.MAX,),
    Outcome.MAX: (Outcome.MIN,),
    Outcome.ANY: (),
    Outcome.ALL: (Outcome.ANY,),
    Outcome.FIRST: (Outcome.SINGLE, Outcome.FIRST_OR_DEFAULT, Outcome.LAST),
    Outcome.FIRST_OR_DEFAULT: (Outcome.SINGLE_OR_DEFAULT, Outcome.FIRST),
    Outcome.SINGLE: (Outcome.FIRST, Outcome.SINGLE_OR_DEFAULT),
    Outcome.SINGLE_OR_DEFAULT: (Outcome.FIRST_OR_DEFAULT, Outcome.SINGLE),
    Outcome.LAST: (Outcome.FIRST,),
    Outcome.LAST_OR_DEFAULT: (Outcome.FIRST_OR_DEFAULT,),
}


def _outcomes(node: object) -> Made:
    if not isinstance(node, Query):
        return
    for other in _FOLDS.get(node.outcome, ()):
        is_all = node.outcome == Outcome.ALL
        clauses = node.clauses
        if is_all:
            span = next((c.span for c in clauses if isinstance(c, From | FromMany)), None)
            if span is None:
                continue
            clauses = (*clauses, Where(predicate=node.element, span=span))
        yield replace(node, outcome=other, clauses=clauses), f"{node.outcome} became {other}"
    if node.outcome == Outcome.SUM and node.type.name in {"int", "long"}:
        outcome = Outcome.COUNT if node.type.name == "int" else Outcome.LONG_COUNT
        yield replace(node, outcome=outcome), f"Sum became {outcome}"


def _distincts(node: object) -> Made:
    """A Distinct that is dropped ranges over every element instead of each once."""
    if isinstance(node, Query):
        for at, clause in enumerate(node.clauses):
            if isinstance(clause, Distinct) and at == len(node.clauses) - 1:
                is_whole = getattr(node.element, "name", None) == clause.variable
                if is_whole:
                    yield replace(node, clauses=node.clauses[:at], element=clause.element), "Distinct was dropped"


_EQUALITIES = {BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL}


def _nulls(node: object) -> Made:
    """Three-valued logic in place of C#'s: a comparison with null keeps no row."""
    if not isinstance(node, Binary) or node.operator not in _EQUALITIES:
        return
    for side in (node.left, node.right):
        is_bare = isinstance(side, Member | Parameter) and side.type.nullable
        if is_bare and not _is_null(node.left) and not _is_null(node.right):
            known = Binary(operator=BinaryOperator.NOT_EQUAL, left=side, right=_null_of(side), type=node.type)
            both = Binary(operator=BinaryOperator.AND, left=node, right=known, type=node.type)
            yield both, f"{side.name} {node.operator} lost its nulls"


def _is_null(side: Expression) -> bool:
    return isinstance(side, Constant) and side.cell.is_null


def _null_of(side: Expression) -> Constant:
    return Constant(cell=NULL, type=replace(side.type, nullable=True))


def _texts(node: object) -> Made:
    """Text compared without case; a search that became a prefix."""
    if isinstance(node, Binary) and node.operator in _EQUALITIES:
        is_text = node.left.type.name == node.right.type.name == "string"
        if is_text and not _is_null(node.left) and not _is_null(node.right):
            yield replace(node, left=_lower(node.left), right=_lower(node.right)), f"{node.operator} ignored case"
    other = {"string.Contains": "string.StartsWith", "string.StartsWith": "string.Contains"}
    if isinstance(node, Call) and node.method in other:
        yield replace(node, method=other[node.method]), f"{node.method} became {other[node.method]}"


def _lower(part: Expression) -> Call:
    return Call(method="string.ToLower", arguments=(part,), type=part.type)


def _groups(node: object) -> Made:
    """A group of nulls that is lost; groups by day in place of by moment."""
    if isinstance(node, Query):
        for at, clause in enumerate(node.clauses):
            if isinstance(clause, GroupBy) and clause.key.type.nullable and not isinstance(clause.key, New):
                null = _null_of(clause.key)
                known = Binary(
                    operator=BinaryOperator.NOT_EQUAL, left=clause.key, right=null, type=ClrType(name="bool")
                )
                kept = Where(predicate=known, span=clause.span)
                yield (
                    replace(node, clauses=(*node.clauses[:at], kept, *node.clauses[at:])),
                    "the group of nulls was lost",
                )
    if isinstance(node, GroupBy) and node.key.type.name == "DateTime":
        day = Call(method="DateTime.Date", arguments=(node.key,), type=node.key.type)
        yield replace(node, key=day), "groups by moment became groups by day"


_CHANGES = (
    *(_operators, _dropped, _outcomes, _literals, _parts, _orders),
    *(_joins, _pages, _distincts, _nulls, _texts, _groups),
)


def _references(node: object, mapping: MappingModel) -> Made:
    """An optional reference joined as a required one: rows without it vanish."""
    if not isinstance(node, Query):
        return
    keys = [k.expression for c in node.clauses if isinstance(c, OrderBy) for k in c.keys]
    span = next((c.span for c in node.clauses if isinstance(c, From | FromMany)), None)
    found = [m for m in walk((node.element, *keys)) if isinstance(m, Member) and _is_optional(m, mapping)]
    for member in dict.fromkeys(map(repr, found)) if span else ():
        reference = next(m for m in found if repr(m) == member)
        root = reference.target
        if span is not None and isinstance(root, Var) and any(_ranges(c, root.name) for c in node.clauses):
            null = _null_of(reference)
            there = Binary(operator=BinaryOperator.NOT_EQUAL, left=reference, right=null, type=ClrType(name="bool"))
            at = max(n for n, c in enumerate(node.clauses) if _ranges(c, root.name)) + 1
            clauses = (*node.clauses[:at], Where(predicate=there, span=span), *node.clauses[at:])
            yield replace(node, clauses=clauses), f"rows without {reference.name} were lost"


def _ranges(clause: object, variable: str) -> bool:
    return isinstance(clause, From | FromMany) and clause.variable == variable


def _is_optional(member: Member, mapping: MappingModel) -> bool:
    owner = entity_of(mapping, member.target)
    navigation = owner.find_navigation(member.name) if owner is not None else None
    target = mapping.find(navigation.target) if navigation is not None else None
    is_plain = target is not None and target.owned_by is None and not target.complex
    return navigation is not None and is_plain and not navigation.collection and not navigation.required


def _members(node: object, mapping: MappingModel) -> Made:
    """Another member of the same type in place of the right one, the next in declaration order."""
    if not isinstance(node, Member):
        return
    entity = entity_of(mapping, node.target)
    if entity is None:
        return
    same = [p for p in properties_of(mapping, entity) if p.type.name == node.type.name and not p.shadow]
    names = [p.name for p in same]
    if node.name in names and len(names) > 1:
        other = same[(names.index(node.name) + 1) % len(names)]
        if other.nullable == node.type.nullable or node.type.nullable:
            yield replace(node, name=other.name), f"{node.name} became {other.name}"


def _parameters(node: object, names: dict) -> Made:
    if isinstance(node, Parameter) and node.name in names:
        for name, other in names.items():
            if name != node.name and other.type == names[node.name].type:
                yield replace(node, name=name), f"{node.name} became {name}"


def score(made: Sequence[Mutant], killed: Collection[str], *, equal: Collection[str] = ()) -> MutantScore:
    """Count the mutants that were told apart, by id; `equal` are those known to behave as the entry does."""
    live = [m for m in made if m.id not in equal]
    survivors = tuple(m.description for m in live if m.id not in killed)
    return MutantScore(live=len(live), killed=len(live) - len(survivors), survivors=survivors)

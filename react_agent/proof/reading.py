"""Reading: whether the query as we read it is the query as EF Core ran it. A model that misreads proves nothing.

EF prints each query's expression tree. It is not parsed: the operators, entity sets and members in its text are
counted and held against those of the model, for the branches that the call's arguments choose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from react_agent.model.mapping import MappingModel
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Clause,
    Constant,
    Distinct,
    From,
    FromMany,
    GroupBy,
    Include,
    Member,
    New,
    OrderBy,
    Outcome,
    Query,
    QueryMethod,
    Skip,
    Subquery,
    Take,
    Var,
    walk,
)
from react_agent.model.values import Cell
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import chosen_clauses, evaluate, value_for
from react_agent.proof.order import OrderRule
from react_agent.proof.runtime import Unknown

_SET = re.compile(r"DbSet<([\w.]+)>\(")
_STEP = re.compile(r"\.(OrderBy|ThenBy)(Descending)?\(|\.(Skip|Take|Distinct|GroupBy|SelectMany)\(")
_MEMBER = re.compile(r"\.(\w+)\b(?![(<\w])|EF\.Property<[^>]*>\(\w+, \"(\w+)\"\)")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FOLDED = re.compile(r"\b(?:True|False)\b")
"""Where arguments alone decide a part of a condition, EF prints what it came to."""
_INITIALISER = re.compile(r"\bnew [\w.<>, ]+\s*\{")
_ASSIGNED = re.compile(r"\b(\w+) = ")
_LAST = re.compile(r"^    \.(\w+)\(", re.MULTILINE)
_AT = re.compile(r"\.ElementAt(OrDefault)?\(")
_REVERSED = re.compile(r"\.Reverse\(")
_OUTCOMES = {outcome.value: outcome for outcome in Outcome if outcome != Outcome.LIST}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    """What a query consists of, as far as both a model and a printed tree tell."""

    sets: Counter[str]
    steps: Counter[str]
    outcome: str
    members: frozenset[str]


def disagreement(
    method: QueryMethod,
    mapping: MappingModel,
    tables: Mapping[str, tuple],
    args: Mapping[str, Cell],
    source: Envelope,
    rule: OrderRule,
) -> str:
    """Say in what our reading of a query disagrees with EF on a call; empty where it agrees, or cannot be told.

    Two opinions are asked: the tree that EF printed, and the interpreter, which runs the model over the same rows.
    """
    if not method.is_read or method.parts:
        return ""
    if method.changes:  # EF prints the tree of each command: whether they are ours shows in what they did
        return _another_result(method, mapping, tables, args, source, rule)
    return misread(method, mapping, args, source.reading) or _another_result(
        method, mapping, tables, args, source, rule
    )


def _another_result(
    method: QueryMethod,
    mapping: MappingModel,
    tables: Mapping[str, tuple],
    args: Mapping[str, Cell],
    source: Envelope,
    rule: OrderRule,
) -> str:
    if source.outcome == "throws" and source.kind == "error":
        return ""
    try:
        opinion = evaluate(method, mapping, tables, args)
    except Unknown:
        return ""
    if opinion.state is not None or source.state is not None:
        # Who sent no write left the rows as they were, also where the other side, or the Java, sent one.
        source, opinion = (replace(one, state=one.state or dict(tables)) for one in (source, opinion))
    found = compare(source, opinion, replace(rule, loaded=frozenset()))  # the interpreter loads no navigations
    if found is None or found.kind == DifferenceKind.UNDETERMINED:
        return ""
    return f"by our reading the result is another one ({found.message})"


def misread(method: QueryMethod, mapping: MappingModel, args: Mapping[str, Cell], trees: Sequence[str]) -> str:
    """Hold EF's tree against the model; empty where they fit, or where the call sent not exactly one query."""
    clauses = chosen_clauses(method, args)
    if len(trees) != 1 or method.query is None or clauses is None:
        return ""
    ours, theirs = _of_model(method, clauses, mapping), _of_tree(trees[0], mapping)
    if _REVERSED.search(_TEXT.sub('""', trees[0])):
        ours, theirs = _undirected(ours), _undirected(theirs)
    if method.joined:
        ours, theirs = _without_ways(ours, mapping), _without_ways(theirs, mapping)
    for what, mine, other in (("entity sets", ours.sets, theirs.sets), ("steps", ours.steps, theirs.steps)):
        if mine != other:
            return (
                f"EF has the {what} {_listed(other - mine)}, our reading {_listed(mine - other)} beside those both have"
            )
    if ours.outcome != theirs.outcome:
        return f"EF ends with {theirs.outcome or 'a list'}, our reading with {ours.outcome or 'a list'}"
    # What a projection made looks like a member of an entity in EF's text.
    more = sorted(theirs.members - ours.members - _named(method.query))
    hidden = _navigations(mapping) if method.joined else frozenset()
    hidden |= _passed(method.query, clauses, trees[0]) | _decided(method, clauses, args)
    less = sorted(ours.members - theirs.members - hidden) if not _FOLDED.search(trees[0]) else []
    if more or less:
        return f"EF reads the members {more or 'no others'}, our reading {less or 'no others'} beside those both read"
    return ""


def _decided(method: QueryMethod, clauses: tuple[Clause, ...], args: Mapping[str, Cell]) -> frozenset[str]:
    """Members of conditions that the arguments decide: EF drops what `null == null ||` makes idle."""
    idle: set[str] = set()
    for node in walk(clauses):
        if isinstance(node, Binary) and node.operator in {BinaryOperator.AND, BinaryOperator.OR}:
            for one, other in ((node.left, node.right), (node.right, node.left)):
                is_fixed = not any(isinstance(part, Member | Var | Subquery) for part in walk(one))
                if is_fixed and value_for(method, args, one) is (node.operator == BinaryOperator.OR):
                    idle |= {part.name for part in walk(other) if isinstance(part, Member)}
    return frozenset(idle)


def _passed(query: Query, clauses: tuple[Clause, ...], tree: str) -> frozenset[str]:
    """Members that only a constructor's arguments read where an initialiser follows: EF prints just that one."""
    if not _INITIALISER.search(tree):
        return frozenset()
    initialised = set(_ASSIGNED.findall(tree))
    made = [n for n in walk(query.element) if isinstance(n, New)]
    passed = [value for n in made for name, value in n.members if name not in initialised]
    shown = [value for n in made for name, value in n.members if name in initialised and not isinstance(value, New)]
    read = {n.name for n in walk((clauses, query.includes, tuple(shown))) if isinstance(n, Member)}
    return frozenset(n.name for n in walk(tuple(passed)) if isinstance(n, Member)) - read


def _navigations(mapping: MappingModel) -> frozenset[str]:
    return frozenset(n.name for e in mapping.entities for n in e.navigations)


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" if n > 1 else name for name, n in sorted(counted.items())) or "no others"


def _without_ways(outline: _Outline, mapping: MappingModel) -> _Outline:
    """Leave out how rows are reached: keys that the code joins on read as the navigation they stand for."""
    ways = {n.name for e in mapping.entities for n in e.navigations}
    steps = Counter({name: count for name, count in outline.steps.items() if name != "SelectMany"})
    return replace(outline, steps=steps, members=outline.members - ways)


def _of_model(method: QueryMethod, clauses: tuple[Clause, ...], mapping: MappingModel) -> _Outline:
    query = method.query
    assert query is not None
    included = [n for n in walk(query.includes) if isinstance(n, Include)]
    parts = (clauses, query.element, query.includes, method.joined)
    nested = [n.query for n in walk(parts) if isinstance(n, Subquery)]
    levels = [clauses, *(q.clauses for q in nested), *(i.clauses for i in included)]
    found = [clause for level in levels for clause in level]
    sets = Counter(_plain(mapping, n.entity) for n in found if isinstance(n, From))
    sets += Counter(_plain(mapping, joined.entity) for joined in method.joined)
    steps = Counter(step for level in levels for step in _steps(level))
    names = (n.name if isinstance(n, Member) else n.navigation for n in walk(parts) if isinstance(n, Member | Include))
    members = _known(names, mapping)
    outcome = _outcome(query)
    return _Outline(sets=sets, steps=steps, outcome=outcome, members=members)


def _outcome(query: Query) -> str:
    """The operator that ends the code's query; `!Any` reads as all rows for what is never true."""
    if query.outcome == Outcome.ALL and isinstance(query.element, Constant):
        return Outcome.ANY.value
    return "" if query.outcome == Outcome.LIST else query.outcome.value


def _plain(mapping: MappingModel, name: str) -> str:
    entity = mapping.find(name)
    return entity.clr_name if entity is not None else name


def _steps(level: Sequence[Clause]) -> Iterator[str]:
    for at, clause in enumerate(level):
        if isinstance(clause, OrderBy):
            for n, key in enumerate(clause.keys):
                yield ("ThenBy" if n else "OrderBy") + ("Descending" if key.descending else "")
        elif isinstance(clause, Skip | Take | Distinct | GroupBy):
            yield type(clause).__name__
        elif isinstance(clause, FromMany) and at > 0:
            yield "SelectMany"


def _undirected(outline: _Outline) -> _Outline:
    """Leave out which way rows are sorted: where EF reverses an order, our reading turns its keys."""
    steps = Counter(name.removesuffix("Descending") for name in outline.steps.elements())
    return replace(outline, steps=steps)


def _of_tree(tree: str, mapping: MappingModel) -> _Outline:
    # The row at a position is the first one behind those before it.
    bare = _AT.sub(r".Skip()\n    .First\1(", _TEXT.sub('""', tree))
    steps = Counter(m[3] or m[1] + (m[2] or "") for m in _STEP.finditer(bare))
    last = _LAST.findall(bare)
    outcome = last[-1] if last and last[-1] in _OUTCOMES else ""
    names = (m[1] or m[2] for m in _MEMBER.finditer(tree))
    sets = Counter(name.rsplit(".", 1)[-1] for name in _SET.findall(bare))
    return _Outline(sets=sets, steps=steps, outcome=outcome, members=_known(names, mapping))


def _known(names: Iterator[str], mapping: MappingModel) -> frozenset[str]:
    """The names of mapped members; `Key` and `Count` are also a grouping's and a list's."""
    every = {p.name for e in mapping.entities for p in e.properties}
    every |= {n.name for e in mapping.entities for n in e.navigations}
    every |= {e.owner_navigation for e in mapping.entities if e.owner_navigation}
    return frozenset(names) & every - {"Key", "Count"}


def _named(query: Query) -> frozenset[str]:
    """Members of what a projection makes: in EF's text they look like those of an entity."""
    return frozenset(name for n in walk(query) if isinstance(n, New) for name, _ in n.members)

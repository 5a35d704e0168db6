"""LINQ: each standard operator on a query under construction, in comprehension normal form."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from react_agent.csharp.aggregates import aggregate
from react_agent.csharp.constants import converted
from react_agent.csharp.members import made_of
from react_agent.csharp.operators import equality
from react_agent.csharp.scope import Function, Reader, Refused, Sequence, Token, Value
from react_agent.csharp.sequences import finished, list_type, named, over, renamed, with_clause
from react_agent.csharp.types import BOOL, INT
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Branch,
    Choice,
    Clause,
    Distinct,
    Expression,
    FromMany,
    GroupBy,
    Member,
    OrderBy,
    OrderKey,
    Outcome,
    Query,
    Skip,
    Subquery,
    Take,
    Var,
    Where,
    walk,
)

HARMLESS = frozenset({
    "AsNoTracking", "AsNoTrackingWithIdentityResolution", "AsTracking", "AsQueryable", "AsSplitQuery", "AsSingleQuery",
    "TagWith", "TagWithCallSite", "AsEnumerable", "AsAsyncEnumerable",
})  # fmt: skip
REFUSED = {
    "Include": ("loading related entities with the result is not read", "Q17"),
    "ThenInclude": ("loading related entities with the result is not read", "Q17"),
    "Join": ("a join on keys is not read; use a navigation", "Q23"),
    "LeftJoin": ("a join on keys is not read; use a navigation", "Q26"),
    "RightJoin": ("a join on keys is not read; use a navigation", "Q26"),
    "GroupJoin": ("a group join is not read; use a navigation", "Q25"),
    "Union": ("set operations are not read", "Q48"),
    "UnionBy": ("set operations are not read", "Q48"),
    "Concat": ("set operations are not read", "Q48"),
    "Except": ("set operations are not read", "Q49"),
    "Intersect": ("set operations are not read", "Q49"),
    "Reverse": ("reversing rows is not read", "Q56"),
    "ElementAt": ("a row by its position is not read", "Q56"),
    "ElementAtOrDefault": ("a row by its position is not read", "Q56"),
    "ToDictionary": ("a dictionary is built in memory", "Q57"),
    "ToLookup": ("a lookup is built in memory", "Q57"),
    "ToHashSet": ("a set is built in memory", "Q57"),
    "OfType": ("a part of a hierarchy is not read", "Q61"),
    "Cast": ("a cast of rows is not read", "Q61"),
    "IgnoreQueryFilters": ("global filters are not read", "Q64"),
    "FromSql": ("SQL in the code is not read", "Q67"),
    "FromSqlRaw": ("SQL in the code is not read", "Q67"),
    "FromSqlInterpolated": ("SQL in the code is not read", "Q67"),
    "ExecuteUpdate": ("commands are not read", "Q69"),
    "ExecuteDelete": ("commands are not read", "Q70"),
    "Find": ("a look-up by key also answers from tracked entities", "Q55"),
    "Load": ("loading into the context is not read", "Q72"),
    "Zip": ("pairing rows by position is not read", ""),
    "Chunk": ("chunks are built in memory", "Q57"),
    "Aggregate": ("a fold is computed in memory", "Q57"),
    "Append": ("rows from memory are not read", "Q57"),
    "MaxBy": ("the row of a maximum is not read", "Q39"),
    "MinBy": ("the row of a minimum is not read", "Q39"),
    "DistinctBy": ("distinct by a key is not read", "Q47"),
    "TakeWhile": ("a page that ends at a row's value is not read", "Q57"),
    "SkipWhile": ("a page that starts at a row's value is not read", "Q57"),
}
_PICKS = {
    "First": Outcome.FIRST,
    "FirstOrDefault": Outcome.FIRST_OR_DEFAULT,
    "Single": Outcome.SINGLE,
    "SingleOrDefault": Outcome.SINGLE_OR_DEFAULT,
    "Last": Outcome.LAST,
    "LastOrDefault": Outcome.LAST_OR_DEFAULT,
}
_LISTS = {"ToList": "List", "ToArray": "Array"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator call: its name without `Async`, its arguments without tokens, and where it stands."""

    name: str
    arguments: tuple[Value, ...]
    span: Span

    def refuse(self, reason: str, hazard: str = "") -> Refused:
        """Explain why it is not read."""
        return Refused(self.name, reason, self.span, hazard)


def operate(reader: Reader, source: Sequence, name: str, arguments: list[Value], span: Span) -> Value:
    """Apply an operator.

    Raises:
        Refused: the operator, or this form of it, is not read.
    """
    plain = name.removesuffix("Async") if name != "AsAsyncEnumerable" else name
    given = tuple(a for a in arguments if not isinstance(a, Token))
    call = Operator(name=plain, arguments=given, span=span)
    if plain in HARMLESS:
        return source
    if plain in REFUSED:
        raise call.refuse(*REFUSED[plain])
    apply = _OPERATORS.get(plain)
    if apply is None:
        raise call.refuse("this operator is not read")
    return apply(reader, source, call)


def applied(reader: Reader, source: Sequence, function: Value, call: Operator) -> tuple[Sequence, Value]:
    """Apply a lambda to the rows; the sequence comes back with the name that the lambda gives its variable."""
    if not isinstance(function, Function):
        raise call.refuse("expected a lambda")
    if len(function.parameters) != 1:
        raise call.refuse("a lambda with the row's position is not read")
    source = named(reader, source, function.parameters[0])
    mark = len(reader.open)
    reader.open.extend(v for v in _ranges(source) if v not in reader.open)
    try:
        return source, function.call([source.element])
    finally:
        del reader.open[mark:]


def _ranges(source: Sequence) -> list[str]:
    return [node.variable for node in walk(source.clauses) if isinstance(node, Distinct | GroupBy | FromMany)] + [
        node.name for node in walk(source.element) if isinstance(node, Var)
    ]


def expression(value: Value, call: Operator) -> Expression:
    """Take a value as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Query | Sequence):
        raise call.refuse("a query over a whole set inside another is not read", "Q27")
    raise call.refuse("this argument is not a value of a row")


def _where(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    if len(call.arguments) != 1:
        raise call.refuse("expected one predicate")
    source, value = applied(reader, source, call.arguments[0], call)
    return filtered(source, expression(value, call), call.span)


def filtered(source: Sequence, predicate: Expression, span: Span) -> Sequence:
    """Add a predicate."""
    return with_clause(source, Where(predicate=predicate, span=span))


def _select(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    source, value = applied(reader, source, call.arguments[0], call)
    if isinstance(value, Sequence):
        value = as_expression(value, call.span)
    return replace(source, element=expression(value, call), fresh=False)


def as_expression(value: Sequence, span: Span) -> Expression:
    """Take a query over a row's collection as a value: its list."""
    if value.rooted:
        raise Refused("subquery", "a query over a whole set inside another is not read", span, "Q27")
    type_ = list_type("IEnumerable", value.element)
    return Subquery(query=finished(value, Outcome.LIST, type_), type=type_)


def _select_many(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    source, value = applied(reader, source, call.arguments[0], call)
    many = ranged(reader, source, value, "", call.span)
    if len(call.arguments) == 1:
        return many
    result = call.arguments[1]
    if not isinstance(result, Function) or len(result.parameters) != 2:
        raise call.refuse("expected a lambda with two parameters")
    many = _renamed_last(reader, many, result.parameters[1])
    made = result.call([source.element, many.element])
    if isinstance(made, Sequence):
        made = as_expression(made, call.span)
    return replace(many, element=expression(made, call), fresh=False)


def _renamed_last(reader: Reader, many: Sequence, wanted: str) -> Sequence:
    last = many.clauses[-1]
    if not isinstance(last, FromMany) or not isinstance(many.element, Var) or many.element.name != last.variable:
        return many
    rest = replace(many, clauses=many.clauses[:-1])
    return renamed(many, last.variable, reader.fresh_name(wanted, rest))


def ranged(reader: Reader, source: Sequence, value: Value, wanted: str, span: Span) -> Sequence:
    """Range over a collection of each row: a second `from`.

    Raises:
        Refused: the collection is a whole set, or is cut or grouped by itself.
    """
    outer = False
    if isinstance(value, Sequence):
        if value.rooted:
            raise Refused("SelectMany", "a cross join of two sets is not read", span, "Q27")
        inner = value
    elif isinstance(value, Expression) and value.type.element is not None:
        inner = over(reader, value, span)
    else:
        raise Refused("SelectMany", "the inner source is not a collection of the row", span, "Q21")
    first, *rest = inner.clauses
    if not isinstance(first, FromMany) or any(not isinstance(c, Where | FromMany) for c in rest):
        raise Refused("SelectMany", "the inner source is sorted, cut or grouped by itself", span, "Q21")
    if isinstance(inner.element, Var) and inner.element.name == first.variable and inner.fresh:
        fresh = reader.fresh_name(wanted or first.variable, source)
        inner = renamed(inner, first.variable, fresh)
    elif first.variable in _ranges(source):
        inner = renamed(inner, first.variable, reader.fresh_name(first.variable, source))
    outer = any(isinstance(c, FromMany) and c.outer for c in inner.clauses)
    if outer and len(inner.clauses) > 1:
        raise Refused(
            "DefaultIfEmpty", "a filtered collection that keeps rows without a match is not read", span, "Q22"
        )
    return replace(source, clauses=(*source.clauses, *inner.clauses), element=inner.element, fresh=False)


def _default_if_empty(_reader: Reader, source: Sequence, call: Operator) -> Sequence:
    only = source.clauses[0]
    if call.arguments or len(source.clauses) != 1 or not isinstance(only, FromMany):
        raise call.refuse("only a row's whole collection can keep rows without a match", "Q22")
    element = source.element
    if isinstance(element, Var):
        element = replace(element, type=replace(element.type, nullable=True))
    return replace(source, clauses=(replace(only, outer=True),), element=element)


def _order(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    descending = call.name.endswith("Descending")
    if call.name in {"Order", "OrderDescending"}:
        if call.arguments:
            raise call.refuse("a comparer is not read", "Q13")
        key = source.element
    else:
        if len(call.arguments) != 1:
            raise call.refuse("a comparer is not read", "Q13")
        source, value = applied(reader, source, call.arguments[0], call)
        key = expression(value, call)
    added = OrderKey(expression=key, descending=descending)
    if call.name.startswith("ThenBy"):
        return then_by(source, added, call)
    return with_clause(source, OrderBy(keys=(added,), span=call.span))


def then_by(source: Sequence, key: OrderKey, call: Operator) -> Sequence:
    """Add a sort key behind the last `OrderBy`, in every branch where there is a choice."""
    clauses = _with_key(source.clauses, key)
    if clauses is None:
        raise call.refuse("there is no OrderBy right before it", "Q40")
    return replace(source, clauses=clauses, fresh=False)


def _with_key(clauses: tuple[Clause, ...], key: OrderKey) -> tuple[Clause, ...] | None:
    """Put a key behind the last order; a filter between them leaves it the last order."""
    for at in range(len(clauses) - 1, -1, -1):
        clause = clauses[at]
        if isinstance(clause, OrderBy):
            return (*clauses[:at], replace(clause, keys=(*clause.keys, key)), *clauses[at + 1 :])
        if isinstance(clause, Choice):
            inside = _in_choice(clause, key)
            return None if inside is None else (*clauses[:at], inside, *clauses[at + 1 :])
        if not isinstance(clause, Where):
            return None
    return None


def _in_choice(choice: Choice, key: OrderKey) -> Choice | None:
    otherwise = _with_key(choice.otherwise, key)
    branches = [(b.condition, _with_key(b.clauses, key)) for b in choice.branches]
    if otherwise is None or any(c is None for _, c in branches):
        return None
    made = tuple(Branch(condition=test, clauses=c) for test, c in branches if c is not None)
    return replace(choice, branches=made, otherwise=otherwise)


def _page(_reader: Reader, source: Sequence, call: Operator) -> Sequence:
    if len(call.arguments) != 1:
        raise call.refuse("expected one count")
    count = expression(call.arguments[0], call)
    if count.type.name != "int" or count.type.nullable or any(isinstance(n, Var) for n in walk(count)):
        raise call.refuse("the count is not an int that is known before the query", "Q43")
    clause = Skip(count=count, span=call.span) if call.name == "Skip" else Take(count=count, span=call.span)
    return with_clause(source, clause)


def _distinct(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    if call.arguments:
        raise call.refuse("a comparer is not read", "Q47")
    base = source.element.name if isinstance(source.element, Var) else "row"
    name = reader.fresh_name(base, source)
    reader.distinct[name] = made_of(reader, source.element) or source.element
    clause = Distinct(variable=name, element=source.element, span=call.span)
    return replace(with_clause(source, clause), element=Var(name=name, type=source.element.type), fresh=True)


def grouped(
    reader: Reader, source: Sequence, key: Expression, element: Expression, wanted: str, span: Span
) -> Sequence:
    """Group the rows."""
    name = reader.fresh_name(wanted, source)
    clause = GroupBy(variable=name, key=key, element=element, span=span)
    reader.groups[name] = clause
    variable = Var(name=name, type=ClrType(name="IGrouping", element=element.type))
    return replace(with_clause(source, clause), element=variable, fresh=True)


def _group_by(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    functions = list(call.arguments)
    if not functions:
        raise call.refuse("expected a key")
    source, value = applied(reader, source, functions.pop(0), call)
    key = expression(value, call)
    element = source.element
    if functions and isinstance(functions[0], Function) and len(functions[0].parameters) == 1:
        source, value = applied(reader, source, functions.pop(0), call)
        element = expression(value, call)
    groups = grouped(reader, source, key, element, "group", call.span)
    if not functions:
        return groups
    result = functions[0]
    if len(functions) != 1 or not isinstance(result, Function) or len(result.parameters) != 2:
        raise call.refuse("this form is not read", "Q28")
    groups = named(reader, groups, result.parameters[1])
    assert isinstance(groups.element, Var)
    made = result.call([Member(target=groups.element, name="Key", type=key.type), groups.element])
    return replace(groups, element=expression(made, call), fresh=False)


def _list(_reader: Reader, source: Sequence, call: Operator) -> Value:
    type_ = list_type(_LISTS[call.name], source.element)
    query = finished(source, Outcome.LIST, type_)
    return query if source.rooted else Subquery(query=query, type=type_)


def _with_predicate(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    if not call.arguments:
        return source
    if len(call.arguments) > 1 or not isinstance(call.arguments[0], Function):
        raise call.refuse("the predicate is not a lambda that stands here", "Q66")
    return _where(reader, source, call)


def _pick(reader: Reader, source: Sequence, call: Operator) -> Value:
    source = _with_predicate(reader, source, call)
    maybe = call.name.endswith("OrDefault")
    type_ = source.element.type
    if maybe and not _is_value(reader, type_):
        type_ = replace(type_, nullable=True)
    return _scalar(source, _PICKS[call.name], type_)


def _is_value(reader: Reader, type_: ClrType) -> bool:
    from_user = type_.name in reader.known.values
    return from_user or (
        type_.name not in {"string", "Uri", "byte[]", ""}
        and reader.mapping.find(type_.name) is None
        and (type_.name not in reader.known.types)
    )


def _count(reader: Reader, source: Sequence, call: Operator) -> Value:
    source = _with_predicate(reader, source, call)
    long = call.name == "LongCount"
    return _scalar(source, Outcome.LONG_COUNT if long else Outcome.COUNT, ClrType(name="long") if long else INT)


def _any(reader: Reader, source: Sequence, call: Operator) -> Value:
    return _scalar(_with_predicate(reader, source, call), Outcome.ANY, BOOL)


def _all(reader: Reader, source: Sequence, call: Operator) -> Value:
    if len(call.arguments) != 1:
        raise call.refuse("expected one predicate")
    source, value = applied(reader, source, call.arguments[0], call)
    return _scalar(replace(source, element=expression(value, call)), Outcome.ALL, BOOL)


def _contains(_reader: Reader, source: Sequence, call: Operator) -> Value:
    """`rows.Contains(x)` is whether any row equals x."""
    if len(call.arguments) != 1:
        raise call.refuse("a comparer is not read")
    test = equality("==", source.element, expression(call.arguments[0], call), call.span)
    return _scalar(filtered(source, test, call.span), Outcome.ANY, BOOL)


def _aggregate(reader: Reader, source: Sequence, call: Operator) -> Value:
    if call.arguments:
        source, value = applied(reader, source, call.arguments[0], call)
        source = replace(source, element=expression(value, call), fresh=False)
    outcome, type_ = aggregate(call.name, source.element.type, call.span)
    if outcome in {Outcome.SUM, Outcome.AVERAGE} and source.element.type.name != type_.name:
        small = ClrType(name="int", nullable=source.element.type.nullable)
        if source.element.type.name not in {"int", "long", "float", "double", "decimal"}:
            source = replace(source, element=converted(source.element, small))
    return _scalar(source, outcome, type_)


def _scalar(source: Sequence, outcome: Outcome, type_: ClrType) -> Value:
    query = finished(source, outcome, type_)
    return query if source.rooted else Subquery(query=query, type=type_)


_OPERATORS: dict[str, Callable[[Reader, Sequence, Operator], Value]] = {
    "Where": _where,
    "Select": _select,
    "SelectMany": _select_many,
    "DefaultIfEmpty": _default_if_empty,
    "OrderBy": _order,
    "OrderByDescending": _order,
    "ThenBy": _order,
    "ThenByDescending": _order,
    "Order": _order,
    "OrderDescending": _order,
    "Skip": _page,
    "Take": _page,
    "Distinct": _distinct,
    "GroupBy": _group_by,
    "ToList": _list,
    "ToArray": _list,
    **dict.fromkeys(_PICKS, _pick),
    "Count": _count,
    "LongCount": _count,
    "Any": _any,
    "All": _all,
    "Contains": _contains,
    **dict.fromkeys(("Sum", "Min", "Max", "Average"), _aggregate),
}

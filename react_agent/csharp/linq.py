"""LINQ: each standard operator on a query under construction, in comprehension normal form."""

from collections.abc import Callable
from dataclasses import replace

from react_agent.csharp.aggregates import aggregate
from react_agent.csharp.application import Operator, applied, as_expression, expression, filtered
from react_agent.csharp.commands import execute_delete, execute_update
from react_agent.csharp.constants import converted
from react_agent.csharp.grouping import distinct, group_by
from react_agent.csharp.including import include
from react_agent.csharp.joining import correlated, join
from react_agent.csharp.members import member
from react_agent.csharp.operators import equality
from react_agent.csharp.ordering import order, page, reverse
from react_agent.csharp.ranging import default_if_empty, select_many
from react_agent.csharp.scope import Function, Reader, Sequence, Token, Value
from react_agent.csharp.sequences import finished, list_type
from react_agent.csharp.types import BOOL, INT
from react_agent.model.gap import Span
from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Outcome,
    Query,
    Subquery,
)

HARMLESS = frozenset({
    "AsNoTracking", "AsNoTrackingWithIdentityResolution", "AsTracking", "AsQueryable", "AsSplitQuery", "AsSingleQuery",
    "TagWith", "TagWithCallSite",
})  # fmt: skip
REFUSED = {
    "Union": ("set operations are not read", "Q48"),
    "UnionBy": ("set operations are not read", "Q48"),
    "Concat": ("set operations are not read", "Q48"),
    "Except": ("set operations are not read", "Q49"),
    "Intersect": ("set operations are not read", "Q49"),
    "AsEnumerable": ("what follows runs in memory", "Q57"),
    "AsAsyncEnumerable": ("rows are streamed", "Q65"),
    "ToDictionary": ("a dictionary is built in memory", "Q57"),
    "ToLookup": ("a lookup is built in memory", "Q57"),
    "ToHashSet": ("a set is built in memory", "Q57"),
    "OfType": ("a part of a hierarchy is not read", "Q61"),
    "Cast": ("a cast of rows is not read", "Q61"),
    "IgnoreQueryFilters": ("global filters are not read", "Q64"),
    "FromSql": ("SQL in the code is not read", "Q67"),
    "FromSqlRaw": ("SQL in the code is not read", "Q67"),
    "FromSqlInterpolated": ("SQL in the code is not read", "Q67"),
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


def operate(reader: Reader, source: Sequence, name: str, arguments: list[Value], span: Span) -> Value:
    """Apply an operator.

    Raises:
        Refused: the operator, or this form of it, is not read.
    """
    plain = name.removesuffix("Async")
    given = tuple(a for a in arguments if not isinstance(a, Token))
    call = Operator(name=plain, arguments=given, span=span)
    if plain in HARMLESS:
        return source
    if plain in REFUSED:
        raise call.refuse(*REFUSED[plain])
    apply = _OPERATORS.get(plain)
    if apply is None:
        raise call.refuse("this operator is not read")
    value = apply(reader, source, call)
    if isinstance(value, Query) and reader.open:
        return correlated(reader, value) or value
    if isinstance(value, Query):
        reader.asked.append((value, len(reader.changes)))
    return value


def _where(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    if len(call.arguments) != 1:
        raise call.refuse("expected one predicate")
    source, value = applied(reader, source, call.arguments[0], call)
    return filtered(source, expression(value, call), call.span)


def _select(reader: Reader, source: Sequence, call: Operator) -> Sequence:
    source, value = applied(reader, source, call.arguments[0], call)
    if isinstance(value, Sequence):
        value = as_expression(value, call.span)
    return replace(source, element=expression(value, call), fresh=False)


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


def _at(reader: Reader, source: Sequence, call: Operator) -> Value:
    """Read the row at a position as the first one behind those before it."""
    behind = page(reader, source, replace(call, name="Skip"))
    first = "FirstOrDefault" if call.name.endswith("OrDefault") else "First"
    return _pick(reader, behind, Operator(name=first, arguments=(), span=call.span))


def _find(reader: Reader, source: Sequence, call: Operator) -> Value:
    """Read a look-up by key as the row with that key; each call of an entry has a context that tracks nothing yet."""
    row = source.element
    entity = reader.mapping.find(row.type.name)
    if entity is None or not source.fresh or len(source.clauses) != 1:
        raise call.refuse("a look-up by key is read on an entity set only", "Q55")
    if len(call.arguments) != len(entity.key):
        raise call.refuse(f"expected the {len(entity.key)} values of the key of `{entity.name}`", "Q55")
    for name, argument in zip(entity.key, call.arguments, strict=True):
        value, key = expression(argument, call), member(reader, row, name, call.span)
        if value.type.name != key.type.name:
            raise call.refuse(f"`{name}` is a `{key.type}`, and EF Core refuses a `{value.type}` for it", "Q55")
        source = filtered(source, equality("==", key, value, call.span), call.span)
    return _pick(reader, source, Operator(name="FirstOrDefault", arguments=(), span=call.span))


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
    "SelectMany": select_many,
    "DefaultIfEmpty": default_if_empty,
    "OrderBy": order,
    "OrderByDescending": order,
    "ThenBy": order,
    "ThenByDescending": order,
    "Order": order,
    "OrderDescending": order,
    "Skip": page,
    "Take": page,
    "Reverse": reverse,
    "ElementAt": _at,
    "ElementAtOrDefault": _at,
    "Find": _find,
    "Distinct": distinct,
    "Include": include,
    "ThenInclude": include,
    **dict.fromkeys(("Join", "GroupJoin", "LeftJoin", "RightJoin"), join),
    "GroupBy": group_by,
    "ToList": _list,
    "ToArray": _list,
    **dict.fromkeys(_PICKS, _pick),
    "Count": _count,
    "LongCount": _count,
    "Any": _any,
    "ExecuteUpdate": execute_update,
    "ExecuteDelete": execute_delete,
    "All": _all,
    "Contains": _contains,
    **dict.fromkeys(("Sum", "Min", "Max", "Average"), _aggregate),
}

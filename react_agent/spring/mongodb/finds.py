"""Queries over one collection with plain conditions: `find`, `count` and `exists` instead of a pipeline."""

from collections.abc import Sequence
from dataclasses import dataclass

from react_agent.model.documents import Document
from react_agent.model.query import Outcome, Query
from react_agent.spring.java import Code, Prefixed, call, chain
from react_agent.spring.mongodb.fluent import sort_of, write_criterion
from react_agent.spring.mongodb.projections import Row
from react_agent.spring.mongodb.stages import CountStage, LimitStage, Match, SkipStage, SortStage, Step
from react_agent.spring.mongodb.values import Values

_QUERY = "org.springframework.data.mongodb.core.query.Query"
_ORDER = (Match, SortStage, SkipStage, LimitStage)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Find:
    match: Match | None
    sort: SortStage | None
    skip: SkipStage | None
    limit: LimitStage | None


def find_body(query: Query, steps: list[Step], row: Row | None, root: Document, values: Values) -> Code | None:
    """Write what reads the rows without a pipeline; None where one is needed.

    A `Prefixed` return is the method's whole answer; anything else is the list of rows.
    """
    scalar = query.outcome in {Outcome.COUNT, Outcome.LONG_COUNT, Outcome.ANY, Outcome.ALL}
    if not scalar and (row is None or row.value is not None or row.stages):
        return None
    kept = [s for s in steps if not isinstance(s, CountStage)]
    if query.outcome in {Outcome.ANY, Outcome.ALL, Outcome.FIRST_OR_DEFAULT, Outcome.LAST_OR_DEFAULT}:
        kept = kept[:-1]  # the limit that a pipeline needs
    found = _as_find(kept)
    if found is None or (scalar and (found.sort or found.skip or found.limit)):
        return None
    of = f"{root.java_class}.class"
    code = _query(found, values)
    if scalar:
        return _scalar(query.outcome, code, of)
    if query.outcome in {Outcome.FIRST_OR_DEFAULT, Outcome.LAST_OR_DEFAULT}:
        if found.limit is not None:
            return None
        optional = values.imports.use("java.util.Optional")
        return Prefixed(prefix="return ", body=call(f"{optional}.ofNullable", call("mongo.findOne", code, of)))
    everything = found == _Find(match=None, sort=None, skip=None, limit=None)
    return call("mongo.findAll", of) if everything else call("mongo.find", code, of)


def matching_query(steps: Sequence[Step], values: Values) -> Code | None:
    """Write a query that has at most a condition; None where more than one collection or an order decides."""
    found = _as_find(steps)
    return None if found is None or found.sort or found.skip or found.limit else _query(found, values)


def _as_find(steps: Sequence[Step]) -> _Find | None:
    """Read the steps as one `find`: a match, then a sort, a skip and a limit, each at most once and in this order."""
    places = [next((at for at, kind in enumerate(_ORDER) if isinstance(step, kind)), None) for step in steps]
    if None in places or len(set(places)) != len(places) or places != sorted(p for p in places if p is not None):
        return None
    by_type: dict[type, Step] = {type(step): step for step in steps}
    match, sort = by_type.get(Match), by_type.get(SortStage)
    skip, limit = by_type.get(SkipStage), by_type.get(LimitStage)
    return _Find(
        match=match if isinstance(match, Match) else None,
        sort=sort if isinstance(sort, SortStage) else None,
        skip=skip if isinstance(skip, SkipStage) else None,
        limit=limit if isinstance(limit, LimitStage) else None,
    )


def _query(found: _Find, values: Values) -> Code:
    imports = values.imports
    if found.match is not None:
        start: Code = call(imports.static(f"{_QUERY}.query"), write_criterion(found.match.criterion, imports))
    else:
        start = f"new {imports.use(_QUERY)}()"
    links = []
    if found.sort is not None:
        links.append(call("with", sort_of(found.sort, imports)))
    if found.skip is not None:
        links.append(call("skip", found.skip.count))
    if found.limit is not None:
        links.append(call("limit", found.limit.count))
    return chain(start, *links)


def _scalar(outcome: Outcome, query: Code, of: str) -> Code:
    match outcome:
        case Outcome.COUNT:
            return Prefixed(prefix="return ", body=call("Math.toIntExact", call("mongo.count", query, of)))
        case Outcome.LONG_COUNT:
            return Prefixed(prefix="return ", body=call("mongo.count", query, of))
        case Outcome.ANY:
            return Prefixed(prefix="return ", body=call("mongo.exists", query, of))
    return Prefixed(prefix="return !", body=call("mongo.exists", query, of))

"""Pages: the rows that a page, or one row of several, is taken from."""

from collections import Counter
from dataclasses import replace

from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import New, OrderBy, QueryMethod
from react_agent.model.values import CellType
from react_agent.proof.calls import Call
from react_agent.proof.canonical import Canonical, canonical
from react_agent.proof.compare import row_key
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import chosen_clauses, evaluate
from react_agent.proof.instances import Instance
from react_agent.proof.order import Order, OrderRule, lists_within
from react_agent.proof.runtime import Unknown

ROW, KEY = "row", "key"


def with_unpaged(
    rule: OrderRule, method: QueryMethod, mapping: MappingModel, instance: Instance, call: Call, source: Envelope
) -> OrderRule:
    """Give a rule what the rows alone do not say: the rows a page is taken from, and sort keys that do not show.

    Both come from the interpreter. Where it does not cover the query, or its rows are not the ones the source took its
    page from, the rule stays as it is, and a page that is cut inside a tie is then undetermined.
    """
    if rule.within:
        queries = lists_within(method)
        known = []
        for name, rows in rule.within:
            held = source.value.fields.get(name) if source.value is not None else None
            if held is not None and held.type == CellType.LIST:
                alone = replace(method, query=queries[name], parts=(), made=None)
                inside = replace(source, outcome="rows", value=held)
                rows = with_unpaged(rows, alone, mapping, instance, call, inside)  # noqa: PLW2901
            known.append((name, rows))
        return replace(rule, within=tuple(known))
    is_hidden = rule.order == Order.TIES and not rule.visible
    if not (rule.page or rule.one or is_hidden):
        return rule
    try:
        unpaged = evaluate(method, mapping, instance.tables, dict(call.args), unpaged=True)
        ranks = _ranks(rule, method, mapping, instance, call) if is_hidden else None
    except Unknown:
        return rule
    known = Counter(row_key(row, rule) for row in unpaged.rows)
    taken = source.rows or ((source.value,) if source.outcome == "scalar" and source.value is not None else ())
    if Counter(row_key(row, rule) for row in taken) - known:
        return rule
    return replace(rule, unpaged=unpaged if rule.page or rule.one else None, ranks=ranks)


def _ranks(
    rule: OrderRule, method: QueryMethod, mapping: MappingModel, instance: Instance, call: Call
) -> dict[Canonical, Canonical] | None:
    """Each row's sort key, by the row; None where equal rows have several keys."""
    clauses = chosen_clauses(method, dict(call.args))
    if method.query is None or method.changes or clauses is None:
        raise Unknown("the order of this call")
    keys = next((c.keys for c in reversed(clauses) if isinstance(c, OrderBy)), ())
    row = method.query.element
    members = ((ROW, row), *((f"{KEY}{at}", key.expression) for at, key in enumerate(keys)))
    element = New(members=members, type=ClrType(name="Ranked"))
    query = replace(method.query, clauses=clauses, element=element)
    ranked = evaluate(replace(method, query=query), mapping, instance.tables, dict(call.args), unpaged=True)
    found: dict[Canonical, Canonical] = {}
    for cell in ranked.rows:
        key = tuple(canonical(cell.fields[f"{KEY}{at}"]) for at in range(len(keys)))
        if found.setdefault(row_key(cell.fields[ROW], rule), key) != key:
            return None
    return found

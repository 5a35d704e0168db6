"""Pages: the rows that a page, or one row of several, is taken from."""

from collections import Counter
from dataclasses import replace

from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryMethod
from react_agent.proof.calls import Call
from react_agent.proof.compare import row_key
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import evaluate
from react_agent.proof.instances import Instance
from react_agent.proof.order import OrderRule
from react_agent.proof.runtime import Unknown


def with_unpaged(
    rule: OrderRule, method: QueryMethod, mapping: MappingModel, instance: Instance, call: Call, source: Envelope
) -> OrderRule:
    """Give a rule the unpaged rows that a page or a single row out of several is judged by.

    They come from the interpreter. Where it does not cover the query, or its rows are not the ones the source took its
    page from, the rule stays as it is, and a page that is cut inside a tie is then undetermined.
    """
    if not (rule.page or rule.one):
        return rule
    try:
        unpaged = evaluate(method, mapping, instance.tables, dict(call.args), unpaged=True)
    except Unknown:
        return rule
    known = Counter(row_key(row, rule) for row in unpaged.rows)
    taken = source.rows or ((source.value,) if source.outcome == "scalar" and source.value is not None else ())
    if Counter(row_key(row, rule) for row in taken) - known:
        return rule
    return replace(rule, unpaged=unpaged)

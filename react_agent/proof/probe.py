"""Probe: whether a changed query behaves differently at all, by the interpreter, on instances of the judge's own."""

from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryMethod, QueryModel
from react_agent.proof.calls import Call, make_calls
from react_agent.proof.compare import DifferenceKind, compare
from react_agent.proof.envelopes import Envelope
from react_agent.proof.evaluate import evaluate
from react_agent.proof.instances import Instance, make_instances
from react_agent.proof.order import OrderRule, order_rule
from react_agent.proof.pages import with_unpaged
from react_agent.proof.runtime import Unknown

SEEDS = (101, 202)


class Probe:
    """Answers of one entry on fixed instances, against which other queries are held."""

    def __init__(self, method: QueryMethod, mapping: MappingModel) -> None:
        self._mapping = mapping
        self._runs: list[tuple[Instance, Call, Envelope, OrderRule]] = []
        self._is_covered = True
        try:
            self._runs = list(_runs(method, mapping))
        except Unknown:
            self._is_covered = False

    def tells(self, other: QueryMethod) -> bool:
        """Whether another query differs somewhere; true, too, where too few of its runs can be followed to know."""
        followed = 0
        for run in self._runs:
            try:
                if self._differs(other, *run):
                    return True
            except Unknown:
                continue
            followed += 1
        return not self._is_covered or followed * 2 < len(self._runs)

    def _differs(self, other: QueryMethod, instance: Instance, call: Call, source: Envelope, rule: OrderRule) -> bool:
        answer = evaluate(other, self._mapping, instance.tables, dict(call.args))
        found = compare(source, answer, rule)
        return found is not None and found.kind != DifferenceKind.UNDETERMINED


def _runs(method: QueryMethod, mapping: MappingModel) -> list[tuple[Instance, Call, Envelope, OrderRule]]:
    runs = []
    for seed in SEEDS:
        instances = make_instances(mapping, QueryModel(methods=(method,)), seed, special=False)
        by_id = {i.id: i for i in instances}
        for call in make_calls(method, mapping, instances, seed):
            rule = order_rule(method, mapping, dict(call.args))
            instance = by_id[call.instance]
            answer = evaluate(method, mapping, instance.tables, dict(call.args))
            rule = with_unpaged(rule, method, mapping, instance, call, answer)
            runs.append((instance, call, answer, rule))
    return runs

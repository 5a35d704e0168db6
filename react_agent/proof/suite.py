"""Suite: the instances and calls of one proof, all entries together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryMethod, QueryModel
from react_agent.proof.calls import Call, given_id, make_calls
from react_agent.proof.instances import Instance, make_instances


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """What both sides are given. `seed` is None for a recorded suite; `user_calls` are ids of a person's own calls."""

    seed: int | None
    instances: tuple[Instance, ...]
    calls: tuple[Call, ...]
    user_calls: tuple[str, ...] = ()

    def instance(self, instance_id: str) -> Instance:
        """Look up an instance by its id."""
        return next(i for i in self.instances if i.id == instance_id)

    def of(self, method: QueryMethod) -> tuple[Call, ...]:
        """The calls of one entry."""
        return tuple(c for c in self.calls if (c.class_name, c.method) == (method.class_name, method.method))


def make_suite(
    mapping: MappingModel,
    queries: QueryModel,
    methods: Sequence[QueryMethod],
    seed: int,
    *,
    data: Instance | None = None,
    calls: tuple[Call, ...] = (),
) -> Suite:
    """Make instances from the mapping and the queries, and calls for each of `methods`.

    `data` are a person's own rows and `calls` their own calls, which run on those rows (or on the empty instance
    where none were given).
    """
    instances = make_instances(mapping, queries, seed, user=data)
    made = [call for method in methods for call in make_calls(method, mapping, instances, seed, user=calls)]
    return Suite(seed=seed, instances=instances, calls=tuple(made), user_calls=_user_ids(methods, calls))


def _user_ids(methods: Sequence[QueryMethod], calls: tuple[Call, ...]) -> tuple[str, ...]:
    """The ids that a person's calls got, in the order of their file; `make_calls` numbers them within each entry."""
    counts: Counter[str] = Counter()
    ids: list[str] = []
    for call in calls:
        method = next((m for m in methods if m.method == call.method and call.class_name in {"", m.class_name}), None)
        if method is not None:
            counts[method.entry] += 1
            ids.append(given_id(method, counts[method.entry]))
    return tuple(ids)

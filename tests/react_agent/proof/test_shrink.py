from react_agent.model.query import QueryModel
from react_agent.proof.closure import violations
from react_agent.proof.instances import make_instances
from react_agent.proof.shrink import TRIES, shrink
from react_agent.proof.tables import tables_of
from tests.react_agent.proof.models import CLAIMS, FREIGHT


def run(instance, model, differs):
    search = shrink(instance, model)
    tries = []
    try:
        candidate = next(search)
        while True:
            tries.append(candidate)
            candidate = search.send(differs(candidate))
    except StopIteration as done:
        return done.value, tries


def instances(model):
    return [i for i in make_instances(model, QueryModel(methods=()), 4) if i.size > 8]


def test_a_witness_shrinks_to_the_rows_that_matter():
    for start in instances(FREIGHT):
        if not start.tables["Crates"]:
            continue
        wanted = start.tables["Crates"][-1]["Number"]

        small, tries = run(start, FREIGHT, lambda i, n=wanted: any(r["Number"] == n for r in i.tables["Crates"]))

        assert len(tries) <= TRIES
        assert len(small.tables["Crates"]) == 1
        assert len(small.tables["Consignments"]) == 1


def test_every_candidate_respects_the_mapping():
    for start in instances(CLAIMS):
        _, tries = run(start, CLAIMS, lambda i: len(i.tables["claims"]) > 1)
        assert all(violations(tables_of(CLAIMS), t.tables) == () for t in tries)


def test_a_difference_that_needs_no_rows_shrinks_to_none():
    small, _ = run(instances(FREIGHT)[0], FREIGHT, lambda i: True)

    assert small.size == 0


def test_where_nothing_smaller_differs_the_instance_stays():
    start = instances(FREIGHT)[0]

    small, tries = run(start, FREIGHT, lambda i: False)

    assert small is start
    assert len(tries) <= TRIES


def test_the_number_of_tries_is_bounded():
    start = instances(FREIGHT)[0]
    _, tries = run(start, FREIGHT, lambda i: i.size >= start.size - 1)

    assert len(tries) <= TRIES

"""Whatever the nodes find, the graph ends within its caps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_agent import routes
from react_agent.graph import graph
from react_agent.routes import MAX_EXTRACTIONS, MAX_HARNESS_ERRORS, MAX_TRANSLATIONS, Outcome
from react_agent.state import State

OUTCOMES = [getattr(Outcome, name) for name in vars(Outcome) if name.isupper()]
ROUTES = {
    "extract_input": routes.after_extract_input,
    "inspect_schema": lambda _: "translate",
    "translate": routes.after_translate,
    "compile_harnesses": routes.after_compile,
    "run_harnesses": routes.after_run,
    "compare_results": routes.after_compare,
    "evaluate": routes.after_evaluate,
    "human_intervention_node": routes.after_human_intervention,
}
POSSIBLE = {
    "extract_input": ["", "unreadable", "question", "stop"],
    "translate": ["", "stop", "harness"],
    "human_intervention_node": ["accepted"],
}
WORKING = ["", "faulty", "final", "harness", "stop"]


def walk(found: st.DataObject) -> list[str]:
    """Let every node find something; the counters move as the nodes move them."""
    state, node, way = State(), "extract_input", []
    while node != "publish":
        way.append(node)
        assert len(way) < 100, way
        if node == "translate" and state.outcome == Outcome.FAULTY:
            state.translation_loop_count += 1
        state.outcome = found.draw(st.sampled_from(POSSIBLE.get(node, WORKING)))
        if node == "extract_input":
            state.extraction_loop_count += state.outcome == Outcome.UNREADABLE
        state.harness_error_count += state.outcome == Outcome.HARNESS
        node = ROUTES[node](state)
    return way


@given(st.data())
def test_every_walk_ends_within_the_caps(found):
    way = walk(found)
    assert way.count("extract_input") <= MAX_EXTRACTIONS + 1
    assert way.count("translate") <= MAX_TRANSLATIONS + 1
    assert way.count("human_intervention_node") <= 1
    # No walk is longer than the steps a run may take by default.
    assert len(way) + 1 <= 25 + (MAX_HARNESS_ERRORS + 1)


@given(st.sampled_from(OUTCOMES), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_every_route_leads_to_a_node_of_the_picture(outcome, extractions, translations, harness):
    state = State(
        outcome=outcome,
        extraction_loop_count=extractions,
        translation_loop_count=translations,
        harness_error_count=harness,
    )
    edges = {(edge.source, edge.target) for edge in graph.get_graph().edges}
    for node, route in ROUTES.items():
        assert (node, route(state)) in edges


@pytest.mark.parametrize("route", [routes.after_compile, routes.after_run, routes.after_compare])
def test_a_fourth_failure_asks_the_person(route):
    failed = State(outcome=Outcome.FAULTY, translation_loop_count=MAX_TRANSLATIONS - 1)
    assert route(failed) == "translate"
    failed.translation_loop_count = MAX_TRANSLATIONS
    assert route(failed) == "human_intervention_node"


def test_a_fault_of_the_machinery_costs_no_translation():
    state = State(outcome=Outcome.HARNESS, harness_error_count=MAX_HARNESS_ERRORS)
    assert routes.after_run(state) == "run_harnesses"
    state.harness_error_count += 1
    assert routes.after_run(state) == "evaluate"


def test_a_rejection_is_translated_again_and_an_acceptance_is_published():
    assert routes.after_human_intervention(State(outcome=Outcome.REJECTED)) == "translate"
    assert routes.after_human_intervention(State(outcome=Outcome.ACCEPTED)) == "publish"


def test_the_picture_has_the_nodes_that_clients_show():
    wanted = [*ROUTES, "publish"]
    assert [name for name in graph.get_graph().nodes if not name.startswith("__")] == wanted

"""Routes: state to next node. Pure; the retry caps live here."""

from typing import Final, Literal

from react_agent.state import State

MAX_EXTRACTIONS = 3
"""How often a request that cannot be read is read again before the person is asked."""

MAX_TRANSLATIONS = 3
"""How often a translation that failed is written again before the person is asked."""

MAX_HARNESS_ERRORS = 2
"""How often a fault of the machinery itself, which costs no retry, is tried again."""


class Outcome:
    """What a node found, as plain text: it stands in checkpoints. Empty text means go on."""

    GO_ON: Final = ""
    UNREADABLE: Final = "unreadable"
    """The request could not be read; a model may read it again."""
    QUESTION: Final = "question"
    """One thing must be known; the person is asked."""
    STOP: Final = "stop"
    """The input is bad; the explanation says what, where and how to fix it."""
    FAULTY: Final = "faulty"
    """The translation failed: it does not compile, or a result differs."""
    FINAL: Final = "final"
    """The translation failed and writing it again would give the same text."""
    HARNESS: Final = "harness"
    """The machinery failed; the translation is not to blame."""
    REJECTED: Final = "rejected"
    """The person wants another translation."""
    ACCEPTED: Final = "accepted"
    """The person takes the candidate as it is."""


def after_extract_input(state: State) -> Literal["extract_input", "inspect_schema", "publish"]:
    """Read again while a model may still make sense of it; stop for the person otherwise."""
    if state.outcome == Outcome.UNREADABLE and state.extraction_loop_count < MAX_EXTRACTIONS:
        return "extract_input"
    if state.outcome == Outcome.GO_ON:
        return "inspect_schema"
    return "publish"


def after_translate(state: State) -> Literal["compile_harnesses", "evaluate", "publish"]:
    """Prove what was written; bad input ends here, and so does a source that cannot be asked."""
    match state.outcome:
        case Outcome.STOP:
            return "publish"
        case Outcome.HARNESS:
            return "evaluate"
        case _:
            return "compile_harnesses"


NextStep = Literal["translate", "human_intervention_node", "publish"]


def _repair(state: State) -> NextStep:
    if state.outcome == Outcome.FAULTY and state.translation_loop_count < MAX_TRANSLATIONS:
        return "translate"
    return "human_intervention_node"


def after_compile(state: State) -> str:
    """Run what was built, or repair it."""
    return _after_work(state, again="compile_harnesses", then="run_harnesses")


def after_run(state: State) -> str:
    """Compare what was run, or repair it."""
    return _after_work(state, again="run_harnesses", then="compare_results")


def after_compare(state: State) -> str:
    """Judge what agreed, or repair what differs."""
    return _after_work(state, again="compare_results", then="evaluate")


def after_evaluate(state: State) -> NextStep:
    """Publish, or repair what the evaluation found."""
    return "publish" if state.outcome in {Outcome.GO_ON, Outcome.STOP} else _repair(state)


def after_human_intervention(state: State) -> Literal["translate", "publish"]:
    """Do what the person decided."""
    return "translate" if state.outcome == Outcome.REJECTED else "publish"


def _after_work(state: State, *, again: str, then: str) -> str:
    match state.outcome:
        case Outcome.GO_ON:
            return then
        case Outcome.HARNESS:
            return again if state.harness_error_count <= MAX_HARNESS_ERRORS else "evaluate"
        case Outcome.STOP:
            return "publish"
        case _:
            return _repair(state)

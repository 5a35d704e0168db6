"""Repair: what a failed attempt tells the translator, cut to what it needs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from react_agent.context import Context
from react_agent.models import RULES
from react_agent.proof.verdict import EntryVerdict
from react_agent.report import json_text
from react_agent.sandbox.protocol import JobRefused

MAX_DIAGNOSTICS = 20
"""How many of a compiler's findings a repair round gets; later ones follow from earlier ones."""

MAX_WITNESS = 8_000
"""How many characters of a witness a repair round gets."""


def repairable(context: Context) -> bool:
    """Whether writing again may give another text: a model may, the rules may not."""
    return context.model != RULES and (context.has_model_endpoint or context.model.startswith("ollama/"))


def compiler_feedback(refused: JobRefused) -> str:
    """Say what a compiler found."""
    shown = [str(d)[:500] for d in refused.diagnostics[:MAX_DIAGNOSTICS]]
    more = len(refused.diagnostics) - len(shown)
    tail = [f"… and {more} more"] if more > 0 else []
    return "\n".join([f"The code does not {refused.stage}: {refused.message[:500]}", *shown, *tail])


def forbidden_feedback(forbidden: Sequence[Mapping[str, Any]]) -> str:
    """Say which symbols translated code must not use."""
    lines = [f"{item['file']}:{item['line']}: {item['symbol']}" for item in forbidden[:MAX_DIAGNOSTICS]]
    return "\n".join(["The Java uses what a data layer has no use for; leave it out:", *lines])


def witness_feedback(verdicts: Iterable[EntryVerdict]) -> str:
    """Say where the translation differs: the witness, not the log."""
    parts = []
    for verdict in verdicts:
        witness = json_text(verdict.witness or {})[:MAX_WITNESS]
        parts.append(f"{verdict.entry} differs: {verdict.reason}\nWitness:\n{witness}")
    return "\n\n".join(parts)

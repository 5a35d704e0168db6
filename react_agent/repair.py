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


_FAILED = {
    "compile": "{code} does not compile",
    "context": "{code} does not start: its Spring context fails",
    "load": "the proof's rows do not fit what {code} declares",
    "describe": "{code} has a model that EF Core cannot describe",
    "run": "{code} cannot be run",
    "call": "{code} lacks what is to be called",
    "arguments": "{code} does not take the arguments of an entry",
    "shape": "{code} returns what cannot be read as the entry's result",
    "request": "{code} was not asked rightly, which is a fault of ours",
}
"""What it means that a worker refused at a stage."""


def refusal(code: str, refused: JobRefused) -> str:
    """Say in words what failed and where: `code` is what the sentence is about, as "the Java"."""
    what = _FAILED.get(refused.stage, "{code} failed at the stage " + refused.stage).format(code=code)
    return f"{what}: {'; '.join(str(d) for d in refused.diagnostics[:5]) or refused.message}"


def compiler_feedback(refused: JobRefused) -> str:
    """Say what a compiler found."""
    shown = [str(d)[:500] for d in refused.diagnostics[:MAX_DIAGNOSTICS]]
    more = len(refused.diagnostics) - len(shown)
    tail = [f"… and {more} more"] if more > 0 else []
    what = _FAILED.get(refused.stage, "{code} failed at the stage " + refused.stage).format(code="the code")
    return "\n".join([f"{what[0].upper()}{what[1:]}: {refused.message[:500]}", *shown, *tail])


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

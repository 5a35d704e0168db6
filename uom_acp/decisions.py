"""The choices of a translation that a person may set: listed, asked for in a form, or set by name."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from uom_acp.errors import UnknownChoice

Decisions = Sequence[Mapping[str, Any]]
TITLE = "How should the data be stored?"


def listed(decisions: Decisions, chosen: Mapping[str, str]) -> str:
    """List each choice with what it is now and what else it may be."""
    lines = [
        f"- `{each['id']}`: {each['question']} **{current(each, chosen)}** "
        f"(of {', '.join(each['options'])}; {each['reason']})"
        for each in decisions
    ]
    return "\n".join(lines)


def current(decision: Mapping[str, Any], chosen: Mapping[str, str]) -> str:
    """Say what a choice is: what the person set since, else what the translation took."""
    return chosen.get(str(decision["id"]), str(decision["chosen"]))


def form(decisions: Decisions, chosen: Mapping[str, str]) -> dict[str, Any]:
    """Ask for all of them at once, with what they are now."""
    properties = {
        str(each["id"]): {
            "type": "string",
            "title": str(each["question"]),
            "description": str(each["reason"]),
            "enum": [str(option) for option in each["options"]],
            "default": current(each, chosen),
        }
        for each in decisions
    }
    return {"type": "object", "properties": properties}


def set_by(words: str, decisions: Decisions) -> dict[str, str]:
    """Read `ID VALUE` pairs.

    Raises:
        UnknownChoice: there is no such choice, or it cannot be that; the text lists what there is.
    """
    try:
        parts = shlex.split(words)
    except ValueError:
        parts = words.split()
    if len(parts) % 2:
        raise UnknownChoice("`/decide ID VALUE` sets one choice, `/decide` lists them.")
    return checked(dict(zip(parts[::2], parts[1::2], strict=True)), decisions)


def checked(given: Mapping[str, Any], decisions: Decisions) -> dict[str, str]:
    """Accept what is offered.

    Raises:
        UnknownChoice: as for `set_by`.
    """
    known = {str(each["id"]): [str(option) for option in each["options"]] for each in decisions}
    for name, value in given.items():
        if name not in known:
            raise UnknownChoice(f"There is no choice {name!r}. There are: {', '.join(known)}.")
        if value not in known[name]:
            raise UnknownChoice(f"{name} cannot be {value!r}. Choose one of: {', '.join(known[name])}.")
    return {name: str(value) for name, value in given.items()}

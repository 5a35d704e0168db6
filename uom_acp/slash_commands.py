"""What a person can type after `/`: answered here, at once, without a model. Those of the agent go on to it."""

import shlex
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp.schema import AvailableCommand, AvailableCommandsUpdate, UnstructuredCommandInput

from uom_acp import decisions
from uom_acp.config_options import Choices
from uom_acp.errors import UnknownChoice
from uom_acp.record import Record
from uom_acp.rules import RuleBook

LONGEST_LOOK = 60.0
LONGEST_PROOF = 1800.0
PROOF = "proof-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the commands work with: one session's folder, choices, rules and record."""

    cwd: Path
    choices: Choices
    record: Record
    book: RuleBook | None
    model: str
    switch_model: Callable[[str], Awaitable[None]]
    decided: Mapping[str, str]
    decide: Callable[[Mapping[str, str]], Awaitable[None]]
    fill: Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
    """Asks in a form; None where the editor has none, or the person gave no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A command with what stands behind it."""

    name: str
    rest: str


def typed(words: str) -> Typed | None:
    """Read a command; anything else that starts with `/` is for the agent."""
    name, _, rest = words.strip().partition(" ")
    return Typed(name=name[1:], rest=rest.strip()) if name.startswith("/") and name[1:] in ANSWERS else None


def available(desk: Desk) -> AvailableCommandsUpdate:
    """List the commands that have something to say now."""
    commands = [
        _command("translate", "Translate C# files or a folder, and prove the Java", "files or folder, and the target"),
        _command("model", "Show the models, or choose one", "name of a model"),
        _command("doctor", "Say what is there for proofs and what is missing"),
    ]
    if desk.book is not None:
        commands.append(
            _command("permissions", "List what is always allowed here, or revoke it", "revoke NUMBER | all")
        )
    if verdicts_of(desk.record):
        commands.append(_command("report", "Show the last proof's losses, reservations and variants in full"))
        commands.append(_command("prove", "Prove Java again that was changed", "C# files or folder against the Java"))
    if decisions_of(desk.record):
        commands.append(_command("decide", "Show how data is stored, or decide otherwise", "choice and value"))
    return AvailableCommandsUpdate(session_update="available_commands_update", available_commands=commands)


def _command(name: str, description: str, hint: str | None = None) -> AvailableCommand:
    asked = UnstructuredCommandInput(hint=hint) if hint else None
    return AvailableCommand(name=name, description=description, input=asked)


async def answer(command: Typed, desk: Desk) -> str:
    """Do what a command says, and give its answer."""
    return await ANSWERS[command.name](command.rest, desk)


async def _permissions(rest: str, desk: Desk) -> str:
    if desk.book is None:
        return "No rules are kept here: this session is not stored."
    rules = await desk.book.rules()
    match rest.split():
        case []:
            if not rules:
                return "Nothing is always allowed in this workspace."
            listed = "\n".join(f"{number}. {rule}" for number, rule in enumerate(rules, start=1))
            where = f"They are kept in `{desk.book.path}`. Take one back with `/permissions revoke 1`."
            return f"Always allowed in this workspace:\n\n{listed}\n\n{where}"
        case ["revoke", "all"]:
            await desk.book.remove(rules)
            return f"Taken back: {len(rules)}. Everything is asked about again."
        case ["revoke", number] if number.isdecimal() and 0 < int(number) <= len(rules):
            await desk.book.remove([rules[int(number) - 1]])
            return f"Taken back: {rules[int(number) - 1]}."
    return (
        f"`/permissions` lists, `/permissions revoke N` takes one of {len(rules)} back, `/permissions revoke all` all."
    )


async def _model(rest: str, desk: Desk) -> str:
    if not rest:
        listed = "\n".join(f"- `{each.id}`{' (now)' if each.id == desk.model else ''}" for each in desk.choices.models)
        return f"Models:\n\n{listed}\n\nChoose one with `/model NAME`."
    try:
        await desk.switch_model(rest)
    except UnknownChoice as unknown:
        return str(unknown)
    return f"`{rest}` leads the conversation from now on."


async def _doctor(_: str, desk: Desk) -> str:
    from uom_deep_agent.shell import LocalShell  # noqa: PLC0415 - only when it is asked for

    command = shlex.join([sys.executable, "-m", "uom_acp", "doctor"])
    result = await LocalShell(desk.cwd).run(command, seconds=LONGEST_LOOK)
    return f"```\n{result.output.strip()}\n```"


async def _decide(rest: str, desk: Desk) -> str:
    found = decisions_of(desk.record)
    if not found:
        return "Nothing was translated in this session yet, so there is nothing to decide."
    try:
        given = decisions.set_by(rest, found) if rest else await _filled(found, desk)
    except UnknownChoice as unknown:
        return str(unknown)
    if given:
        await desk.decide(given)
        told = ", ".join(f"`{name}` is `{value}`" for name, value in given.items())
        return f"{told}. It counts from the next translation in this session: ask for it again."
    return f"{decisions.listed(found, desk.decided)}\n\nDecide otherwise with `/decide ID VALUE`."


async def _filled(found: decisions.Decisions, desk: Desk) -> dict[str, str]:
    answer = await desk.fill(decisions.TITLE, decisions.form(found, desk.decided))
    given = decisions.checked(answer or {}, found)
    now = {str(each["id"]): decisions.current(each, desk.decided) for each in found}
    return {name: value for name, value in given.items() if value != now[name]}


async def _prove(rest: str, desk: Desk) -> str:
    from uom_deep_agent.shell import LocalShell  # noqa: PLC0415 - only when it is asked for

    sources, _, java = rest.partition(" against ")
    paths = shlex.split(sources)
    if not paths or not java.strip():
        return "Say what to prove: `/prove src/Data against java`, files or a folder of C#, then the Java project."
    command = [sys.executable, "-m", "uom_acp", "prove", *paths, "--against", *shlex.split(java)[:1]]
    result = await LocalShell(desk.cwd).run(f"{shlex.join(command)} 2>&1", seconds=LONGEST_PROOF)
    return result.output.strip()


async def _report(_: str, desk: Desk) -> str:
    verdicts = verdicts_of(desk.record)
    if not verdicts:
        return "Nothing was proven in this session yet."
    return "\n\n".join(_entry(verdict) for verdict in verdicts)


def verdicts_of(record: Record) -> Sequence[Mapping[str, Any]]:
    """Find the verdicts of the last proof that was shown."""
    card = record.last_card(PROOF)
    output = card.get("rawOutput") if card else None
    return output.get("verdicts", ()) if isinstance(output, Mapping) else ()


def decisions_of(record: Record) -> Sequence[Mapping[str, Any]]:
    """Find what the last translation decided."""
    found = record.last_output("decisions")
    return found if isinstance(found, list) else ()


def _entry(verdict: Mapping[str, Any]) -> str:
    mutants = verdict.get("mutants") or {}
    lines = [f"**`{verdict.get('entry')}`**: {verdict.get('verdict')}"]
    lines += [f"- {verdict['reason']}"] if verdict.get("reason") else []
    lines += [f"- {mutants.get('killed')} of {mutants['live']} variants told apart"] if mutants.get("live") else []
    lines += [f"- loss: {each.get('where')}: {each.get('what')} [{each.get('hazard')}]" for each in _listed(verdict)]
    lines += [f"- reservation: {each}" for each in verdict.get("reservations") or ()]
    return "\n".join(lines)


def _listed(verdict: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in verdict.get("losses") or () if isinstance(each, Mapping)]


ANSWERS: Mapping[str, Callable[[str, Desk], Awaitable[str]]] = {
    "permissions": _permissions,
    "model": _model,
    "doctor": _doctor,
    "report": _report,
    "decide": _decide,
    "prove": _prove,
}
"""The commands that are answered here; `/translate` is the agent's, which reads the words as they are."""

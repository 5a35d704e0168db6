"""What a session may be set to, as the selectors that editors show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from acp.schema import (
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from react_agent.frameworks import SUPPORTED, TARGETS
from react_agent.model_facts import Price
from uom_acp.errors import UnknownChoice

MODE, MODEL, LEVEL, TARGET, THOUGHTS = "mode", "model", "thought_level", "target", "thoughts"
DECISIONS = "decisions"
AUTO, ON, OFF = "auto", "on", "off"
LEVELS = (AUTO, "low", "medium", "high")
DEFAULT_TARGET = "java-spring-data-mongodb"

Category = Literal["mode", "model", "thought_level"]
Option = SessionConfigOptionSelect | SessionConfigOptionBoolean


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """One selectable model, with what its endpoint says of it."""

    id: str
    name: str
    description: str | None = None
    window: int | None = None
    """Tokens of context it can take; None: not known."""
    price: Price | None = None
    thinks: bool = False
    """Whether it takes a level of reasoning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What one session is set to."""

    mode: str
    model: str
    level: str = AUTO
    target: str = DEFAULT_TARGET
    thoughts: bool = True
    """Whether the model's reasoning is shown."""
    decisions: Mapping[str, str] = field(default_factory=dict)
    """What the person decided about how data is stored; set by a command, not by a selector."""


@dataclass(slots=True, kw_only=True)
class Choices:
    """What sessions may be set to, and what a new one starts with; models are added when an endpoint lists its own."""

    modes: SessionModeState
    models: Sequence[ModelChoice]
    model: str
    target: str = DEFAULT_TARGET

    def checked_mode(self, mode: str) -> str:
        """Accept an offered mode; anything else names what is offered."""
        return _checked("mode", mode, [offered.id for offered in self.modes.available_modes])

    def checked_model(self, model: str) -> str:
        """Accept an offered model; anything else names what is offered."""
        return _checked("model", model, [offered.id for offered in self.models])

    def found(self, model: str) -> ModelChoice:
        """Find an offered model; one that is offered no more has no facts."""
        return next((each for each in self.models if each.id == model), ModelChoice(id=model, name=model))

    def set(self, chosen: Chosen, option: str, value: Any) -> Chosen:
        """Set one option.

        Raises:
            UnknownChoice: there is no such option now, or it has no such value.
        """
        match option:
            case "mode":
                return replace(chosen, mode=self.checked_mode(str(value)))
            case "model":
                return replace(chosen, model=self.checked_model(str(value)))
            case "thought_level" if self.found(chosen.model).thinks:
                return replace(chosen, level=_checked("thought level", str(value), LEVELS))
            case "target":
                return replace(chosen, target=_checked("target", str(value), targets()))
            case "thoughts":
                return replace(chosen, thoughts=_is_on(value))
            case "decisions" if isinstance(value, Mapping):
                return replace(chosen, decisions={**chosen.decisions, **value})
        offered = [each for each in (MODE, MODEL, LEVEL, TARGET, THOUGHTS) if each != LEVEL or self._thinks(chosen)]
        raise UnknownChoice(f"There is no option {option!r}. There are: {', '.join(offered)}.")

    def _thinks(self, chosen: Chosen) -> bool:
        return self.found(chosen.model).thinks


def with_models(known: Sequence[ModelChoice], more: Sequence[ModelChoice]) -> list[ModelChoice]:
    """Add models at the end; of one that is listed already, what is newly known is taken over."""
    told = {model.id: model for model in more}
    ids = {model.id for model in known}
    kept = [_with_facts(model, told.get(model.id)) for model in known]
    return [*kept, *(model for model in more if model.id not in ids)]


def _with_facts(model: ModelChoice, told: ModelChoice | None) -> ModelChoice:
    if told is None:
        return model
    return replace(
        model,
        window=told.window or model.window,
        price=told.price or model.price,
        thinks=told.thinks or model.thinks,
    )


def targets() -> list[str]:
    """List the targets that can be written."""
    return [name for name, framework in TARGETS.items() if framework in SUPPORTED]


def _is_on(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return _checked("value", str(value), (ON, OFF)) == ON


def _checked(what: str, choice: str, offered: Sequence[str]) -> str:
    if choice in offered:
        return choice
    raise UnknownChoice(f"There is no {what} {choice!r}. Choose one of: {', '.join(offered)}.")


def mode_state(choices: Choices, mode: str) -> SessionModeState:
    """Show the modes with the session's own as the current one."""
    return SessionModeState(current_mode_id=mode, available_modes=choices.modes.available_modes)


def mode_named(choices: Choices, mode: str) -> SessionMode:
    """Find an offered mode."""
    return next(offered for offered in choices.modes.available_modes if offered.id == mode)


def config_options(choices: Choices, chosen: Chosen, *, booleans: bool) -> list[Option]:
    """List every option with its value; the protocol wants the whole list each time.

    `booleans` says whether the editor shows switches; a list of two serves where it does not.
    """
    modes = [(each.id, each.name, each.description) for each in choices.modes.available_modes]
    models = [(each.id, each.name, each.description) for each in choices.models]
    options: list[Option] = [
        _select(MODE, "Mode", "What the agent asks before doing", chosen.mode, modes, category="mode"),
        _select(MODEL, "Model", "The model that leads the conversation", chosen.model, models, category="model"),
    ]
    if choices.found(chosen.model).thinks:
        levels = [(each, each.capitalize(), None) for each in LEVELS]
        told = "How much the model thinks before it answers"
        options.append(_select(LEVEL, "Thinking", told, chosen.level, levels, category="thought_level"))
    named = [(name, TARGETS[name].display_name, None) for name in targets()]
    options.append(_select(TARGET, "Target", "Where a request goes that names no target", chosen.target, named))
    return [*options, _switch(chosen, booleans=booleans)]


def _switch(chosen: Chosen, *, booleans: bool) -> Option:
    name, told = "Show thoughts", "Show the model's reasoning in the panel, where it tells it"
    if booleans:
        return SessionConfigOptionBoolean(
            type="boolean", id=THOUGHTS, name=name, description=told, current_value=chosen.thoughts
        )
    return _select(THOUGHTS, name, told, ON if chosen.thoughts else OFF, [(ON, "On", None), (OFF, "Off", None)])


def _select(
    option: str,
    name: str,
    description: str,
    value: str,
    values: Sequence[tuple[str, str, str | None]],
    *,
    category: Category | None = None,
) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        type="select",
        id=option,
        name=name,
        description=description,
        category=category,
        current_value=value,
        options=[SessionConfigSelectOption(value=id_, name=title, description=told) for id_, title, told in values],
    )


def mode_update(mode: str) -> CurrentModeUpdate:
    """Tell editors that know the older selector alone."""
    return CurrentModeUpdate(session_update="current_mode_update", current_mode_id=mode)


def options_update(choices: Choices, chosen: Chosen, *, booleans: bool) -> ConfigOptionUpdate:
    """Tell the selectors."""
    options = config_options(choices, chosen, booleans=booleans)
    return ConfigOptionUpdate(session_update="config_option_update", config_options=options)

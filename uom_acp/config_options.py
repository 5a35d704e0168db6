"""The mode and the model of a session, as the selectors that editors show."""

from collections.abc import Sequence
from dataclasses import dataclass

from acp.schema import (
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from uom_acp.errors import UnknownChoice

MODE, MODEL = "mode", "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """One selectable model."""

    id: str
    name: str
    description: str | None = None


@dataclass(slots=True, kw_only=True)
class Choices:
    """What sessions may be set to, and what a new one starts with; models are added when an endpoint lists its own."""

    modes: SessionModeState
    models: Sequence[ModelChoice]
    model: str

    def checked_mode(self, mode: str) -> str:
        """Accept an offered mode; anything else names what is offered."""
        return _checked("mode", mode, [offered.id for offered in self.modes.available_modes])

    def checked_model(self, model: str) -> str:
        """Accept an offered model; anything else names what is offered."""
        return _checked("model", model, [offered.id for offered in self.models])


def with_models(known: Sequence[ModelChoice], more: Sequence[ModelChoice]) -> list[ModelChoice]:
    """Add models that are not listed yet, at the end."""
    ids = {model.id for model in known}
    return [*known, *(model for model in more if model.id not in ids)]


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


def config_options(choices: Choices, mode: str, model: str) -> list[SessionConfigOptionSelect]:
    """List every option with its value; the protocol wants the whole list each time."""
    return [
        SessionConfigOptionSelect(
            type="select",
            id=MODE,
            name="Mode",
            description="What the agent asks before doing",
            category="mode",
            current_value=mode,
            options=[
                SessionConfigSelectOption(value=each.id, name=each.name, description=each.description)
                for each in choices.modes.available_modes
            ],
        ),
        SessionConfigOptionSelect(
            type="select",
            id=MODEL,
            name="Model",
            description="The model that leads the conversation",
            category="model",
            current_value=model,
            options=[
                SessionConfigSelectOption(value=each.id, name=each.name, description=each.description)
                for each in choices.models
            ],
        ),
    ]


def mode_updates(choices: Choices, mode: str, model: str) -> tuple[CurrentModeUpdate, ConfigOptionUpdate]:
    """Tell both selectors of a mode; editors of both generations are in use."""
    current = CurrentModeUpdate(session_update="current_mode_update", current_mode_id=mode)
    return current, options_update(choices, mode, model)


def options_update(choices: Choices, mode: str, model: str) -> ConfigOptionUpdate:
    """Tell the selectors."""
    options = list(config_options(choices, mode, model))
    return ConfigOptionUpdate(session_update="config_option_update", config_options=options)

import pytest

from react_agent.context import Context
from uom_acp.main import NO_KEY, build_server, models_for, modes


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "OPENAI_API_KEY", "OPENAI_API_URL", "UOM_ENV"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_key_the_rules_serve_and_the_panel_says_how_to_add_one() -> None:
    first, *others = models_for(Context())
    assert first.id == "uom/rules"
    assert {model.description for model in others} == {"Needs a key"}
    server = build_server(Context())
    assert server._sessions.notice("uom/rules") == NO_KEY
    assert "OPENAI_API_KEY" in NO_KEY


def test_with_a_key_the_chosen_model_comes_first_and_the_rules_stay() -> None:
    settings = Context(openai_api_key="k", model="einfra/other")
    ids = [model.id for model in models_for(settings)]
    assert ids[0] == "einfra/other"
    assert ids[-1] == "uom/rules"
    assert len(ids) == len(set(ids))
    assert build_server(settings)._sessions.notice("uom/rules") is None


def test_rules_may_be_chosen_although_there_is_a_key() -> None:
    assert models_for(Context(openai_api_key="k", model="uom/rules"))[0].id == "uom/rules"
    assert len(models_for(Context(openai_api_key="k", model="uom/rules"))) > 1


def test_a_model_on_this_machine_needs_no_key() -> None:
    assert [model.id for model in models_for(Context(model="ollama/x"))] == ["ollama/x", "uom/rules"]


@pytest.mark.parametrize(("production", "mode"), [(True, "ask_before_edits"), (False, "accept_edits")])
def test_production_starts_careful(production: bool, mode: str) -> None:
    assert modes(production=production).current_mode_id == mode

"""Settings: an argument wins, then `configurable`, then the environment, then the default."""

from dataclasses import fields

import pytest

from react_agent.context import DEFAULTS, BadSetting, Context, Setting, context_from

VARIABLES = {
    "model": "MODEL",
    "openai_api_url": "OPENAI_API_URL",
    "openai_api_key": "OPENAI_API_KEY",
    "ollama_host": "OLLAMA_HOST",
    "db_toolbox_uri": "DB_TOOLBOX_URI",
    "mongodb_mcp_uri": "MONGODB_MCP_URI",
    "daytona_api_url": "DAYTONA_API_URL",
    "daytona_api_key": "DAYTONA_API_KEY",
    "daytona_target": "DAYTONA_TARGET",
    "ms_sql_connection_string": "MSSQL_CONNECTION_STRING",
    "mongodb_uri": "MONGODB_URI",
    "neo4j_uri": "NEO4J_URI",
    "neo4j_password": "NEO4J_PASSWORD",
}
SECRETS = ("openai_api_key", "daytona_api_key", "neo4j_password", "mongodb_uri", "ms_sql_connection_string")


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in fields(Context):
        setting = next(m for m in Context.__annotations__[field.name].__metadata__ if isinstance(m, Setting))
        for variable in setting.variables:
            monkeypatch.delenv(variable, raising=False)


def test_nothing_set_gives_the_defaults():
    found = Context()
    assert {field.name: getattr(found, field.name) for field in fields(found)} == DEFAULTS
    assert found.model == "einfra/kimi-k2.6"
    assert found.sandbox_execution_timeout == 480


@pytest.mark.parametrize(("name", "variable"), VARIABLES.items())
def test_each_variable_reaches_its_field(monkeypatch, name, variable):
    monkeypatch.setenv(variable, "from-the-environment")
    assert getattr(Context(), name) == "from-the-environment"
    assert getattr(Context(**{name: "explicit"}), name) == "explicit"


@pytest.mark.parametrize(("name", "variable"), [item for item in VARIABLES.items() if DEFAULTS[item[0]] is not None])
def test_an_argument_that_equals_the_default_still_wins(monkeypatch, name, variable):
    monkeypatch.setenv(variable, "from-the-environment")
    assert getattr(Context(**{name: DEFAULTS[name]}), name) == DEFAULTS[name]


def test_an_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("MODEL", "")
    assert Context().model == DEFAULTS["model"]


def test_the_second_name_of_a_variable_is_read_after_the_first(monkeypatch):
    monkeypatch.setenv("MS_SQL_CONNECTION_STRING", "second")
    assert Context().ms_sql_connection_string == "second"
    monkeypatch.setenv("MSSQL_CONNECTION_STRING", "first")
    assert Context().ms_sql_connection_string == "first"


def test_text_is_read_as_the_type_of_its_field(monkeypatch):
    monkeypatch.setenv("SANDBOX_EXECUTION_TIMEOUT", "60")
    assert Context().sandbox_execution_timeout == 60
    assert context_from({"release": "25", "allow_unisolated": "true"}).allow_unisolated is True


def test_a_bad_variable_is_named_with_its_field_and_value(monkeypatch):
    monkeypatch.setenv("SANDBOX_EXECUTION_TIMEOUT", "soon")
    with pytest.raises(BadSetting, match=r"sandbox_execution_timeout.*SANDBOX_EXECUTION_TIMEOUT.*'soon'"):
        Context()


def test_a_bad_value_of_a_client_is_named():
    with pytest.raises(BadSetting, match=r"release: .*'new'"):
        context_from({"release": "new"})


def test_an_unknown_name_is_refused_and_the_known_ones_are_listed():
    with pytest.raises(BadSetting, match=r"unknown setting modell; known: .*model"):
        context_from({"modell": "x"})


def test_configurable_stands_between_the_client_and_the_environment(monkeypatch):
    monkeypatch.setenv("MODEL", "from-the-environment")
    assert context_from(None, {"model": "configured", "thread_id": "1"}).model == "configured"
    assert context_from({"model": "explicit"}, {"model": "configured"}).model == "explicit"


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_never_read_from_what_checkpoints_keep(name):
    assert getattr(context_from(None, {name: "secret"}), name) == DEFAULTS[name]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_never_shown(name):
    made = Context(**{name: "do-not-show-me"})
    assert "do-not-show-me" not in repr(made) + str(made)
    with pytest.raises(BadSetting) as refused:
        context_from({name: ["do-not-show-me"]})
    assert "do-not-show-me" not in str(refused.value)

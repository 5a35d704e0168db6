"""Context: the settings of a run.

An explicit argument wins, also when it equals the default; then `configurable`, then the environment, then the default.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as validated


class BadSetting(Exception):
    """A setting has a value of the wrong kind; the message names field, variable and value (secrets masked).

    No `ValueError`: pydantic would wrap one in an error of its own that repeats the input.
    """


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a field of `Context` is read from: the names of its variables, and whether its value is a secret."""

    variables: tuple[str, ...]
    secret: bool = False


_UNSET: Any = None


@validated(kw_only=True, config=ConfigDict(extra="forbid", validate_default=False, hide_input_in_errors=True))
class Context:
    """The run's settings, and the graph's `context_schema`.

    None as an explicit value means unset. Values are coerced to the field's type; unknown names are refused.
    """

    model: Annotated[str, Setting(("MODEL",))] = _UNSET
    """The chat model's wire name; `uom/rules` needs no key and no network."""

    thought_level: Annotated[str | None, Setting(("UOM_THOUGHT_LEVEL",))] = _UNSET
    """How much a model that can think should (`low`, `medium`, `high`); None: as it does by itself."""

    target: Annotated[str, Setting(("UOM_TARGET",))] = _UNSET
    """Where a request goes that names no target; a name as on the command line."""

    openai_api_url: Annotated[str, Setting(("OPENAI_API_URL",))] = _UNSET
    """Base URL of an OpenAI-compatible endpoint."""

    openai_api_key: Annotated[str | None, Setting(("OPENAI_API_KEY",), secret=True)] = _UNSET
    """Key for that endpoint; None: no model but `uom/rules`."""

    ollama_host: Annotated[str, Setting(("OLLAMA_HOST",))] = _UNSET
    """Base URL of an Ollama server, for models named `ollama/…`."""

    db_toolbox_uri: Annotated[str, Setting(("DB_TOOLBOX_URI",))] = _UNSET
    """Address of a Database Toolbox MCP server; facts about the source database."""

    mongodb_mcp_uri: Annotated[str, Setting(("MONGODB_MCP_URI",))] = _UNSET
    """Address of a MongoDB MCP server; facts about the target database."""

    sandbox_execution_timeout: Annotated[int, Setting(("SANDBOX_EXECUTION_TIMEOUT",))] = _UNSET
    """Seconds that one build or run in a sandbox may take."""

    daytona_api_url: Annotated[str, Setting(("DAYTONA_API_URL",))] = _UNSET
    """Base URL of the Daytona API."""

    daytona_api_key: Annotated[str | None, Setting(("DAYTONA_API_KEY",), secret=True)] = _UNSET
    """Key for Daytona; None: programs run on this machine."""

    daytona_target: Annotated[str | None, Setting(("DAYTONA_TARGET",))] = _UNSET
    """Daytona's region; None: its default."""

    ms_sql_connection_string: Annotated[
        str, Setting(("MSSQL_CONNECTION_STRING", "MS_SQL_CONNECTION_STRING"), secret=True)
    ] = _UNSET
    """The user's SQL Server, for facts only; proof data never goes there."""

    mongodb_uri: Annotated[str, Setting(("MONGODB_URI",), secret=True)] = _UNSET
    """The user's MongoDB, for facts only; proof data never goes there."""

    neo4j_uri: Annotated[str, Setting(("NEO4J_URI",))] = _UNSET
    """The user's Neo4j, for facts only; proof data never goes there."""

    neo4j_password: Annotated[str | None, Setting(("NEO4J_PASSWORD",), secret=True)] = _UNSET
    """Password for that Neo4j."""

    recordings: Annotated[str | None, Setting(("UOM_RECORDINGS",))] = _UNSET
    """Folder of recorded source runs, used where no .NET SDK is found; None: only the bundled ones."""

    allow_unisolated: Annotated[bool, Setting(("UOM_ALLOW_UNISOLATED",))] = _UNSET
    """Whether code may run without isolation on a machine that offers none."""

    seed: Annotated[int | None, Setting(("UOM_SEED",))] = _UNSET
    """Seed of the proof's data; None: a fresh one for each proof, named in the report."""

    proof_data: Annotated[str | None, Setting(("UOM_PROOF_DATA",))] = _UNSET
    """File of a person's own rows, `{"Table": [{"Column": cell}]}`; read only."""

    proof_calls: Annotated[str | None, Setting(("UOM_PROOF_CALLS",))] = _UNSET
    """File of a person's own calls, `[{"method", "args"}]`; read only."""

    decisions: Annotated[Mapping[str, str], Setting(())] = _UNSET
    """What a person decided about how data is stored, by the decision's id; the rest are defaults."""

    release: Annotated[int, Setting(("UOM_JAVA_RELEASE",))] = _UNSET
    """Java release that generated code is written for."""

    def __post_init__(self) -> None:
        """Fill what was not given from the environment, then from the defaults."""
        for field in fields(self):
            if getattr(self, field.name) is None:
                object.__setattr__(self, field.name, _resolve(field.name, os.environ))

    def __repr__(self) -> str:
        shown = (f"{f.name}={_masked(f.name, getattr(self, f.name))}" for f in fields(self))
        return f"Context({', '.join(shown)})"

    @property
    def has_model_endpoint(self) -> bool:
        """Whether a key for a chat model's endpoint is set."""
        return bool(self.openai_api_key)


DEFAULTS: Mapping[str, Any] = {
    "model": "einfra/kimi-k2.6",
    "thought_level": None,
    "target": "java-spring-data-mongodb",
    "openai_api_url": "https://llm.ai.e-infra.cz/v1",
    "openai_api_key": None,
    "ollama_host": "http://localhost:11434",
    "db_toolbox_uri": "http://localhost:5010",
    "mongodb_mcp_uri": "http://localhost:3010/mcp",
    "sandbox_execution_timeout": 480,
    "daytona_api_url": "http://localhost:3000/api",
    "daytona_api_key": None,
    "daytona_target": None,
    "ms_sql_connection_string": "Server=localhost,1333;TrustServerCertificate=True",
    "mongodb_uri": "mongodb://localhost:27027",
    "neo4j_uri": "neo4j://localhost:7697",
    "neo4j_password": None,
    "recordings": None,
    "allow_unisolated": False,
    "seed": None,
    "proof_data": None,
    "proof_calls": None,
    "decisions": {},
    "release": 21,
}
"""What a field holds when nothing sets it."""


def _setting(name: str) -> tuple[Any, Setting]:
    annotation = Context.__annotations__[name]
    return annotation.__origin__, next(m for m in annotation.__metadata__ if isinstance(m, Setting))


def _masked(name: str, value: object) -> str:
    return "***" if value and _setting(name)[1].secret else repr(value)


def _resolve(name: str, environment: Mapping[str, str]) -> Any:
    kind, setting = _setting(name)
    for variable in setting.variables:
        text = environment.get(variable)
        if text:
            return _coerce(name, variable, kind, text)
    return DEFAULTS[name]


def _coerce(name: str, variable: str, kind: Any, text: str) -> Any:
    try:
        return TypeAdapter(kind).validate_python(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]["msg"]
        shown = _masked(name, text)
        raise BadSetting(f"{name} (environment variable {variable}): {problem}; got {shown}") from None


def context_from(given: Mapping[str, Any] | Context | None, configurable: Mapping[str, Any] | None = None) -> Context:
    """Build the run's context from what a client sent.

    `configurable` is a fallback for fields that are no secret, since it is written into checkpoints.

    Raises:
        BadSetting: a name is unknown or a value has the wrong kind.
    """
    if isinstance(given, Context):
        return given
    known = {f.name for f in fields(Context)}
    fallback = {
        name: value
        for name, value in (configurable or {}).items()
        if name in known and value is not None and not _setting(name)[1].secret
    }
    values = fallback | {name: value for name, value in (given or {}).items() if value is not None}
    unknown = sorted(set(values) - known)
    if unknown:
        raise BadSetting(f"unknown setting {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    try:
        return Context(**values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "context"
        shown = _masked(name, values.get(name)) if name in known else "?"
        raise BadSetting(f"{name}: {first['msg']}; got {shown}") from None


def recordings_folder(context: Context) -> Path | None:
    """The folder of recordings the person named, if any."""
    return Path(context.recordings).expanduser() if context.recordings else None

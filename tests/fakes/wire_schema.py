"""The protocol's own JSON schema, as a judge of every frame the agent sends."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parent.parent / "schema" / "acp-v1.schema.json"
PARAMETERS, RESULTS = ("Request", "Notification"), ("Response",)


@cache
def _definitions() -> dict[str, Any]:
    return json.loads(SCHEMA.read_text("utf-8"))["$defs"]


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _definitions()})


@cache
def _named(method: str, endings: tuple[str, ...]) -> str:
    found = [
        name for name, schema in _definitions().items() if schema.get("x-method") == method and name.endswith(endings)
    ]
    assert len(found) == 1, f"{method} is not in the stable protocol"
    return found[0]


def faults_of_call(frame: dict[str, Any]) -> list[str]:
    """Judge a request or a notification."""
    return _faults(_named(frame["method"], PARAMETERS), frame.get("params"), frame)


def faults_of_answer(method: str, frame: dict[str, Any]) -> list[str]:
    """Judge a response to a method."""
    if "error" in frame:
        return _faults("Error", frame["error"], frame)
    if method.startswith("_"):
        return []
    return _faults(_named(method, RESULTS), frame["result"], frame)


def _faults(name: str, body: Any, frame: dict[str, Any]) -> list[str]:
    found = [f"{name}: {error.message} at {list(error.path)}" for error in _validator(name).iter_errors(body)]
    extra = set(frame) - {"jsonrpc", "id", "method", "params", "result", "error"}
    return found + ([f"{name}: keys {sorted(extra)} at the root"] if extra else []) + _relative_paths(body)


def _relative_paths(body: Any) -> list[str]:
    update = body.get("update", body.get("toolCall", {})) if isinstance(body, dict) else {}
    places = [*(update.get("locations") or ()), *_diffs(update)] if isinstance(update, dict) else []
    return [
        f"not an absolute path with a line from 1: {place}"
        for place in places
        if not str(place["path"]).startswith("/") or place.get("line", 1) < 1
    ]


def _diffs(update: dict[str, Any]) -> list[dict[str, Any]]:
    content = update.get("content")
    return [item for item in content if item.get("type") == "diff"] if isinstance(content, list) else []

"""Load the protocol's models without what only documentation needs; it is most of the time of a start.

The SDK's models ask pydantic to read a description for each field out of the source text, and are all built at import,
although a session uses a fraction. Both are settings, and what is loaded here behaves the same.
"""

import importlib
from typing import Any

import pydantic


def load_schema() -> None:
    """Import `acp.schema` with its models built when they are first used."""
    config, whole = pydantic.BaseModel.model_config, pydantic.ConfigDict

    def without_docstrings(**settings: Any) -> Any:
        return whole(**{**settings, "use_attribute_docstrings": False})

    pydantic.BaseModel.model_config = whole(defer_build=True)
    vars(pydantic)["ConfigDict"] = without_docstrings
    try:
        importlib.import_module("acp.schema")
    finally:
        pydantic.BaseModel.model_config = config
        vars(pydantic)["ConfigDict"] = whole

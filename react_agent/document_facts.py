"""Facts about collections, as a MongoDB MCP server tells them: fields, document counts, a few documents."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from react_agent.mcp_session import McpSession, Unreadable

OWN = {"admin", "config", "local"}
"""MongoDB's own databases."""
MAX_COLLECTIONS = 40
SAMPLE = 2
_DOCUMENT = 600


async def document_facts(session: McpSession) -> str:
    """Tell the collections of each database; empty where the server has no tools that list them.

    Raises:
        Unreadable: the listing failed.
    """
    if not {"list-databases", "list-collections"} <= set(session.tools):
        return ""
    databases = _names((await session.call("list-databases")).data.get("databases"))
    found = [(name, each) for name in databases if name not in OWN for each in await _collections(session, name)]
    told = ["\n".join([f"## {'.'.join(pair)}", *await _collection(session, *pair)]) for pair in found[:MAX_COLLECTIONS]]
    return "\n\n".join([*told, *(f"## {'.'.join(pair)}" for pair in found[MAX_COLLECTIONS:])])


async def _collections(session: McpSession, database: str) -> list[str]:
    return _names((await session.call("list-collections", database=database)).data.get("collections"))


async def _collection(session: McpSession, database: str, collection: str) -> list[str]:
    asked = {"database": database, "collection": collection}
    lines: list[str] = []
    count = await _data(session, "count", asked)
    lines += [f"- {count['count']} documents"] if "count" in count else []
    schema = (await _data(session, "collection-schema", asked)).get("schema")
    lines += [f"- {name} {_types(kind)}" for name, kind in schema.items()] if isinstance(schema, Mapping) else []
    indexes = (await _data(session, "collection-indexes", asked)).get("classicIndexes")
    lines += [f"- index {_short(index)}" for index in indexes or ()]
    documents = (await _data(session, "find", {**asked, "limit": SAMPLE})).get("documents")
    return lines + [f"- document {_short(document)}" for document in (documents or ())[:SAMPLE]]


async def _data(session: McpSession, tool: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ask for one fact; a tool that is off or fails costs this fact alone."""
    try:
        return (await session.call(tool, **asked)).data
    except (Unreadable, TimeoutError):
        return {}


def _types(kind: object) -> str:
    types = kind.get("types", kind) if isinstance(kind, Mapping) else kind
    if isinstance(types, list):
        return " or ".join(
            str(each.get("bsonType", each)) if isinstance(each, Mapping) else str(each) for each in types
        )
    return _short(types)


def _names(values: Sequence[Any] | None) -> list[str]:
    return [
        value["name"] for value in values or () if isinstance(value, Mapping) and isinstance(value.get("name"), str)
    ]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _DOCUMENT else f"{text[:_DOCUMENT]}… ({len(text)} characters)"

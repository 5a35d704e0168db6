"""inspect_schema: real tables, keys and sample documents from the MCP servers, for the model's eyes."""

from typing import Any

from langgraph.runtime import Runtime

from react_agent.context import Context
from react_agent.nodes.working import settings
from react_agent.state import State
from react_agent.tools import database_facts


async def inspect_schema(state: State, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001 - a node's signature
    """Ask every server; one that is not there is said and not an error."""
    facts = await database_facts(settings(runtime))
    told = [f"# {fact.server}\n{fact.text}" for fact in facts if fact.text]
    silent = [
        f"{fact.server}: {fact.problem or 'no facts'}; going on from the code alone." for fact in facts if not fact.text
    ]
    return {"schema_context": "\n\n".join([*told, *silent])}

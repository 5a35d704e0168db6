"""Resume a paused translation in a process of its own: DATABASE CONFIG DECISION."""

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when langgraph is imported

import asyncio
import json
import sys

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from react_agent.graph import builder
from react_agent.sandbox.validation import ValidationSandbox
from react_agent.workbench import close_benches


async def resume(database: str, config: str, decision: str) -> None:
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        graph = builder.compile(checkpointer=saver)
        values = await graph.ainvoke(Command(resume=json.loads(decision)), json.loads(config), context={"seed": 5})
        await close_benches()
        await ValidationSandbox.close()
    sys.stdout.write(json.dumps({"last": values["messages"][-1].content}))


if __name__ == "__main__":
    asyncio.run(resume(*sys.argv[1:]))

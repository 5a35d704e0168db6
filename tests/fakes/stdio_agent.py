"""A program that serves the real agent on stdio, with a scripted model.

`python -m tests.fakes.stdio_agent URL [FOLDER]`; with a folder, sessions are kept there.
"""

import asyncio
import os
import sys
from pathlib import Path

from tests.fakes.deep_agent import deep_agent, translator
from uom_acp.archive import Archive
from uom_acp.config_options import ModelChoice
from uom_acp.conversations import Conversations
from uom_acp.log import to_stderr
from uom_acp.main import modes, serve_stdio
from uom_acp.server import AgentServerACP

FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else None
REVIEW = {"instruction": "Three repairs did not help.", "state": {"translated_query_code": "class Q {}"}}
memory = Conversations(FOLDER)


async def noisy(context: object) -> object:
    """Build the agent while everything writes to what it takes for stdout."""
    print("a library's print")  # noqa: T201 - what must not reach the wire
    os.write(1, b"a C library's write\n")
    await (await asyncio.create_subprocess_exec("echo", "a child's output")).wait()
    if FOLDER is not None and not memory.forks:
        await memory.open()
    return await deep_agent(sys.argv[1], translation=translator([], review=REVIEW), memory=memory)(context)


def server() -> AgentServerACP:
    models = [ModelChoice(id="scripted/one", name="One")]
    archive = Archive(FOLDER) if FOLDER else None
    return AgentServerACP(noisy, modes=modes(production=True), models=models, archive=archive, memory=memory)


if __name__ == "__main__":
    to_stderr()
    serve_stdio(server)

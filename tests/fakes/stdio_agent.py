"""A program that serves the real agent on stdio, with a scripted model: `python -m tests.fakes.stdio_agent URL`."""

import asyncio
import os
import sys

from tests.fakes.deep_agent import deep_agent
from uom_acp.config_options import ModelChoice
from uom_acp.log import to_stderr
from uom_acp.main import modes, serve_stdio
from uom_acp.server import AgentServerACP


async def noisy(context: object) -> object:
    """Build the agent while everything writes to what it takes for stdout."""
    print("a library's print")  # noqa: T201 - what must not reach the wire
    os.write(1, b"a C library's write\n")
    await (await asyncio.create_subprocess_exec("echo", "a child's output")).wait()
    return await deep_agent(sys.argv[1])(context)


if __name__ == "__main__":
    to_stderr()
    models = [ModelChoice(id="scripted/one", name="One")]
    serve_stdio(lambda: AgentServerACP(noisy, modes=modes(production=True), models=models))

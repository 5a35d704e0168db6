"""The terminals of an editor: real processes, whose output is kept until they are released."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Terminal:
    process: Process
    output: bytearray = field(default_factory=bytearray)
    reading: asyncio.Task[None] | None = None

    async def read(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(4096):
            self.output += data

    async def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        if self.reading is not None:
            await self.reading


class Terminals:
    """Those that are open; `released` counts those that were given back."""

    def __init__(self) -> None:
        self.open: dict[str, Terminal] = {}
        self.released = 0

    async def answer(self, verb: str, params: dict[str, Any]) -> dict[str, Any]:
        if verb == "create":
            return await self._create(params)
        terminal = self.open[params["terminalId"]]
        match verb:
            case "wait_for_exit":
                code = await terminal.process.wait()
                assert terminal.reading is not None
                await terminal.reading
                return {"exitCode": code if code >= 0 else None, "signal": None if code >= 0 else str(-code)}
            case "output":
                return {"output": terminal.output.decode(), "truncated": False}
            case "kill":
                await terminal.end()
            case "release":
                await terminal.end()
                del self.open[params["terminalId"]]
                self.released += 1
        return {}

    async def close(self) -> None:
        for terminal in self.open.values():
            await terminal.end()

    async def _create(self, params: dict[str, Any]) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            params["command"],
            *params.get("args", ()),
            cwd=params["cwd"],
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )
        name = f"terminal-{process.pid}"
        self.open[name] = terminal = Terminal(process)
        terminal.reading = asyncio.create_task(terminal.read())
        return {"terminalId": name}

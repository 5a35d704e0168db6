"""A sandbox that is a folder of this machine, without isolation: for tests of what reaches it."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from react_agent.sandbox.protocol import ExecuteResult, Job


class ShellSandbox:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commands: list[str] = []

    async def upload_files(self, files: Sequence[tuple[str, bytes]]) -> None:
        for path, data in files:
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    async def download_files(self, paths: Sequence[str]) -> list[tuple[str, bytes]]:
        return [(path, (self.folder / path).read_bytes()) for path in paths]

    async def execute(
        self,
        command: str,
        *,
        timeout: float = 120,  # noqa: ASYNC109 the protocol's signature
        output_limit: int = 256 * 1024,
    ) -> ExecuteResult:
        self.commands.append(command)
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            command,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(timeout):
            output, _ = await process.communicate()
        text = output[:output_limit].decode(errors="replace")
        return ExecuteResult(output=text, exit_code=process.returncode or 0)

    def job(self, *, approved: bool = False) -> AbstractAsyncContextManager[Job]:
        raise NotImplementedError("this sandbox has no workers")

    async def close(self) -> None:
        pass

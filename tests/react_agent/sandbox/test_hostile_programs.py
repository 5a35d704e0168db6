"""What a real C# or Java program can do to this machine: nothing, and not for long."""

import asyncio
from pathlib import Path

import pytest

from react_agent.sandbox.local import LocalSandbox, LocalSettings
from react_agent.sandbox.program import RUNNING
from react_agent.sandbox.protocol import JobKilled, JobTimedOut, KillReason, SandboxType
from react_agent.sandbox.toolchains import find_toolchain
from react_agent.sandbox.validation import worker_settings

SOURCES = Path(__file__).with_name("hostile")
DOTNET, JAVA = SandboxType.DOTNET_10_SANDBOX, SandboxType.JAVA_25_SANDBOX
KINDS = [
    pytest.param(DOTNET, marks=[pytest.mark.dotnet, pytest.mark.timeout(300)]),
    pytest.param(JAVA, marks=[pytest.mark.jvm, pytest.mark.timeout(300)]),
]
TEXT = {"kind": "scalar", "type": "string"}
NOT_THERE = {"FileNotFoundException", "DirectoryNotFoundException", "NoSuchFileException"}


class Program:
    """The hostile program of one side; each job calls some of its methods."""

    def __init__(self, kind, sandbox):
        self.kind, self.sandbox, self.log, self.job = kind, sandbox, "", None

    async def call(self, *calls, seconds=20):
        async with self.sandbox.job() as job:
            self.job = job
            try:
                await job.request("compile", self._compile())
                answer = await job.request("run", self._run(calls), timeout=seconds)
            finally:
                self.log = job.log
        return answer["envelopes"]

    async def texts(self, *calls):
        return [envelope["value"]["v"] for envelope in await self.call(*calls)]

    def _compile(self):
        names = ["Hostile.cs"] if self.kind == DOTNET else ["Hostile.java", "HostileConfiguration.java"]
        return {"sources": [{"path": f"hostile/{name}", "text": (SOURCES / name).read_text()} for name in names]}

    def _run(self, calls):
        made = [self._call(number, *call) for number, call in enumerate(calls)]
        if self.kind == DOTNET:
            return {"context": "Notes", "instances": [{"id": "i", "tables": {}}], "calls": made}
        instances = [{"id": "i", "collections": {}}]
        return {"configuration": "hostile.HostileConfiguration", "instances": instances, "calls": made}

    def _call(self, number, method, *args):
        given = [{"name": name, "value": {"t": "string", "v": value}} for name, value in args]
        call = {"id": f"c{number}", "instance": "i", "args": given}
        if self.kind == DOTNET:
            return call | {"class": "Hostile", "method": method[0].upper() + method[1:]}
        return call | {"class": "hostile.Hostile", "method": method, "shape": TEXT}


@pytest.fixture(params=KINDS)
async def program(request, isolation, tmp_path_factory):
    kind = request.param
    toolchain = await find_toolchain(kind)

    async def find():
        return toolchain

    settings = LocalSettings(worker=worker_settings(kind), warm=0)
    sandbox = await LocalSandbox.open(find, isolation=isolation, settings=settings)
    yield Program(kind, sandbox)
    await sandbox.close()
    assert not RUNNING


async def test_the_machine_is_neither_seen_nor_touched_nor_left(program, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (tmp_path / "secret").write_text("mine")
    path = ("path", str(tmp_path / "secret"))
    read, write, home, variables, start, socket, forged = await program.texts(
        ("read", path), ("write", ("path", "/usr/x")), ("home",), ("variables",), ("start",), ("socket",), ("forge",)
    )
    assert read in NOT_THERE
    assert write in {"IOException", "FileSystemException"}
    assert str(Path.home()) not in home
    assert "sk-secret" not in variables
    assert start in {"Win32Exception", "IOException"}
    assert socket in {"SocketException", "ConnectException"}
    assert forged == "not forged"
    assert '"envelopes":[]' in program.log


async def test_a_cancelled_endless_loop_is_ended_at_once(program):
    calling = asyncio.create_task(program.call(("loop",)))
    for _ in range(200):
        await asyncio.sleep(0.1)
        if program.job is not None and "looping" in program.job.log:
            break
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(calling, timeout=10)


async def test_a_program_that_ends_its_worker_is_told_as_such(program):
    with pytest.raises(JobKilled, match="exit code 5") as killed:
        await program.call(("exit",))
    assert killed.value.reason == KillReason.DIED


@pytest.mark.slow
async def test_an_endless_loop_is_ended_when_its_time_is_up(program):
    with pytest.raises(JobTimedOut):
        await program.call(("loop",), seconds=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("allocateNative", KillReason.MEMORY),
        ("threads", KillReason.PROCESSES),
        ("shout", KillReason.OUTPUT),
    ],
)
async def test_what_a_program_takes_is_limited(program, method, reason):
    with pytest.raises(JobKilled) as killed:
        await program.call((method,))
    assert killed.value.reason == reason


@pytest.mark.slow
async def test_ten_gigabytes_of_heap_end_in_the_runtimes_own_error(program):
    if program.kind == DOTNET:
        (envelope,) = await program.call(("allocate",), seconds=60)
        assert envelope["exception"] == "System.OutOfMemoryException"
    else:
        with pytest.raises(JobKilled, match="its runtime ran out of the memory") as killed:
            await program.call(("allocate",), seconds=60)
        assert killed.value.reason == KillReason.MEMORY

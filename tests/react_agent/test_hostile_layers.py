"""Hostile C#: each entry that ends its program is named, the others are proven, and nothing is read or left."""

import asyncio
import json
import os
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from react_agent.context import Context
from react_agent.draft import draft
from react_agent.frameworks import FrameworkEnum
from react_agent.model.translation import SourceFile
from react_agent.workbench import Workbench
from tests.react_agent.layers.hostile import layer_of
from uom_acp.commands.prove import prove_java

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.jvm,
    pytest.mark.timeout(280),
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.usefixtures("warm"),
]

SECONDS = 6


async def proven(text: str) -> dict:
    """Prove the rules' own Java of a layer."""
    sources = (SourceFile(path="Yard.cs", text=text),)
    context = Context(model="uom/rules", seed=1, sandbox_execution_timeout=SECONDS)
    bench = Workbench(context=context, sources=sources, target=FrameworkEnum.JAVA_SPRING_DATA_MONGODB)
    java = draft(sources).translation.files
    try:
        report, _ = await prove_java(bench, java, None)
    finally:
        await bench.close()
    return report


def verdicts(report: dict) -> dict[str, tuple[str, str]]:
    return {entry["entry"].split(".")[0]: (entry["verdict"], entry["reason"]) for entry in report["entries"]}


HOARD = "var all = new List<byte[]>(); while (true) { var b = new byte[1 << 26]; Array.Fill(b, (byte)1); all.Add(b); }"


async def test_only_the_guilty_entries_are_without_a_verdict():
    bodies = {
        "Fine": ("", ""),
        "Spins": ("while (true) { }", ""),
        "Exits": ("", "Environment.Exit(0);"),
        "Hoards": ("", HOARD),
    }
    found = verdicts(await proven(layer_of(bodies)))
    assert found.pop("Fine")[0] == "equivalent_on_suite"
    assert {verdict for verdict, _ in found.values()} == {"harness_error"}, found
    assert "source: run: no answer within" in found["Spins"][1]
    assert "exit code 0" in found["Exits"][1]
    # On a busy machine its time may be over before its memory is.
    assert re.search(r"memory|no answer within", found["Hoards"][1])


async def test_a_model_that_hangs_is_said_once_and_soon():
    async with asyncio.timeout(SECONDS * 8):
        report = await proven(layer_of({"One": ("", ""), "Two": ("", "")}, model="while (true) { }"))
    found = verdicts(report)
    assert {verdict for verdict, _ in found.values()} == {"harness_error"}
    assert all("source: describe: no answer within 6 s" in reason for _, reason in found.values())


@pytest.fixture
def listener() -> Iterator[tuple[int, list[object]]]:
    """A port of this machine, and who came."""
    came: list[object] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                came.append(server.accept())
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    yield server.getsockname()[1], came
    server.close()


async def test_nothing_is_read_opened_started_or_forged(listener, tmp_path_factory, monkeypatch):
    secret, number = f"planted-{secrets.token_hex(8)}", secrets.randbelow(10**9) + 10**9
    home = Path.home() / f".uom-test-{secret[:14]}"
    temporary = tmp_path_factory.mktemp("secret") / "token"
    monkeypatch.setenv("UOM_TEST_SECRET", secret)
    port, came = listener
    told = '{\\"call\\":\\"x\\",\\"outcome\\":\\"scalar\\",\\"value\\":{\\"t\\":\\"int\\",\\"v\\":\\"7\\"}}'
    peek = (
        f'if (Environment.GetEnvironmentVariable("UOM_TEST_SECRET") != null) Environment.Exit(41);'
        f'foreach (var path in new[] {{ "{home}", "{temporary}" }}) '
        "try { if (File.Exists(path)) { Console.WriteLine(File.ReadAllText(path)); Environment.Exit(42); } } "
        "catch (IOException) { } catch (UnauthorizedAccessException) { }"
    )
    connect = f'try {{ new TcpClient("127.0.0.1", {port}); Environment.Exit(43); }} catch (Exception) {{ }}'
    spawn = f'try {{ Process.Start("/bin/sleep", "{number}"); Environment.Exit(44); }} catch (Exception) {{ }}'
    write = f'try {{ File.WriteAllText("{home}.out", "x"); }} catch (Exception) {{ }}'
    try:
        home.write_text(secret)
        temporary.write_text(secret)
        report = await proven(layer_of({
            "Peeks": ("", peek),
            "Connects": ("", connect),
            "Spawns": ("", spawn),
            "Writes": ("", write),
            "Forges": ("", f'Console.WriteLine("{told}"); Console.Error.WriteLine("{told}");'),
            "Chatters": ("", 'for (var i = 0; i < 300; i++) Console.WriteLine(new string(\'x\', 100));'),
        }))  # fmt: skip
        written = list(home.parent.glob(f"{home.name}.*"))
    finally:
        for path in home.parent.glob(f"{home.name}*"):
            path.unlink()
    assert written == []
    assert {verdict for verdict, _ in verdicts(report).values()} == {"equivalent_on_suite"}, verdicts(report)
    assert secret not in json.dumps(report)
    assert came == []
    assert not running(str(number))


async def test_a_flood_of_output_ends_its_own_entry_only():
    flood = "var line = new string('x', 1 << 16); while (true) Console.WriteLine(line);"
    found = verdicts(await proven(layer_of({"Floods": ("", flood), "Fine": ("", "")})))
    assert found["Floods"][0] == "harness_error"
    assert found["Fine"][0] == "equivalent_on_suite"


def running(argument: str) -> list[str]:
    """The processes of this machine that have a word in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if argument.encode() in words and int(process.name) != os.getpid():
            found.append(process.name)
    return found

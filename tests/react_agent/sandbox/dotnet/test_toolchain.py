import asyncio
import os
import pwd
import stat
from pathlib import Path

import pytest

from react_agent.sandbox import dotnet_build, dotnet_toolchain
from react_agent.sandbox.dotnet_build import WorkerNotBuilt, build_worker, cache_folder
from react_agent.sandbox.dotnet_command import run_dotnet
from react_agent.sandbox.dotnet_toolchain import find_dotnet, install_hint
from react_agent.sandbox.protocol import ToolchainMissing
from tests.fakes.eventually import alive, eventually


def pretend_sdk(folder: Path, script: str) -> Path:
    """Make a `dotnet` that answers as an SDK of another version, or a broken one, would."""
    folder.mkdir(parents=True)
    program = folder / "dotnet"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Let nothing be found but what the test puts there."""

    def at(root: Path | None) -> None:
        monkeypatch.setattr(dotnet_toolchain, "_USUAL_PLACES", (str(root),) if root else ())

    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("DOTNET_ROOT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    at(None)
    return at


async def test_no_sdk_is_missing_with_the_hint_of_this_system(only):
    with pytest.raises(ToolchainMissing, match=r"no \.NET 10 SDK was found") as missing:
        await find_dotnet()
    assert install_hint() in missing.value.hint


@pytest.mark.parametrize("script", ['echo "8.0.404 [/usr/lib/dotnet/sdk]"', "exit 1"])
async def test_an_older_sdk_or_a_broken_one_does_not_count(only, tmp_path, script):
    only(pretend_sdk(tmp_path / "sdk", script))
    with pytest.raises(ToolchainMissing, match=r"no \.NET 10 SDK was found"):
        await find_dotnet()


async def test_an_sdk_that_cannot_restore_says_so_and_leaves_nothing_behind(only, tmp_path):
    error = "error NU1101: Unable to find package Microsoft.EntityFrameworkCore.Sqlite."
    script = f'case $1 in --list-sdks) echo "10.0.100 [x]";; build) echo "{error} [a.csproj]"; exit 1;; esac'
    only(pretend_sdk(tmp_path / "sdk", script))
    with pytest.raises(ToolchainMissing, match="NU1101: Unable to find package") as missing:
        await find_dotnet()
    assert "NuGet sources" in missing.value.hint
    assert [path.suffix for path in (tmp_path / "cache/uom/dotnet-worker").iterdir()] == [".lock"]


async def test_a_runtime_without_icu_is_told_to_do_without(only, tmp_path, monkeypatch):
    monkeypatch.delenv("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", raising=False)
    complaint = "Couldn't find a valid ICU package installed on the system."
    build = "mkdir out; : > out/uom-worker.dll; test $DOTNET_SYSTEM_GLOBALIZATION_INVARIANT = 1"
    script = (
        f'case $1 in --list-sdks) echo "10.0.100 [x]";; --version) echo "{complaint}"; exit 134;; build) {build};; esac'
    )
    only(pretend_sdk(tmp_path / "sdk", script))
    found = await find_dotnet()
    assert found.environment["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] == "1"
    assert found.worker_dll.is_file()


async def test_the_newest_sdk_wins_and_the_worker_starts_with_a_heap_limit(only, tmp_path):
    listed = 'echo "10.0.99 [x]"; echo "10.0.100-rc.1 [x]"; echo "10.0.100 [x]"; echo "9.0.300 [x]"'
    script = f"case $1 in --list-sdks) {listed};; build) mkdir out; : > out/uom-worker.dll;; esac"
    root = pretend_sdk(tmp_path / "sdk", script)
    only(root)
    found = await find_dotnet()
    assert (found.name, found.version, found.root) == (".NET SDK", "10.0.100", root)
    assert found.read_only == (root, found.worker_dll.parent)
    argv = found.worker_argv(fd_in=5, fd_out=6, warm=True, memory_mb=512)
    assert argv[1] == "DOTNET_GCHeapHardLimit=0x20000000"
    assert argv[2:] == (f"{root}/dotnet", "exec", str(found.worker_dll), "--in", "5", "--out", "6", "--warm")


async def test_two_that_start_together_build_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    counted = tmp_path / "builds"
    build = f"echo x >> {counted}; sleep 0.3; mkdir out; : > out/uom-worker.dll"
    root = pretend_sdk(tmp_path / "sdk", f"case $1 in build) {build};; esac")
    first, second = await asyncio.gather(build_worker(root, "10.0.100", {}), build_worker(root, "10.0.100", {}))
    assert first == second
    assert counted.read_text(encoding="utf-8") == "x\n"
    assert await build_worker(root, "10.0.101", {}) != first


async def test_a_cancelled_build_ends_what_it_started(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    number = tmp_path / "pid"
    root = pretend_sdk(tmp_path / "sdk", f"sleep 60 & echo $! > {number}.new; mv {number}.new {number}; wait")
    running = asyncio.create_task(build_worker(root, "10.0.100", {}))
    await eventually(number.exists)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await eventually(lambda: not alive(int(number.read_text(encoding="utf-8"))))


async def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(WorkerNotBuilt, match="cannot be used") as refused:
        await build_worker(tmp_path, "10.0.100", {})
    assert "XDG_CACHE_HOME" in refused.value.hint


async def test_an_empty_home_falls_back_to_the_accounts_own(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert cache_folder() == home / ".cache" / "uom"
    reply = await run_dotnet(pretend_sdk(tmp_path / "sdk", 'echo "$HOME"'), [], cwd=tmp_path)
    assert reply.output.strip() == str(home)


def test_the_worker_is_built_again_when_its_sources_change(tmp_path, monkeypatch):
    before = dotnet_build._fingerprint("10.0.100")
    (tmp_path / "Program.cs").write_text("class A;", encoding="utf-8")
    monkeypatch.setattr(dotnet_build, "SOURCES", tmp_path)
    assert dotnet_build._fingerprint("10.0.100") != before


@pytest.mark.dotnet
async def test_the_sdk_of_this_machine_is_found_with_its_worker():
    found = await find_dotnet()
    assert found.version.startswith("10.")
    assert found.worker_dll.is_file()
    assert (found.root / "dotnet").is_file()

"""The Java worker is built once, whole or not at all, and tells how it is started."""

import asyncio
import os
import select
import shutil
import time
from pathlib import Path

import pytest

from react_agent.sandbox.java_toolchain import find_java, locate_java
from react_agent.sandbox.protocol import ToolchainMissing

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300)]


def environ_with_maven(folder: Path, script: str) -> dict[str, str]:
    """Put a Maven of our own before the machine's."""
    folder.mkdir()
    launcher = folder / "mvn"
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def left_in(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "java-worker").iterdir() if path.suffix != ".lock")


async def test_the_command_is_bounded_quiet_and_names_the_pipes(jvm):
    argv = jvm.worker_argv(fd_in=7, fd_out=9, warm=True, memory_mb=300)
    assert argv[0] == str(jvm.home / "bin" / "java")
    assert "-Xmx300m" in argv
    assert argv[-5:] == ("--in", "7", "--out", "9", "--warm")
    assert "--warm" not in jvm.worker_argv(fd_in=7, fd_out=9, warm=False, memory_mb=300)


async def test_all_that_the_command_needs_is_visible(jvm):
    assert jvm.home in jvm.read_only
    assert all(any(path.is_relative_to(folder) for folder in jvm.read_only) for path in jvm.classpath)
    assert all(path.exists() for path in (*jvm.read_only, *jvm.classpath))
    assert jvm.environment == {"JAVA_HOME": str(jvm.home)}


async def test_from_release_25_on_classes_are_linked_ahead_of_time(jvm):
    if jvm.jdk.major < 25:
        pytest.skip(f"JDK {jvm.version} has no ahead-of-time cache")
    assert jvm.aot_cache is not None
    assert f"-XX:AOTCache={jvm.aot_cache}" in jvm.worker_argv(fd_in=7, fd_out=9, warm=True, memory_mb=300)


async def test_what_is_built_is_found_without_maven(jvm):
    found = await find_java(environ={"JAVA_HOME": str(jvm.home), "PATH": ""})
    assert found == jvm


async def test_a_failed_build_tells_mavens_error_and_leaves_nothing(tmp_path):
    environ = environ_with_maven(
        tmp_path / "bin", "echo '[INFO] scanning'; echo '[ERROR] cannot resolve spring'; exit 1"
    )
    with pytest.raises(ToolchainMissing) as missing:
        await find_java(cache=tmp_path / "cache", environ=environ)
    assert "exit code 1" in missing.value.what
    assert "[ERROR] cannot resolve spring" in missing.value.what
    assert "[INFO]" not in missing.value.what
    assert left_in(tmp_path / "cache") == []


async def test_a_new_build_takes_the_place_of_those_long_unused(tmp_path):
    builds = tmp_path / "cache" / "java-worker"
    for name, age in (("used", 1), ("unused", 31)):
        (builds / name).mkdir(parents=True)
        long_ago = time.time() - age * 24 * 3600
        os.utime(builds / name, (long_ago, long_ago))
    environ = environ_with_maven(tmp_path / "bin", "mkdir -p target/lib && touch target/worker.jar target/lib/a.jar")
    built = await find_java(cache=tmp_path / "cache", environ=environ)
    assert left_in(tmp_path / "cache") == sorted(["used", built.folder.name])
    assert [path.name for path in built.classpath] == ["worker.jar", "a.jar"]


async def test_what_a_killed_build_left_goes_with_the_next_one(tmp_path):
    environ = environ_with_maven(tmp_path / "bin", "mkdir -p target/lib && touch target/worker.jar")
    built = await find_java(cache=tmp_path / "cache", environ=environ)
    shutil.rmtree(built.folder)
    for name in (built.folder.name, "of-another"):
        (built.folder.parent / f"build-{name}-x" / "target").mkdir(parents=True)
    await find_java(cache=tmp_path / "cache", environ=environ)
    assert left_in(tmp_path / "cache") == sorted([built.folder.name, "build-of-another-x"])


async def test_locating_builds_nothing(tmp_path, jvm):
    located = await locate_java(cache=tmp_path / "cache")
    assert (located.version, located.built) == (jvm.version, False)
    assert not (tmp_path / "cache").exists()
    assert (await locate_java()).built


async def test_where_training_fails_the_worker_starts_without(tmp_path):
    environ = environ_with_maven(tmp_path / "bin", "mkdir -p target/lib && touch target/worker.jar")
    built = await find_java(cache=tmp_path / "cache", environ=environ)
    assert built.aot_cache is None
    assert not any("AOT" in each for each in built.worker_argv(fd_in=3, fd_out=4, warm=True, memory_mb=300))


async def test_a_cache_that_cannot_be_written_is_told_with_the_way_out(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(ToolchainMissing, match="XDG_CACHE_HOME"):
        await find_java(cache=tmp_path / "cache")


async def test_a_cancelled_build_ends_maven_and_leaves_nothing(tmp_path):
    started = tmp_path / "started"
    os.mkfifo(started)
    environ = environ_with_maven(tmp_path / "bin", f"sleep 60 & echo $$ $! > {started}; wait")
    building = asyncio.create_task(find_java(cache=tmp_path / "cache", environ=environ))
    processes = [os.pidfd_open(int(pid)) for pid in (await asyncio.to_thread(started.read_text)).split()]
    building.cancel()
    with pytest.raises(asyncio.CancelledError):
        await building
    assert all(has_ended(each) for each in processes)
    assert left_in(tmp_path / "cache") == []


def has_ended(process: int) -> bool:
    """Wait a little: a killed process is gone when the system gets round to it."""
    ended, _, _ = select.select([process], [], [], 5)
    os.close(process)
    return bool(ended)


@pytest.mark.slow
async def test_two_at_once_build_once(tmp_path):
    maven = environ_with_maven(
        tmp_path / "bin", f'echo run >> {tmp_path}/runs; shift 0; PATH=${{PATH#*:}} exec mvn "$@"'
    )
    one, other = await asyncio.gather(*(find_java(cache=tmp_path / "cache", environ=maven) for _ in range(2)))
    assert one == other
    assert (tmp_path / "runs").read_text().splitlines() == ["run"]
    assert left_in(tmp_path / "cache") == [one.folder.name]

from pathlib import Path

import pytest

from react_agent.sandbox.isolation import Descriptors, Isolation, Room, bwrap_options, contents
from react_agent.sandbox.output import Capture
from react_agent.sandbox.program import Program
from react_agent.sandbox.protocol import IsolationUnavailable

DEBIAN_JDKS = list(Path("/etc").glob("java-*-openjdk"))
OURS = Descriptors(info=3, seccomp=4, passwd=5, hosts=6)


async def printed(isolation, script, **room):
    output = Capture(100_000)
    room = Room(processes=True, **room)
    program = await Program.start(("sh", "-c", script), room=room, bwrap=isolation.bwrap, output=output)
    await program.wait()
    await program.end()
    return output.text()


def test_the_environment_is_written_from_nothing(monkeypatch):
    monkeypatch.setenv("AWS_SECRET", "x")
    room = Room(environment={"JAVA_HOME": "/jdk", "TZ": "Europe/Prague"})
    variables = room.variables(isolated=True)
    assert variables["PATH"].startswith("/jdk/bin:")
    assert variables["TZ"] == "Europe/Prague"
    assert variables["HOME"] == "/tmp"
    assert "AWS_SECRET" not in variables
    assert "--clearenv" in bwrap_options(room, OURS)


def test_a_linked_folder_is_visible_under_both_its_names(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    options = bwrap_options(Room(read_only=(tmp_path / "link",)), OURS)
    bound = [options[at + 1 : at + 3] for at, option in enumerate(options) if option == "--ro-bind"]
    assert [str(tmp_path / "link")] * 2 in bound
    assert [str(tmp_path / "real")] * 2 in bound


def test_what_bubblewrap_reads_names_nobody():
    held = contents(Room())
    assert Path.home().name.encode() not in held["passwd"].replace(b"root", b"")
    assert len(held["seccomp"]) % 8 == 0


async def test_named_folders_are_visible_and_read_only_and_nothing_beside_them(isolation, tmp_path):
    (tmp_path / "jdk").mkdir()
    (tmp_path / "jdk/release").write_text("25")
    (tmp_path / "secret").write_text("mine")
    seen = await printed(
        isolation, f"cat {tmp_path}/jdk/release; ls {tmp_path}; touch {tmp_path}/jdk/x", read_only=(tmp_path / "jdk",)
    )
    assert seen.startswith("25jdk\n")
    assert "Read-only file system" in seen


async def test_nobody_inside_has_a_capability_or_can_make_a_namespace(isolation):
    seen = await printed(
        isolation, "grep Cap /proc/self/status; id -u; unshare -U true; cat /proc/sys/user/max_user_namespaces"
    )
    capabilities = [line.split()[1] for line in seen.splitlines() if line.startswith("Cap")]
    assert set(capabilities) == {"0" * 16}
    assert "1000" in seen.splitlines()
    assert "Operation not permitted" in seen


async def test_the_private_folders_are_small(isolation):
    seen = await printed(
        isolation, "head -c 100M /dev/zero > /tmp/x; head -c 100M /dev/zero > /dev/shm/x; ls -la /tmp/x", tmp_mb=8
    )
    assert seen.count("No space left on device") == 2


async def test_the_network_is_loopback_alone(isolation):
    seen = await printed(isolation, "cat /proc/net/dev")
    assert [line.split(":")[0].strip() for line in seen.splitlines()[2:]] == ["lo"]


async def test_a_failing_bubblewrap_says_why(isolation):
    output = Capture(1000)
    room = Room(read_only=(Path("/nowhere/at/all"),))
    program = await Program.start(("true",), room=room, bwrap=isolation.bwrap, output=output)
    assert await program.wait() != 0
    await program.end()
    assert "/nowhere/at/all" in output.text()


def test_missing_isolation_is_an_error_with_the_reason_and_the_fix():
    missing = Isolation.unavailable("user namespaces are off", "Switch them on.")
    assert not missing.available
    with pytest.raises(IsolationUnavailable, match=r"off\. Switch them on\. Or approve"):
        missing.require()


async def test_a_jdk_of_debian_finds_its_settings(isolation):
    if not DEBIAN_JDKS:
        pytest.skip("no JDK of Debian's on this machine")
    seen = await printed(isolation, f"ls {DEBIAN_JDKS[0]}")
    assert "security" in seen

"""`uom --version`, `uom doctor`, and what Ctrl-C leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.uom_acp.commands.conftest import ORCHARD, ROOT, TO, Uom, environment_of


def test_the_version_is_the_package_s(uom: Uom) -> None:
    done = uom("--version")
    assert (done.code, done.out, done.err) == (0, f"uom {version('uom')}\n", "")


def test_a_bad_setting_is_what_doctor_finds(uom: Uom) -> None:
    done = uom("doctor", "--json", SANDBOX_EXECUTION_TIMEOUT="soon")
    assert done.code == 3
    assert "SANDBOX_EXECUTION_TIMEOUT" in json.loads(done.out)[0]["found"]


@pytest.mark.jvm
def test_doctor_names_everything_with_its_fix_and_no_secret(uom: Uom) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-hidden-one",
        "OPENAI_API_URL": "http://127.0.0.1:9/v1",
        "NEO4J_PASSWORD": "hidden-two",
    }
    machine = uom("doctor", "--json", **secrets)
    findings = {each["name"]: each for each in json.loads(machine.out)}
    assert {"model uom/rules", "chat model", ".NET SDK", "JDK and Maven", "isolation", "Daytona"} <= set(findings)
    assert findings["JDK and Maven"]["ok"]
    assert not findings["chat model"]["ok"]
    assert all(each["fix"] or each["ok"] or each["name"] == "Daytona" for each in findings.values())
    assert machine.code == (0 if all(each["ok"] for each in findings.values() if each["needed"]) else 3)
    person = uom("doctor", **secrets)
    assert all(f" {name}: " in person.out for name in findings)
    for text in (machine.out, machine.err, person.out, person.err):
        assert "hidden" not in text


@pytest.mark.jvm
def test_doctor_builds_nothing(uom: Uom, tmp_path: Path) -> None:
    done = uom("doctor", XDG_CACHE_HOME=str(tmp_path / "cache"))
    (line,) = (line for line in done.out.splitlines() if "JDK and Maven" in line)
    assert line.startswith("ok ")
    assert "its worker is not built yet" in line
    assert not (tmp_path / "cache").exists()


@pytest.mark.jvm
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_build_leaves_no_half_of_it(tmp_path: Path, number: signal.Signals) -> None:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text("#!/bin/sh\nexec sleep 60\n")
    maven.chmod(0o755)
    cache = tmp_path / "cache"
    path = f"{maven.parent}{os.pathsep}{os.environ['PATH']}"
    code = (
        "import sys; from uom_acp import __main__ as uom; from types import SimpleNamespace as N; import asyncio;"
        "from react_agent.sandbox.java_toolchain import find_java; import importlib;"
        "importlib.import_module = lambda _: N(run=lambda _: asyncio.run(find_java())); sys.exit(uom.main(['doctor']))"
    )
    env = environment_of(tmp_path) | {"XDG_CACHE_HOME": str(cache), "PATH": path}
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=env, start_new_session=True) as running:
        until = time.monotonic() + 30
        while not (children := descendants(running.pid)) and time.monotonic() < until:
            time.sleep(0.1)
        running.send_signal(number)
        assert running.wait(30) == 130
    assert children
    assert not any(alive(pid) for pid in children)
    assert [each.name for each in (cache / "uom" / "java-worker").iterdir() if each.suffix != ".lock"] == []


@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything(tmp_path: Path, number: signal.Signals) -> None:
    code = (ORCHARD / "Orchard.cs").read_text().replace(
        "DbContext(options)\n{", "DbContext(options)\n{\n    static OrchardContext() { while (true) { } }\n"
    )  # fmt: skip
    (tmp_path / "Slow.cs").write_text(code)
    mark = f"uom-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [sys.executable, "-m", "uom_acp", "translate", str(tmp_path / "Slow.cs"), *TO]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment_of(tmp_path) | {"UOM_TEST_MARK": mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "asking EF Core" in line:
                break
        until = time.monotonic() + 60
        while len(children := descendants(running.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.2)
        assert children
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert out == ""
    assert err == "uom: cancelled\n"
    assert [pid for pid in children if alive(pid)] == []


def descendants(pid: int) -> list[int]:
    found = []
    for each in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in each.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

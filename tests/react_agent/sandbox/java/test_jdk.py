"""A JDK and Maven are found where people have them, without starting anything."""

from pathlib import Path

import pytest

from react_agent.sandbox import jdk
from react_agent.sandbox.jdk import find_jdk, find_maven, read_jdk
from react_agent.sandbox.protocol import ToolchainMissing


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what this machine has."""
    monkeypatch.setattr(jdk, "_LINUX", ())
    monkeypatch.setattr(jdk, "_MACOS", ())


def make_jdk(home: Path, version: str, *, compiler: bool = True) -> Path:
    (home / "bin").mkdir(parents=True)
    for name in ("java", "javac") if compiler else ("java",):
        launcher = home / "bin" / name
        launcher.write_text("#!/bin/sh\nexit 1\n")
        launcher.chmod(0o755)
    (home / "release").write_text(
        f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\nJAVA_RUNTIME_VERSION="{version}+1"\n'
    )
    return home


def test_java_home_is_used(tmp_path):
    home = make_jdk(tmp_path / "jdk", "21.0.4")
    assert find_jdk({"JAVA_HOME": str(home)}).home == home


def test_a_launcher_on_path_is_followed_to_its_jdk(tmp_path):
    home = make_jdk(tmp_path / "jdk", "21.0.4")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_jdk({"PATH": str(tmp_path / "bin")}).home == home


def test_sdkman_is_looked_into_and_its_current_link_is_no_second_jdk(tmp_path):
    home = make_jdk(tmp_path / ".sdkman/candidates/java/25-tem", "25")
    (tmp_path / ".sdkman/candidates/java/current").symlink_to(home)
    assert find_jdk({"HOME": str(tmp_path)}).home == home


def test_release_25_is_preferred_wherever_it_is(tmp_path):
    old = make_jdk(tmp_path / "old", "21.0.4")
    new = make_jdk(tmp_path / ".jdks/new", "25.0.1")
    assert find_jdk({"JAVA_HOME": str(old), "HOME": str(tmp_path)}).home == new


def test_only_older_ones_are_named_in_the_error(tmp_path):
    old = make_jdk(tmp_path / "old", "17.0.15")
    ancient = make_jdk(tmp_path / ".jdks/ancient", "1.8.0_402")
    with pytest.raises(ToolchainMissing) as missing:
        find_jdk({"JAVA_HOME": str(old), "HOME": str(tmp_path)})
    assert f"found only JDK 17.0.15 in {old}, JDK 1.8.0_402 in {ancient}" in missing.value.what
    assert "JAVA_HOME" in missing.value.hint


def test_none_at_all_says_where_it_looked():
    with pytest.raises(ToolchainMissing, match="none was found in JAVA_HOME, on PATH or in the usual places"):
        find_jdk({})


def test_a_jre_is_no_jdk(tmp_path):
    assert read_jdk(make_jdk(tmp_path / "jre", "25", compiler=False)) is None


@pytest.mark.parametrize(
    ("version", "major"), [("25", 25), ("25.0.3", 25), ("26-ea", 26), ("1.8.0_402", 8), ("odd", 0)]
)
def test_the_feature_release_is_read_from_every_form(tmp_path, version, major):
    found = read_jdk(make_jdk(tmp_path / "jdk", version))
    assert found is not None
    assert found.major == major


def test_files_that_a_jdk_keeps_elsewhere_are_told(tmp_path):
    home = make_jdk(tmp_path / "jdk", "25")
    outside = tmp_path / "etc" / "java.security"
    outside.parent.mkdir()
    outside.write_text("")
    (home / "conf").mkdir()
    (home / "conf" / "java.security").symlink_to(outside)
    (home / "conf" / "gone").symlink_to(tmp_path / "nowhere")
    (home / "conf" / "inside").symlink_to(home / "release")
    found = read_jdk(home)
    assert found is not None
    assert found.outside == (outside,)


@pytest.mark.parametrize("name", ["M2_HOME", "MAVEN_HOME"])
def test_maven_is_found_by_its_variables(tmp_path, name):
    launcher = tmp_path / "bin" / "mvn"
    launcher.parent.mkdir()
    launcher.write_text("")
    launcher.chmod(0o755)
    assert find_maven({name: str(tmp_path)}) == launcher
    assert find_maven({"PATH": str(tmp_path / "bin")}) == launcher


def test_no_maven_says_what_it_is_for():
    with pytest.raises(ToolchainMissing, match="Maven is needed once"):
        find_maven({})
